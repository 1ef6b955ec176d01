// Do our scores agree with the paper's more than chance would let them? Most scores are high, and
// the paper's deviations wide, so that scores dealt out at random agree often; what counts is what
// is beyond that.

#ifndef FLARE_REPORT_AGREEMENT_H_
#define FLARE_REPORT_AGREEMENT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/statistics.h"

namespace flare::report {

// A score of a language and an architecture, next to the paper's.
struct ComparedCell {
  double ours = 0;
  double paper = 0;
  std::optional<double> paper_spread = {};  // a standard deviation, if it is a mean
  std::optional<double> format_only = {};   // what knowing the format alone gives
};

// By language.
using ComparedCells = std::vector<std::vector<ComparedCell>>;

// Is a score within two of the paper's standard deviations, or the same as the paper rounds?
bool Agrees(const ComparedCell& cell);

double CountAgreeing(const ComparedCells& cells);
double MeanDistance(const ComparedCells& cells);
// Spearman's, over all cells.
std::optional<double> CellCorrelation(const ComparedCells& cells);
// Does the paper find one of the architectures better than another?
bool HasABest(const std::vector<ComparedCell>& language);
// The share of languages whose best architecture, or one of those that share the first place at two
// decimals, is also one of the paper's best. Languages without a best are left out; nothing if that
// is all of them.
std::optional<double> BestArchitectureAgrees(const ComparedCells& cells);

// The score that agrees with the paper in most cells if all cells have it.
double BestConstant(const ComparedCells& cells);

// What something other than our runs would give of the same statistic.
struct ChanceRow {
  std::string what;                    // "scores dealt out among all cells"
  double value = 0;                    // the mean, if it is random
  std::optional<Interval> range = {};  // 95 % of it
  std::optional<double> p = {};        // how often it is as good as ours, or better
};

struct AgreementRow {
  std::string statistic;
  double ours = 0;
  std::optional<Interval> interval = {};  // languages resampled
  std::size_t languages = 0, cells = 0;
  int decimals = 2;
  std::vector<ChanceRow> chance = {};
};

// Of scores that the paper gives as mean and deviation, all statistics; of maxima, whose size
// depends on the number of runs, those of order. `experiment` names the random streams.
std::vector<AgreementRow> AgreementOf(const ComparedCells& cells, const std::string& experiment,
                                      bool only_order);

}  // namespace flare::report

#endif  // FLARE_REPORT_AGREEMENT_H_
