#include "flare/training/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "flare/base/check.h"
#include "flare/nn/logistic.h"

namespace flare {
namespace {

// Spacing and half width of the smoothed curves (paper, Appendix I).
constexpr std::size_t kCurveStep = 10;

double Ratio(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// The probability that a random positive has a higher logit than a random negative, ties counting
// half.
std::optional<double> Auc(const Split& split, std::span<const ExampleScores> scores) {
  std::vector<std::pair<float, bool>> ranked;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i].logit)) return std::nullopt;
    ranked.emplace_back(scores[i].logit, split.labels[i] != 0);
  }
  std::sort(ranked.begin(), ranked.end());
  std::size_t negatives_below = 0, positives = 0;
  double wins = 0;
  for (std::size_t begin = 0; begin < ranked.size();) {
    std::size_t tied_positives = 0, tied_negatives = 0, end = begin;
    for (; end < ranked.size() && !(ranked[begin].first < ranked[end].first); ++end) {
      ++(ranked[end].second ? tied_positives : tied_negatives);
    }
    wins += static_cast<double>(tied_positives) *
            (static_cast<double>(negatives_below) + 0.5 * static_cast<double>(tied_negatives));
    negatives_below += tied_negatives;
    positives += tied_positives;
    begin = end;
  }
  if (positives == 0 || negatives_below == 0) return std::nullopt;
  return wins / (static_cast<double>(positives) * static_cast<double>(negatives_below));
}

template <class Key>
std::vector<SplitMetrics::Row> Rows(const std::map<Key, Tally>& tallies) {
  std::vector<SplitMetrics::Row> rows;
  for (const auto& [key, tally] : tallies) rows.push_back({key, tally});
  return rows;
}

std::int64_t LongestPerfectLength(const std::vector<SplitMetrics::Row>& by_length) {
  std::int64_t longest = -1;
  for (const auto& [length, tally] : by_length) {
    if (tally.correct != tally.examples) break;
    longest = static_cast<std::int64_t>(*length);
  }
  return longest;
}

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json RowsToJson(const char* name, const std::vector<SplitMetrics::Row>& rows) {
  Json json = Json::array();
  for (const auto& [key, tally] : rows) {
    json.push_back({{name, OrNull(key)},
                    {"examples", tally.examples},
                    {"correct", tally.correct},
                    {"ce_sum", tally.ce_sum},
                    {"ce_squared_sum", tally.ce_squared_sum}});
  }
  return json;
}

// JSON has no infinities and no NaN.
template <class Float>
std::string Number(Float value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

// At every multiple of 10: all strings with lengths in [n − 10, n + 10].
Json Smoothed(const std::vector<SplitMetrics::Row>& by_length) {
  Json json = Json::array();
  auto first = by_length.begin();
  for (std::size_t n = 0; n <= *by_length.back().key; n += kCurveStep) {
    while (*first->key + kCurveStep < n) ++first;
    Tally window;
    for (auto row = first; row != by_length.end() && *row->key <= n + kCurveStep; ++row) {
      window.Add(row->tally);
    }
    if (window.examples == 0) continue;
    const auto count = static_cast<double>(window.examples);
    const double mean = window.ce_sum / count;
    json.push_back({{"length", n},
                    {"examples", window.examples},
                    {"accuracy", Ratio(window.correct, window.examples)},
                    {"cross_entropy", mean},
                    {"cross_entropy_std",
                     std::sqrt(std::max(0.0, window.ce_squared_sum / count - mean * mean))}});
  }
  return json;
}

}  // namespace

double CrossEntropy(float logit, bool label) { return LogisticLoss(label ? logit : -logit); }

double Probability(float logit) {
  const double z = logit;
  return z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
}

void Tally::Add(bool is_correct, double cross_entropy) {
  ++examples;
  correct += is_correct ? 1 : 0;
  ce_sum += cross_entropy;
  ce_squared_sum += cross_entropy * cross_entropy;
}

void Tally::Add(const Tally& other) {
  examples += other.examples;
  correct += other.correct;
  ce_sum += other.ce_sum;
  ce_squared_sum += other.ce_squared_sum;
}

