// What evaluation asks of a model, against what training and shorter strings say.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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
  void SetZero(const std::string& parameter) {
    const auto& specs = model_.parameters().specs();
    for (std::size_t p = 0; p < specs.size(); ++p) {
      if (specs[p].name != parameter) continue;
      model_.parameters().Set(p, std::vector<float>(specs[p].num_elements(), 0));
    }
    model_.ParametersChanged();
  }
  Model model_{{GetParam(), kVocabulary, 2, 16, {"lm", "ns"}}};
};

// Without dropout, a training step computes the same cross-entropies.
TEST_P(Scores, AreTheLossesOfTraining) {
  const Batch batch = RandomBatch(40);
  const Losses& losses = model_.Gradients(batch, std::vector<double>{1, 1}, {});
  ModelScores scores;
  model_.Score(batch, scores);
  ASSERT_EQ(scores.terms.size(), 2u);
  for (std::size_t term = 0; term < 2; ++term) {
    double mean = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const TermScore& score = scores.terms[term][i];
      mean += score.cross_entropy / 40;
      const bool positive = batch.labels[i] != 0;
      EXPECT_EQ(score.applies, positive);
      EXPECT_EQ(score.positions, positive ? batch.length(i) + 1 : 0);
      EXPECT_LE(score.right, score.positions);
      if (!positive) EXPECT_EQ(score.cross_entropy, 0);
    }
    EXPECT_NEAR(mean, losses.terms[term], 1e-9);
  }
}

TEST_P(Scores, TermAppliesToNoStringIfTheBatchLacksItsData) {
  Batch batch = RandomBatch(12);
  ModelScores with, without;
  model_.Score(batch, with);
  batch.next_symbols.clear();
  model_.Score(batch, without);
  EXPECT_EQ(without.logits, with.logits);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(without.terms[0][i].cross_entropy, with.terms[0][i].cross_entropy);
    EXPECT_EQ(without.terms[0][i].applies, batch.labels[i] != 0);
    EXPECT_FALSE(without.terms[1][i].applies);
    EXPECT_EQ(without.terms[1][i].positions, 0u);
  }
}

// Without embeddings all symbols are equally probable, and the first is predicted.
TEST_P(Scores, CountTheSymbolsThatArePredicted) {
  const Batch batch = RandomBatch(40);
  SetZero("embedding.weight");
  ModelScores scores;
  model_.Score(batch, scores);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.labels[i] == 0) continue;
    const auto string = batch.string(i);
    EXPECT_EQ(scores.terms[0][i].right,
              static_cast<std::size_t>(std::count(string.begin(), string.end(), 0u)));
    EXPECT_NEAR(scores.terms[0][i].cross_entropy, std::log(kVocabulary + 1), 1e-12);
  }
}

// A model that says yes to everything gets exactly the full sets right.
TEST_P(Scores, CountTheSetsThatAreWhollyRight) {
  const Batch batch = RandomBatch(40);
  SetZero("next_symbols_head.weight");
  SetZero("next_symbols_head.bias");
  ModelScores scores;
  model_.Score(batch, scores);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.labels[i] == 0) continue;
    std::size_t full = 0;
    for (std::size_t t = 0; t <= batch.length(i); ++t) {
      full += batch.next_symbols[batch.first_set[i] + t] == 0b1111 ? 1 : 0;
    }
    // A logit of 0 is a probability of ½, which predicts the symbol.
    EXPECT_EQ(scores.terms[1][i].right, full);
    EXPECT_NEAR(scores.terms[1][i].cross_entropy, std::log(2), 1e-12);
  }
}

TEST_P(Scores, PrefixIsScoredAsAStringOfItsOwn) {
  const Batch batch = RandomBatch(12);
  std::vector<float> prefixes, logits;
  ModelScores scores;
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
    EXPECT_NEAR(scores.logits[i], logits[0], 1e-6);
  }
}

TEST_P(Scores, PrefixesOfABatchAreScoredAsThoseOfEachString) {
  const Batch batch = RandomBatch(50);
  std::vector<float> all, one;
  model_.PrefixLogits(batch, all);
  ASSERT_EQ(all.size(), batch.tokens.size() + batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    model_.PrefixLogits(batch, i, one);
    for (std::size_t t = 0; t < one.size(); ++t) {
      EXPECT_NEAR(all[batch.first_state(i) + t], one[t], 1e-6) << i << " " << t;
    }
  }
}

TEST_P(Scores, AreTheHeadsOfHiddenVectors) {
  const Batch batch = RandomBatch(5);
  const std::size_t d = model_.config().hidden;
  const auto value = [&](const std::string& name) {
    const Parameters& parameters = model_.parameters();
    for (std::size_t p = 0; p < parameters.specs().size(); ++p) {
      if (parameters.specs()[p].name == name) return parameters.value(p);
    }
    throw std::logic_error(name);
  };
  std::vector<float> vectors, logits;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    model_.HiddenVectors(batch, i, vectors);
    model_.PrefixLogits(batch, i, logits);
    ASSERT_EQ(vectors.size(), (batch.length(i) + 1) * d);
    for (std::size_t t = 0; t < logits.size(); ++t) {
      double logit = *value("recognition_head.bias");
      for (std::size_t j = 0; j < d; ++j) {
        logit += static_cast<double>(value("recognition_head.weight")[j]) *
                 static_cast<double>(vectors[t * d + j]);
      }
      EXPECT_NEAR(logit, logits[t], 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Scores, testing::Values("rnn", "lstm", "gru", "transformer"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace flare
