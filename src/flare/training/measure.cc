#include "flare/training/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/nn/logistic.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/run_settings.h"
#include "flare/training/batching.h"
#include "flare/training/make_settings.h"

namespace flare {
namespace {

// Large enough to fill the model's groups, small enough to answer a request to stop soon.
constexpr BatchLimits kLimits{16'384, 1};

}  // namespace

ModelScores ScoreSplit(Model& model, const Split& split, const StateTracker* tracker,
                       const StopRequest& stop) {
  Batcher batcher(split, kLimits, tracker);
  batcher.PlanInOrder();
  ModelScores all, scores;
  if (model.config().recognizes) all.logits.resize(split.size());
  all.terms.assign(model.config().terms.size(), std::vector<TermScore>(split.size()));
  Batch batch;
  for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
    if (stop) {
      if (const std::string reason = stop(); !reason.empty()) throw Stopped{reason};
    }
    batcher.Fill(b, batch);
    model.Score(batch, scores);
    const auto examples = batcher.Examples(b);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (!all.logits.empty()) all.logits[examples[i]] = scores.logits[i];
      for (std::size_t t = 0; t < all.terms.size(); ++t) {
        all.terms[t][examples[i]] = scores.terms[t][i];
      }
    }
  }
  return all;
}

bool Validator::WantsAll(const RunSettings& settings) {
  const auto costs_nothing = [](std::string_view figure) {
    return figure == kRecognitionCrossEntropy || figure == kRecognitionAccuracy;
  };
  return !HasRecognition(settings.loss) || !costs_nothing(settings.select) ||
         (!settings.stop_at.empty() &&
          !costs_nothing(ParseCondition(settings.stop_at, "stop_at").figure));
}

Validator::Validator(const Split& split, const RunSettings& settings, const StateTracker* tracker)
    : split_(split),
      tracker_(tracker),
      coefficients_(CoefficientsOf(settings)),
      wants_all_(WantsAll(settings)),
      looks_at_negatives_(LooksAtNegatives(settings)),
      labels_(split.labels),
      logits_(split.size()) {
  if (wants_all_) return;
  Batcher batcher(split, kLimits);
  batcher.PlanInOrder();
  parts_.resize(batcher.num_batches());
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    batcher.Fill(b, parts_[b].batch);
    parts_[b].examples.assign(batcher.Examples(b).begin(), batcher.Examples(b).end());
  }
}

Figures Validator::Validate(Model& model) { return wants_all_ ? All(model) : Recognition(model); }

Figures Validator::All(Model& model) {
  const ModelScores scores = ScoreSplit(model, split_, tracker_);
  const bool recognizes = !scores.logits.empty();
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < split_.size(); ++i) {
    const bool label = split_.labels[i] != 0;
    if (!label && !looks_at_negatives_) continue;
    if (recognizes) sum += CrossEntropy(scores.logits[i], label);
    for (std::size_t t = 0; t < coefficients_.size(); ++t) {
      sum += coefficients_[t] * scores.terms[t][i].cross_entropy;
    }
    ++count;
  }
  const SplitMetrics metrics = Measure("", split_, scores, model.config().terms);
  Figures figures;
  if (recognizes) {
    figures.emplace_back(kRecognitionCrossEntropy, *metrics.recognition_cross_entropy);
    figures.emplace_back(kRecognitionAccuracy, *metrics.accuracy);
  }
  figures.emplace_back(kObjective, sum / count);
  metrics.ForEachScalar([&](std::string_view name, double value) {
    if (name == "examples" || name == "positives" || FindFigure(figures, name)) return;
    figures.emplace_back(name, value);
  });
  return figures;
}

Figures Validator::Recognition(Model& model) {
  for (const Part& part : parts_) {
    model.Logits(part.batch, part_logits_);
    for (std::size_t i = 0; i < part_logits_.size(); ++i) {
      logits_[part.examples[i]] = part_logits_[i];
    }
  }
  Tally tally;
  for (std::size_t i = 0; i < logits_.size(); ++i) {
    const bool label = labels_[i] != 0;
    tally.Add(Accepts(logits_[i]) == label, CrossEntropy(logits_[i], label));
  }
  const auto count = static_cast<double>(tally.examples);
  return {{std::string(kRecognitionCrossEntropy), tally.ce_sum / count},
          {std::string(kRecognitionAccuracy), static_cast<double>(tally.correct) / count}};
}