SplitMetrics Measure(const std::string& name, const Split& split,
                     std::span<const ExampleScores> scores, AvailableHeads heads) {
  FLARE_CHECK(scores.size() == split.size() && split.size() > 0);
  SplitMetrics metrics;
  metrics.split = name;
  metrics.examples = split.size();
  Tally all;
  std::map<std::size_t, Tally> by_length, by_edit_distance;
  // Nothing sorts before every number.
  std::map<std::optional<std::size_t>, Tally> by_num_edits;
  double lm_sum = 0, next_symbol_sum = 0;
  std::size_t sets = 0, sets_right = 0, strings_right = 0, true_positives = 0, negative = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    const bool label = split.labels[i] != 0;
    const bool accepted = Accepts(scores[i].logit);
    const double cross_entropy = CrossEntropy(scores[i].logit, label);
    const bool correct = accepted == label;
    const std::size_t length = split.string(i).size();
    all.Add(correct, cross_entropy);
    by_length[length].Add(correct, cross_entropy);
    if (label) {
      ++metrics.positives;
      ++(accepted ? true_positives : metrics.false_negatives);
      lm_sum += scores[i].lm_cross_entropy;
      next_symbol_sum += scores[i].next_symbol_cross_entropy;
      sets += length + 1;
      sets_right += scores[i].next_symbol_sets_right;
      strings_right += scores[i].next_symbol_sets_right == length + 1 ? 1 : 0;
    } else {
      metrics.false_positives += accepted ? 1 : 0;
      if (split.has_edit_distances) {
        by_edit_distance[split.edit_distances[negative]].Add(correct, cross_entropy);
      }
      if (split.has_num_edits) by_num_edits[split.num_edits[negative]].Add(correct, cross_entropy);
      ++negative;
    }
  }
  metrics.accuracy = Ratio(all.correct, all.examples);
  metrics.recognition_cross_entropy = all.ce_sum / static_cast<double>(all.examples);
  if (metrics.positives > 0) {
    const auto positives = static_cast<double>(metrics.positives);
    if (heads.lm) metrics.lm_cross_entropy = lm_sum / positives;
    if (heads.next_symbols && split.has_next_symbols) {
      metrics.next_symbol_cross_entropy = next_symbol_sum / positives;
      metrics.next_symbol_accuracy = {Ratio(sets_right, sets),
                                      Ratio(strings_right, metrics.positives)};
    }
  }
  const std::size_t f1_denominator =
      2 * true_positives + metrics.false_positives + metrics.false_negatives;
  if (f1_denominator > 0) metrics.f1 = Ratio(2 * true_positives, f1_denominator);
  metrics.auc = Auc(split, scores);
  metrics.by_length = Rows(by_length);
  metrics.longest_perfect_length = LongestPerfectLength(metrics.by_length);
  if (split.has_edit_distances) metrics.by_edit_distance = Rows(by_edit_distance);
  if (split.has_num_edits) metrics.by_num_edits = Rows(by_num_edits);
  return metrics;
}

Json MetricsSummary(const SplitMetrics& m) {
  Json json = {{"examples", m.examples},
               {"positives", m.positives},
               {"accuracy", m.accuracy},
               {"recognition_cross_entropy", m.recognition_cross_entropy},
               {"lm_cross_entropy", OrNull(m.lm_cross_entropy)},
               {"next_symbol_cross_entropy", OrNull(m.next_symbol_cross_entropy)},
               {"next_symbol_accuracy", nullptr},
               {"false_positives", m.false_positives},
               {"false_negatives", m.false_negatives},
               {"f1", OrNull(m.f1)},
               {"auc", OrNull(m.auc)},
               {"longest_perfect_length", m.longest_perfect_length}};
  if (m.next_symbol_accuracy) {
    json["next_symbol_accuracy"] = {{"positions", m.next_symbol_accuracy->positions},
                                    {"strings", m.next_symbol_accuracy->strings}};
  }
  return json;
}

Json MetricsToJson(const SplitMetrics& m) {
  Json json = {{"split", m.split}};
  json.update(MetricsSummary(m));
  json["by_length"] = RowsToJson("length", m.by_length);
  json["smoothed"] = Smoothed(m.by_length);
  json["by_edit_distance"] = nullptr;
  json["by_num_edits"] = nullptr;
  if (m.by_edit_distance) {
    json["by_edit_distance"] = RowsToJson("edit_distance", *m.by_edit_distance);
  }
  if (m.by_num_edits) json["by_num_edits"] = RowsToJson("num_edits", *m.by_num_edits);
  return json;
}

std::string ExamplesToJsonl(const Split& split, std::span<const ExampleScores> scores,
                            AvailableHeads heads) {
  std::string text;
  auto out = std::back_inserter(text);
  std::size_t negative = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    const bool label = split.labels[i] != 0;
    const ExampleScores& s = scores[i];
    fmt::format_to(out, R"({{"logit":{},"label":{},"length":{},"cross_entropy":{})",
                   Number(s.logit), label ? 1 : 0, split.string(i).size(),
                   Number(CrossEntropy(s.logit, label)));
    if (label) {
      if (heads.lm) fmt::format_to(out, R"(,"lm_cross_entropy":{})", Number(s.lm_cross_entropy));
      if (heads.next_symbols && split.has_next_symbols) {
        fmt::format_to(out, R"(,"next_symbol_cross_entropy":{},"next_symbol_positions_correct":{})",
                       Number(s.next_symbol_cross_entropy), s.next_symbol_sets_right);
      }
    } else {
      if (split.has_edit_distances) {
        fmt::format_to(out, R"(,"edit_distance":{})", split.edit_distances[negative]);
      }
      if (split.has_num_edits) {
        const auto edits = split.num_edits[negative];
        fmt::format_to(out, R"(,"num_edits":{})", edits ? std::to_string(*edits) : "null");
      }
      ++negative;
    }
    text += "}\n";
  }
  return text;
}

}  // namespace flare
