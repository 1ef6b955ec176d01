// The section [report] of a grid.
//
//   [report]
//   published = "published.json"     # values to show beside ours, relative to the grid's file
//   metric = "accuracy"              # of the cells: a figure of the test split, or scaled_accuracy
//   reach = 0.9                      # tables say which least value of a setting reaches this
//
//   [[report.columns]]               # a block of the main table, with a column per architecture
//   name = "expressivity"            # in CSV and JSON, and the metric of published values
//   title = "Expressivity"
//   validation = "long"              # of the runs that it is about
//   value = "max"                    # the highest of all runs; or "mean", of the best loss
//   budget = 64_000                  # of the runs; the grid's first if it is not given
//
// A grid that declares no columns has one block per validation set. Which settings are tuned
// (grid.h) is kept here too, since only reports ask for it.

#ifndef FLARE_RUNS_REPORT_SPEC_H_
#define FLARE_RUNS_REPORT_SPEC_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/json.h"

namespace flare {

struct ReportColumn {
  // kMean averages over the trials of the loss with the highest mean; kMax is over all trials of
  // all losses.
  enum class Value { kMean, kMax };

  std::string name = {}, title = {}, validation = {};
  Value value = Value::kMean;
  std::size_t budget = 0;  // 0: the grid's first
};

// The metric that the cells of tables show.
struct ReportMetric {
  std::string name = "accuracy", title = "accuracy";
  bool is_share = true;  // from 0 to 1, of which 1 is the best
  bool higher_is_better = true;
  int decimals = 2;

  // Is `a` better than `b`?
  bool IsBetter(double a, double b) const { return higher_is_better ? a > b : a < b; }
  // Does a value reach a bound, from its side?
  bool Reaches(double value, double bound) const { return !IsBetter(bound, value); }
};

// Accuracy from 0, where the more frequent label is always the answer, to 1.
inline constexpr const char* kScaledAccuracy = "scaled_accuracy";

// Returns the metric of a name: kScaledAccuracy, or a share, a length or a cross-entropy of a split
// in result.json. Throws InputError with `where` if no run can have it, or if it does not say how
// good a run is, such as `examples`.
ReportMetric MetricNamed(const std::string& name, const std::string& where);

struct ReportSpec {
  // A file, or "built-in:" and the path of one that is part of the program; empty: none.
  std::string published = {};
  std::string metric = {};           // empty: the accuracy, or else what runs have
  std::optional<double> reach = {};  // by default 0.9 of a share
  std::vector<ReportColumn> columns = {};
  // The settings that are tuned: of their values, the one that validation chooses is shown.
  std::vector<std::string> tuned = {};

  // Does it say how to report?
  bool Declares() const { return !published.empty() || !metric.empty() || !columns.empty(); }
  bool IsEmpty() const { return !Declares() && !reach && tuned.empty(); }
};

// Throws InputError with `where`: names that are not lower-case letters, digits and _, or are twice
// there; titles and validation sets that are empty; metrics that do not exist.
void CheckReportSpec(const ReportSpec& spec, const std::string& where);
// "mean", "max". Throws InputError with `where`.
ReportColumn::Value ReportValue(const std::string& text, const std::string& where);

Json ReportSpecToJson(const ReportSpec& spec);
ReportSpec ReportSpecFromJson(const JsonValue& json);

}  // namespace flare

#endif  // FLARE_RUNS_REPORT_SPEC_H_
