// The positions of symbols, and what architectures with learned or randomized ones refuse.

#include "flare/nn/positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/nn/model.h"

namespace flare {
namespace {

using Kind = PositionRange::Kind;
using Positions = std::vector<std::uint32_t>;

Positions Of(const PositionRange& range, std::size_t count,
             std::optional<std::uint64_t> seed = std::nullopt, std::uint32_t string = 0) {
  Positions positions;
  AppendPositions(range, count, seed, string, positions);
  return positions;
}

TEST(Positions, AreCountedOrEvenlySpacedOutsideTraining) {
  EXPECT_EQ(Of({}, 3), (Positions{0, 1, 2}));
  EXPECT_EQ(Of({Kind::kShifted, 9}, 3), (Positions{0, 1, 2}));
  EXPECT_EQ(Of({Kind::kRandomized, 7}, 3), (Positions{1, 3, 5}));
  EXPECT_EQ(Of({Kind::kRandomized, 7}, 7), (Positions{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Positions, EvenlySpacedOnesAreTheMeansOfRandomSubsets) {
  const PositionRange range{Kind::kRandomized, 50};
  const Positions means = Of(range, 6);
  std::vector<double> sums(6, 0);
  constexpr std::size_t kDraws = 4000;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    const Positions drawn = Of(range, 6, 3, i);
    EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
    EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
    for (std::size_t t = 0; t < 6; ++t) sums[t] += drawn[t];
  }
  // Rounding down takes up to 1; the standard error of a mean is below 0.13.
  for (std::size_t t = 0; t < 6; ++t) {
    EXPECT_NEAR(sums[t] / kDraws, means[t] + 0.5, 0.5 + 0.6) << t;
  }
}

TEST(Positions, EveryFittingChoiceOccursInTraining) {
  std::map<Positions, std::size_t> subsets, shifted;
  constexpr std::size_t kDraws = 6000;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    ++subsets[Of({Kind::kRandomized, 4}, 2, 1, i)];
    ++shifted[Of({Kind::kShifted, 5}, 3, 1, i)];
  }
  ASSERT_EQ(subsets.size(), 6u);  // of 4 choose 2
  for (const auto& [positions, count] : subsets)
    EXPECT_NEAR(static_cast<double>(count), kDraws / 6.0, 150);
  ASSERT_EQ(shifted.size(), 3u);  // from 0, 1 and 2 on
  for (const auto& [positions, count] : shifted) {
    EXPECT_NEAR(static_cast<double>(count), kDraws / 3.0, 190);
    EXPECT_EQ(positions[2], positions[0] + 2);
  }
}

TEST(Positions, DependOnSeedAndStringAlone) {
  const PositionRange range{Kind::kRandomized, 1000};
  EXPECT_EQ(Of(range, 9, 5, 2), Of(range, 9, 5, 2));
  EXPECT_NE(Of(range, 9, 5, 2), Of(range, 9, 5, 3));
  EXPECT_NE(Of(range, 9, 5, 2), Of(range, 9, 6, 2));
}

std::string RefusalOf(const OptionTexts& options, std::size_t length, bool trains) {
  Model model({.architecture = "transformer",
               .vocabulary = 2,
               .layers = 1,
               .hidden = 8,
               .options = options});
  model.Initialize(0);
  Batch batch;
  batch.vocabulary = 2;
  batch.Add(std::vector<std::uint32_t>(length, 1), true);
  std::vector<float> logits;
  try {
    if (trains) {
      model.Gradients(batch, {}, MakeDropout(0, 1, 1));
    } else {
      model.Logits(batch, logits);
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Positions, StringsThatTheyDoNotReachAreRefused) {
  const OptionTexts learned = {{"positions", "learned"}, {"table", "20"}};
  const OptionTexts randomized = {{"randomized", "20"}};
  for (const OptionTexts& options : {learned, randomized}) {
    for (const bool trains : {true, false}) {
      EXPECT_EQ(RefusalOf(options, 19, trains), "");
      EXPECT_EQ(RefusalOf(options, 20, trains),
                "a string of 20 symbols: a transformer reads strings of up to 19");
    }
  }
}

// Of a prefix on its own and within a longer string, whose positions are others.
TEST(Positions, DependingOnTheLengthLeavesTheAnswerToAPrefixAlone) {
  Model model({.architecture = "transformer",
               .vocabulary = 2,
               .layers = 2,
               .hidden = 16,
               .options = {{"randomized", "64"}}});
  model.Initialize(1);
  Batch batch, prefix;
  batch.vocabulary = prefix.vocabulary = 2;
  batch.Add(std::vector<std::uint32_t>{0, 1, 1, 0, 1}, true);
  prefix.Add(std::vector<std::uint32_t>{0, 1, 1}, true);
  std::vector<float> logits, prefixes, all;
  model.Logits(prefix, logits);
  model.PrefixLogits(batch, 0, prefixes);
  model.PrefixLogits(batch, all);
  EXPECT_NEAR(prefixes[3], logits[0], 1e-6);
  EXPECT_NEAR(all[3], logits[0], 1e-6);
}

std::string Conflict(const OptionTexts& options) {
  try {
    NumParameters({.architecture = "transformer",
                   .vocabulary = 2,
                   .layers = 1,
                   .hidden = 8,
                   .options = options});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Options, OptionsWithoutAnEffectAreRefused) {
  EXPECT_EQ(Conflict({{"positions", "none"}, {"randomized", "9"}}),
            "randomized: 9 has no effect with positions = none");
  EXPECT_EQ(Conflict({{"table", "9"}}), "table: 9 has no effect with positions = sinusoidal");
  EXPECT_EQ(Conflict({{"feed_forward", "0"}, {"activation", "gelu"}}),
            "activation: gelu has no effect with feed_forward = 0");
}

}  // namespace
}  // namespace flare
