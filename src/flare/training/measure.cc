#include "flare/training/measure.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "flare/base/error.h"
#include "flare/nn/logistic.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/evaluation_files.h"

namespace flare {
namespace {

double Ratio(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// The probability that a random positive has a higher logit than a random negative, ties counting
// half.
std::optional<double> Auc(const Split& split, const std::vector<float>& logits) {
  std::vector<std::pair<float, bool>> ranked;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) return std::nullopt;
    ranked.emplace_back(logits[i], split.labels[i] != 0);
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

// What one auxiliary term says about the split, over the examples that the term is for.
SplitMetrics::Term FiguresOf(const LossTermInfo& term, const std::vector<TermScore>& scores) {
  double cross_entropy = 0;
  std::size_t strings = 0, strings_right = 0, positions = 0, right = 0;
  for (const TermScore& score : scores) {
    if (!score.applies) continue;
    ++strings;
    cross_entropy += score.cross_entropy;
    positions += score.positions;
    right += score.right;
    strings_right += score.right == score.positions ? 1 : 0;
  }
  SplitMetrics::Term figures{.key = term.key, .measures_accuracy = !term.figures.empty()};
  if (strings == 0) return figures;
  figures.cross_entropy = cross_entropy / static_cast<double>(strings);
  const auto has = [&](const char* figure) {
    return std::find(term.figures.begin(), term.figures.end(), figure) != term.figures.end();
  };
  if (has("accuracy.positions")) figures.positions = Ratio(right, positions);
  if (has("accuracy.strings")) figures.strings = Ratio(strings_right, strings);
  return figures;
}

// The scores of a term; none if the model does not have it.
const std::vector<TermScore>* ScoresOf(const LossTermInfo& term, const ModelScores& scores,
                                       const std::vector<std::string>& terms) {
  const auto found = std::find(terms.begin(), terms.end(), term.name);
  if (found == terms.end()) return nullptr;
  return &scores.terms[static_cast<std::size_t>(found - terms.begin())];
}

std::vector<SplitMetrics::TermRow> ByLength(const Split& split,
                                            const std::vector<TermScore>& scores) {
  std::map<std::size_t, SplitMetrics::TermRow> by_length;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (!scores[i].applies) continue;
    SplitMetrics::TermRow& row = by_length[split.string(i).size()];
    row.length = split.string(i).size();
    ++row.examples;
    row.correct += scores[i].right == scores[i].positions ? 1 : 0;
    row.positions += scores[i].positions;
    row.positions_correct += scores[i].right;
  }
  std::vector<SplitMetrics::TermRow> rows;
  for (const auto& [length, row] : by_length) rows.push_back(row);
  return rows;
}

void AddTerms(const Split& split, const ModelScores& scores, const std::vector<std::string>& terms,
              SplitMetrics& metrics) {
  for (const LossTermInfo& term : LossTermCatalog()) {
    const auto* of_term = ScoresOf(term, scores, terms);
    // Files of version 0.1 had figures of terms that a recognizer does not have, as null.
    if (of_term == nullptr && (!term.in_all_files || scores.logits.empty())) continue;
    metrics.terms.push_back(
        FiguresOf(term, of_term != nullptr ? *of_term : std::vector<TermScore>{}));
    if (term.by_length && of_term != nullptr) {
      metrics.terms_by_length.emplace_back(term.key, ByLength(split, *of_term));
    }
  }
}

SplitMetrics::WrongAnswers WrongAnswersOf(const Split& split, const std::vector<float>& logits,
                                          const Matcher& format) {
  SplitMetrics::WrongAnswers wrong;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (Accepts(logits[i]) == (split.labels[i] != 0)) continue;
    ++(format.Accepts(split.string(i)) ? wrong.format_right : wrong.format_wrong);
  }
  return wrong;
}

}  // namespace

double CrossEntropy(float logit, bool label) { return LogisticLoss(label ? logit : -logit); }

double Probability(float logit) {
  const double z = logit;
  return z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
}

SplitMetrics Measure(const std::string& name, const Split& split, const ModelScores& scores,
                     const std::vector<std::string>& terms, const Matcher* format) {
  FLARE_CHECK(split.size() > 0);
  SplitMetrics metrics;
  metrics.split = name;
  metrics.examples = split.size();
  if (scores.logits.empty()) {
    metrics.positives = split.size() - static_cast<std::size_t>(
                                           std::count(split.labels.begin(), split.labels.end(), 0));
    AddTerms(split, scores, terms, metrics);
    return metrics;
  }
  FLARE_CHECK(scores.logits.size() == split.size());
  Tally all;
  std::map<std::size_t, Tally> by_length, by_edit_distance;
  // Nothing sorts before every number.
  std::map<std::optional<std::size_t>, Tally> by_num_edits;
  std::size_t true_positives = 0, negative = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    const bool label = split.labels[i] != 0;
    const bool accepted = Accepts(scores.logits[i]);
    const double cross_entropy = CrossEntropy(scores.logits[i], label);
    const bool correct = accepted == label;
    all.Add(correct, cross_entropy);
    by_length[split.string(i).size()].Add(correct, cross_entropy);
    if (label) {
      ++metrics.positives;
      ++(accepted ? true_positives : metrics.false_negatives);
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
  AddTerms(split, scores, terms, metrics);
  if (format != nullptr) metrics.wrong_answers = WrongAnswersOf(split, scores.logits, *format);
  const std::size_t f1_denominator =
      2 * true_positives + metrics.false_positives + metrics.false_negatives;
  if (f1_denominator > 0) metrics.f1 = Ratio(2 * true_positives, f1_denominator);
  metrics.auc = Auc(split, scores.logits);
  metrics.by_length = Rows(by_length);
  metrics.longest_perfect_length = LongestPerfectLength(metrics.by_length);
  if (split.has_edit_distances) metrics.by_edit_distance = Rows(by_edit_distance);
  if (split.has_num_edits) metrics.by_num_edits = Rows(by_num_edits);
  return metrics;
}

std::string ExamplesToJsonl(const Split& split, const ModelScores& scores,
                            const std::vector<std::string>& terms) {
  std::string text;
  std::size_t negative = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    ExampleRow row;
    row.recognizes = !scores.logits.empty();
    row.label = split.labels[i] != 0;
    row.length = split.string(i).size();
    if (row.recognizes) {
      row.logit = scores.logits[i];
      row.cross_entropy = CrossEntropy(row.logit, row.label);
    }
    for (const LossTermInfo& term : LossTermCatalog()) {
      const auto* of_term = ScoresOf(term, scores, terms);
      if (of_term == nullptr || !(*of_term)[i].applies) continue;
      row.of_terms.emplace_back(term.key + "_cross_entropy", (*of_term)[i].cross_entropy);
      if (term.figures.empty()) continue;
      row.of_terms.emplace_back(term.key + "_positions_correct",
                                static_cast<double>((*of_term)[i].right));
    }
    if (!row.label) {
      if (split.has_edit_distances) row.edit_distance = split.edit_distances[negative];
      if (split.has_num_edits) row.num_edits = split.num_edits[negative];
      ++negative;
    }
    AppendExample(row, text);
  }
  return text;
}

}  // namespace flare
