// The metrics of a recognizer on a split. eval/SPLIT.json has all of them, result.json the scalars.
// All cross-entropies are in nats.

#ifndef FLARE_RUNS_METRICS_H_
#define FLARE_RUNS_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/json.h"

namespace flare {

// Examples that have something in common: a length, an edit distance, a number of edits.
struct Tally {
  std::size_t examples = 0;
  std::size_t correct = 0;
  double ce_sum = 0;
  double ce_squared_sum = 0;

  void Add(bool is_correct, double cross_entropy);
  void Add(const Tally& other);
};

struct SplitMetrics {
  std::string split;
  std::size_t examples = 0;
  std::size_t positives = 0;
  // A model whose loss lacks the term rec has no metrics of recognition (accuracy, errors, f1, auc,
  // perfect length, tables).
  std::optional<double> accuracy = {};
  std::optional<double> recognition_cross_entropy = {};  // NaN if the model's is not a number
  // The metrics of an auxiliary term of the loss. They are empty if the model lacks its head, or if
  // no example is one that the term is for.
  struct Term {
    std::string key;  // the term's: its figures are KEY_cross_entropy and KEY_accuracy
    std::optional<double> cross_entropy = {};
    // The shares of positions, and of strings at all their positions, at which the head is right.
    bool measures_accuracy = false;
    std::optional<double> positions = {}, strings = {};
  };
  std::vector<Term> terms;
  // Wrong answers on strings that do not have the format of members, and on strings that have it.
  // Nothing if the language has no envelope.
  struct WrongAnswers {
    std::size_t format_wrong = 0, format_right = 0;
  };
  std::optional<WrongAnswers> wrong_answers;
  std::size_t false_positives = 0;
  std::size_t false_negatives = 0;
  std::optional<double> f1;   // nullopt if there are no members and none was accepted
  std::optional<double> auc;  // nullopt if there are only members, or none
  // The largest length n in the split such that every example of length ≤ n is right; −1 if none.
  std::int64_t longest_perfect_length = -1;

  // The tables, which result.json leaves out.
  struct Row {
    std::optional<std::size_t> key;  // nullopt: drawn uniformly, without edits
    Tally tally;
  };
  std::vector<Row> by_length;
  std::optional<std::vector<Row>> by_edit_distance;
  std::optional<std::vector<Row>> by_num_edits;
  // The number of strings that are right at all timesteps, and of timesteps that are right, for
  // each auxiliary term that is measured by length, by key.
  struct TermRow {
    std::size_t length = 0, examples = 0, correct = 0, positions = 0, positions_correct = 0;
  };
  std::vector<std::pair<std::string, std::vector<TermRow>>> terms_by_length;

  // Calls use(name, value) for every scalar that is there and is a number, by its name in
  // result.json; members of objects are called next_symbol_accuracy_positions.
  void ForEachScalar(const std::function<void(std::string_view, double)>& use) const;
  // Sets a figure of a term, or a count of wrong answers, by the name that ForEachScalar gives it.
  // False if there is no such figure.
  bool SetFigure(std::string_view name, double value);
  // Returns a scalar; nothing if the split does not have it.
  std::optional<double> Find(std::string_view scalar) const;
};

// The metrics around a length: the curves of the paper's Appendix I.
struct LengthPoint {
  std::size_t length = 0;
  std::size_t examples = 0;
  double accuracy = 0;
  double cross_entropy = 0;
  double cross_entropy_std = 0;
};
// Pools all strings with lengths in [n − 10, n + 10] at every multiple n of 10.
std::vector<LengthPoint> Smoothed(const std::vector<SplitMetrics::Row>& by_length);

// The contents of eval/SPLIT.json: scalars and tables.
Json MetricsToJson(const SplitMetrics& metrics);
// The scalars alone, for result.json.
Json MetricsSummary(const SplitMetrics& metrics);
// Reads either. Throws InputError for values that no split can have.
SplitMetrics MetricsFromJson(const JsonValue& json);

// The smoothed curves of eval/SPLIT.json.
std::vector<LengthPoint> LengthPointsFromJson(const JsonValue& json);

}  // namespace flare

#endif  // FLARE_RUNS_METRICS_H_
