#include "flare/training/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "flare/base/error.h"
#include "flare/runs/run_settings.h"
#include "flare/training/batching.h"
#include "flare/training/make_settings.h"
#include "flare/training/measure.h"

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
    // Three decimals: it is drawn, not computed with.
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

}  // namespace flare
