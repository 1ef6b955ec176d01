// What is measured of a recognizer on a split. All cross-entropies are in nats.

#ifndef FLARE_TRAINING_METRICS_H_
#define FLARE_TRAINING_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/data/split.h"
#include "flare/nn/heads.h"

namespace flare {

// Accept iff p ≥ ½, that is, iff the logit is ≥ 0.
inline bool Accepts(float logit) { return logit >= 0; }

// Recognition cross-entropy of one example.
double CrossEntropy(float logit, bool label);

// p(accept) of a logit.
double Probability(float logit);

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
  double accuracy = 0;
  double recognition_cross_entropy = 0;
  // Mean over positives of the string's average; nothing without that head, or without positives.
  std::optional<double> lm_cross_entropy;
  std::optional<double> next_symbol_cross_entropy;
  struct NextSymbolAccuracy {
    double positions = 0;  // share of timesteps whose whole set is right
    double strings = 0;    // share of strings of which every set is right
  };
  std::optional<NextSymbolAccuracy> next_symbol_accuracy;
  std::size_t false_positives = 0;
  std::size_t false_negatives = 0;
  std::optional<double> f1;   // nothing if there is nothing to find and nothing was found
  std::optional<double> auc;  // nothing if one of the classes is empty
  // The largest length n in the split such that every example of length ≤ n is right; −1 if none.
  std::int64_t longest_perfect_length = -1;

  struct Row {
    std::optional<std::size_t> key;  // nothing: drawn uniformly, so no number of edits
    Tally tally;
  };
  std::vector<Row> by_length;
  std::optional<std::vector<Row>> by_edit_distance;
  std::optional<std::vector<Row>> by_num_edits;
};

struct AvailableHeads {
  bool lm = false;
  bool next_symbols = false;  // needs a split with next-symbol sets as well
};

// `scores` has one entry per example, in the split's order. Requires: at least one example.
SplitMetrics Measure(const std::string& name, const Split& split,
                     std::span<const ExampleScores> scores, AvailableHeads heads);

// The contents of eval/<split>.json: scalars and tables.
Json MetricsToJson(const SplitMetrics& metrics);
// The scalars alone, for result.json.
Json MetricsSummary(const SplitMetrics& metrics);

// The contents of eval/<split>.jsonl.
std::string ExamplesToJsonl(const Split& split, std::span<const ExampleScores> scores,
                            AvailableHeads heads);

}  // namespace flare

#endif  // FLARE_TRAINING_METRICS_H_
