// What evaluation asks of a model, against what training and shorter strings say.

#include <gtest/gtest.h>

#include <cmath>

#include "flare/base/rng.h"
#include "flare/nn/model.h"

namespace flare {
namespace {

constexpr std::size_t kVocabulary = 3;

Batch RandomBatch(std::size_t size) {
  Rng rng = Rng::For(3, "scores");
  Batch batch;
  batch.vocabulary = kVocabulary;
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<std::uint32_t> w(rng.UniformInt(12));
    for (auto& a : w) a = static_cast<std::uint32_t>(rng.UniformInt(kVocabulary));
    const bool label = rng.Bit();
    batch.Add(w, label);
    batch.first_set.push_back(batch.next_symbols.size());
    for (std::size_t t = 0; label && t <= w.size(); ++t) {
      batch.next_symbols.push_back(rng.UniformInt(1u << (kVocabulary + 1)));
    }
  }
  return batch;
}

class Scores : public testing::TestWithParam<const char*> {
 protected:
  Scores() { model_.Initialize(5); }
  Model model_{{GetParam(), kVocabulary, 2, 16, true, true}};
};

// Without dropout, a training step computes the same cross-entropies.
TEST_P(Scores, AreTheLossesOfTraining) {
  const Batch batch = RandomBatch(40);
  const Losses losses = model_.Gradients(batch, {1, 1}, {});
  std::vector<ExampleScores> scores;
  model_.Score(batch, scores);
  double lm = 0, next_symbols = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    lm += scores[i].lm_cross_entropy / 40;
    next_symbols += scores[i].next_symbol_cross_entropy / 40;
    EXPECT_LE(scores[i].next_symbol_sets_right, batch.length(i) + 1);
    if (batch.labels[i] == 0) {
      EXPECT_EQ(scores[i].lm_cross_entropy, 0);
      EXPECT_EQ(scores[i].next_symbol_sets_right, 0u);
    }
  }
  EXPECT_NEAR(lm, losses.lm, 1e-9);
  EXPECT_NEAR(next_symbols, losses.next_symbols, 1e-9);
}

// A model that says yes to everything gets exactly the full sets right.
TEST_P(Scores, CountTheSetsThatAreWhollyRight) {
  Batch batch = RandomBatch(40);
  const auto& specs = model_.parameters().specs();
  for (std::size_t p = 0; p < specs.size(); ++p) {
    if (specs[p].name == "next_symbols_head.weight") {
      model_.parameters().Set(p, std::vector<float>(specs[p].num_elements(), 0));
    }
    if (specs[p].name == "next_symbols_head.bias") {
      model_.parameters().Set(p, std::vector<float>(specs[p].num_elements(), 0));
    }
  }
  model_.ParametersChanged();
  std::vector<ExampleScores> scores;
  model_.Score(batch, scores);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.labels[i] == 0) continue;
    std::size_t full = 0;
    for (std::size_t t = 0; t <= batch.length(i); ++t) {
      full += batch.next_symbols[batch.first_set[i] + t] == 0b1111 ? 1 : 0;
    }
    // A logit of 0 is a probability of ½, which predicts the symbol.
    EXPECT_EQ(scores[i].next_symbol_sets_right, full);
    EXPECT_NEAR(scores[i].next_symbol_cross_entropy, std::log(2), 1e-12);
  }
}

TEST_P(Scores, OfPrefixesAreThoseOfTheStringsThatTheyAre) {
  const Batch batch = RandomBatch(12);
  std::vector<float> prefixes, logits;
  std::vector<ExampleScores> scores;
  model_.Score(batch, scores);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    model_.PrefixLogits(batch, i, prefixes);
    ASSERT_EQ(prefixes.size(), batch.length(i) + 1);
    for (std::size_t t = 0; t < prefixes.size(); ++t) {
      Batch one;
      one.vocabulary = kVocabulary;
      one.Add(batch.string(i).first(t), false);
      model_.Logits(one, logits);
      EXPECT_NEAR(prefixes[t], logits[0], 1e-6) << i << " " << t;
    }
    EXPECT_NEAR(scores[i].logit, logits[0], 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(, Scores, testing::Values("rnn", "lstm", "gru", "transformer"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace flare
