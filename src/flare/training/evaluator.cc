#include "flare/training/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "flare/training/batching.h"

namespace flare {
namespace {

// Large enough to fill the model's groups, small enough to answer a request to stop soon.
constexpr BatchLimits kLimits{16'384, 1};

}  // namespace

std::vector<ExampleScores> ScoreSplit(Model& model, const Split& split, const StopRequest& stop) {
  Batcher batcher(split, kLimits);
  batcher.PlanInOrder();
  std::vector<ExampleScores> all(split.size()), scores;
  Batch batch;
  for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
    if (stop) {
      if (const std::string reason = stop(); !reason.empty()) throw Stopped{reason};
    }
    batcher.Fill(b, batch);
    model.Score(batch, scores);
    const auto examples = batcher.Examples(b);
    for (std::size_t i = 0; i < examples.size(); ++i) all[examples[i]] = scores[i];
  }
  return all;
}

Validator::Validator(const Split& split) : labels_(split.labels), logits_(split.size()) {
  Batcher batcher(split, kLimits);
  batcher.PlanInOrder();
  parts_.resize(batcher.num_batches());
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    batcher.Fill(b, parts_[b].batch);
    parts_[b].examples.assign(batcher.Examples(b).begin(), batcher.Examples(b).end());
  }
}

Validator::Result Validator::Validate(Model& model) {
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
  return {tally.ce_sum / count, static_cast<double>(tally.correct) / count};
}

std::vector<std::size_t> HardestExamples(const Split& split, std::span<const ExampleScores> scores,
                                         std::size_t count) {
  std::vector<std::size_t> order(split.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> losses;
  for (std::size_t i = 0; i < split.size(); ++i) {
    const double loss = CrossEntropy(scores[i].logit, split.labels[i] != 0);
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

Json HardestToJson(Model& model, const std::string& name, const Split& split,
                   const Alphabet& alphabet, std::span<const ExampleScores> scores,
                   std::size_t count) {
  Json examples = Json::array();
  Batch batch;
  batch.vocabulary = alphabet.size();
  std::vector<float> logits;
  std::vector<std::uint32_t> tokens;
  for (const std::size_t i : HardestExamples(split, scores, count)) {
    tokens.clear();
    for (const Symbol a : split.string(i)) tokens.push_back(static_cast<std::uint32_t>(a));
    batch.tokens.clear();
    batch.offsets.assign(1, 0);
    batch.labels.clear();
    batch.Add(tokens, split.labels[i] != 0);
    model.PrefixLogits(batch, 0, logits);
    Json probabilities = Json::array();
    // Three decimals: it is drawn, not computed with.
    for (const float logit : logits) {
      probabilities.push_back(std::round(Probability(logit) * 1000) / 1000);
    }
    examples.push_back({{"index", i},
                        {"string", alphabet.Format(split.string(i))},
                        {"label", static_cast<int>(split.labels[i])},
                        {"logit", scores[i].logit},
                        {"prefix_probabilities", std::move(probabilities)}});
  }
  return {{"split", name}, {"examples", std::move(examples)}};
}

}  // namespace flare