std::vector<std::size_t> HardestExamples(const Split& split, const std::vector<float>& logits,
                                         std::size_t count) {
  FLARE_CHECK(logits.size() == split.size());
  std::vector<std::size_t> order(split.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> losses;
  for (std::size_t i = 0; i < split.size(); ++i) {
    const double loss = CrossEntropy(logits[i], split.labels[i] != 0);
    losses.push_back(std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss);
  }
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return losses[a] != losses[b] ? losses[a] > losses[b] : a < b;
                    });
  order.resize(count);
  return order;
}

std::vector<HardExample> Hardest(Model& model, const Split& split, const Alphabet& alphabet,
                                 const std::vector<float>& logits, std::size_t count) {
  std::vector<HardExample> hardest;
  Batch batch;
  batch.vocabulary = alphabet.size();
  std::vector<float> prefix_logits;
  std::vector<std::uint32_t> tokens;
  for (const std::size_t i : HardestExamples(split, logits, count)) {
    tokens.clear();
    for (const Symbol a : split.string(i)) tokens.push_back(static_cast<std::uint32_t>(a));
    batch.tokens.clear();
    batch.offsets.assign(1, 0);
    batch.labels.clear();
    batch.Add(tokens, split.labels[i] != 0);
    model.PrefixLogits(batch, 0, prefix_logits);
    HardExample example{.index = i,
                        .string = alphabet.Format(split.string(i)),
                        .label = split.labels[i] != 0,
                        .logit = logits[i],
                        .prefix_probabilities = {}};
    // Three decimals suffice, since the value is only drawn.
    for (const float logit : prefix_logits) {
      example.prefix_probabilities.push_back(std::round(Probability(logit) * 1000) / 1000);
    }
    hardest.push_back(std::move(example));
  }
  return hardest;
}

Evaluation EvaluateSplit(Model& model, const std::string& name, const Split& split,
                         const Alphabet& alphabet, std::size_t hardest, const StateTracker* tracker,
                         const StopRequest& stop, const Matcher* format) {
  const ModelScores scores = ScoreSplit(model, split, tracker, stop);
  const auto& terms = model.config().terms;
  return {Measure(name, split, scores, terms, format), ExamplesToJsonl(split, scores, terms),
          model.config().recognizes ? Hardest(model, split, alphabet, scores.logits, hardest)
                                    : std::vector<HardExample>{}};
}

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

// Summarizes an auxiliary term over the examples of the split that the term is for.
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
  // The empty key sorts before every number.
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

void ResultWriter::WriteEvaluation(const std::string& name, const std::string& text) {
  const std::filesystem::path file = run_.directory().evaluation() / name;
  run_.Write(file, text);
  result_.files[file.lexically_relative(run_.directory().path())] = Sha256(text);
}

void ResultWriter::Add(const std::string& split, const std::optional<Evaluation>& evaluation,
                       double seconds) {
  result_.splits.emplace_back(split, std::nullopt);
  if (!evaluation) return;
  const SplitMetrics& metrics = evaluation->metrics;
  result_.splits.back().second = metrics;
  WriteEvaluation(split + ".json", MetricsToJson(metrics).dump() + "\n");
  if (KeepsExamples(split)) WriteEvaluation(split + ".jsonl", evaluation->examples);
  if (NumHardest(split) > 0 && metrics.accuracy) {
    WriteEvaluation(std::string(kHardest) + ".json",
                    HardestToJson(split, evaluation->hardest).dump() + "\n");
  }
  Figures figures;
  if (metrics.accuracy) {
    figures = {{std::string(kRecognitionAccuracy), *metrics.accuracy},
               {std::string(kRecognitionCrossEntropy),
                metrics.recognition_cross_entropy.value_or(kNotANumber)}};
  } else {
    metrics.ForEachScalar([&](std::string_view name, double value) {
      if (name != "examples" && name != "positives") figures.emplace_back(name, value);
    });
  }
  events_.Append(
      EvaluationEvent{.split = split, .figures = std::move(figures), .seconds = seconds});
}

void ResultWriter::EndEvents() {
  events_.Append(
      FinishEvent{.outcome = result_.outcome(),
                  .stop_reason = result_.stop_reason,
                  .epochs = result_.epochs,
                  .best_epoch = result_.best ? std::optional(result_.best->epoch) : std::nullopt});
  events_.Sync();
}

void ResultWriter::Write() {
  const RunDirectory& directory = run_.directory();
  for (const std::filesystem::path& file : {directory.config(), directory.events()}) {
    result_.files[file.filename()] = Sha256(ReadRegularFile(file));
  }
  if (!result_.model_sha256.empty()) {
    result_.files[directory.model().filename()] = result_.model_sha256;
  }
  run_.Write(directory.result(), CheckedText(ResultToJson(result_)));
}

}  // namespace flare
