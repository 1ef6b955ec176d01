#include "flare/base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "support/chi_square.h"

namespace flare {
namespace {

// Philox4x32-10 written out from its definition (Salmon et al. 2011).
using Block = std::array<std::uint32_t, 4>;
Block Philox(Block c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

TEST(Philox, MatchesPublishedKnownAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The definition in rng.h: the key from (seed, hash of the stream), the counter from (block,
// index).
TEST(Rng, IsPhiloxOfSeedStreamIndexAndBlock) {
  const std::uint64_t seed = 0x0123456789abcdef, index = 0xfedcba9876543210;
  const std::uint64_t hash_of_a = 0xaf63dc4c8601ec8c;  // FNV-1a of "a", from its authors' tables
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const Block key = Philox({low(seed), high(seed), low(hash_of_a), high(hash_of_a)}, {0, 0});
  Rng rng = Rng::For(seed, "a", index);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const Block words = Philox({block, 0, low(index), high(index)}, {key[0], key[1]});
    EXPECT_EQ(rng.Bits(), words[0] | std::uint64_t{words[1]} << 32);
    EXPECT_EQ(rng.Bits(), words[2] | std::uint64_t{words[3]} << 32);
  }
}

// Datasets are promised to stay the same bytes: these numbers must never change.
TEST(Rng, DrawsTheNumbersItAlwaysDrew) {
  Rng rng = Rng::For(0, "parity/train", 0);
  EXPECT_EQ(rng.Bits(), 15731296957958894326u);
  EXPECT_EQ(rng.UniformInt(std::uint64_t{1000}), 792u);
  EXPECT_EQ(rng.Uniform(), 0x1.77681fc3f22e6p-1);
}

TEST(Rng, StreamsSeedsAndIndicesDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed : {0u, 1u, 2u}) {
    for (const char* stream : {"parity/train", "parity/test", "first/train"}) {
      for (std::uint64_t index : {0u, 1u, 2u}) first.insert(Rng::For(seed, stream, index).Bits());
    }
  }
  EXPECT_EQ(first.size(), 27u);
}

TEST(Rng, UniformIntIsUniformAlsoForAwkwardRanges) {
  for (const std::uint64_t n : {2u, 3u, 7u, 100u}) {
    Rng rng = Rng::For(1, "uniform-int", n);
    std::vector<std::size_t> counts(n, 0);
    constexpr std::size_t kDraws = 100000;
    for (std::size_t i = 0; i < kDraws; ++i) ++counts[rng.UniformInt(n)];
    const std::vector<double> expected(n, static_cast<double>(kDraws) / static_cast<double>(n));
    EXPECT_GT(ChiSquarePValue(counts, expected), kAlpha) << n;
  }
  // 3/4 of 2^64: taking a remainder would make the first third twice as likely.
  Rng rng = Rng::For(1, "large-range");
  const std::uint64_t n = std::uint64_t{3} << 62;
  std::vector<std::size_t> thirds(3, 0);
  for (int i = 0; i < 30000; ++i) ++thirds[rng.UniformInt(n) / (std::uint64_t{1} << 62)];
  EXPECT_GT(ChiSquarePValue(thirds, {10000, 10000, 10000}), kAlpha);
}

TEST(Rng, UniformStaysBelowOne) {
  Rng rng = Rng::For(3, "unit");
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double u = rng.Uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);  // 5.5 standard errors
}

TEST(Rng, BitsAreFair) {
  Rng rng = Rng::For(4, "coins");
  std::vector<std::size_t> counts(2, 0);
  for (int i = 0; i < 100000; ++i) ++counts[rng.Bit() ? 1 : 0];
  EXPECT_GT(ChiSquarePValue(counts, {50000, 50000}), kAlpha);
}

TEST(Rng, ShuffleMakesAllPermutationsEquallyLikely) {
  Rng rng = Rng::For(5, "shuffle");
  std::vector<std::size_t> counts(6, 0);
  for (int i = 0; i < 60000; ++i) {
    std::vector<std::size_t> p{0, 1, 2};
    rng.Shuffle(p);
    ++counts[p[0] * 2 + (p[1] > p[2] ? 1 : 0)];
  }
  EXPECT_GT(ChiSquarePValue(counts, std::vector<double>(6, 10000)), kAlpha);
}

TEST(ChiSquare, TailMatchesTables) {
  EXPECT_NEAR(ChiSquareTail(3.841, 1), 0.05, 1e-4);
  EXPECT_NEAR(ChiSquareTail(18.307, 10), 0.05, 1e-4);
  EXPECT_NEAR(ChiSquareTail(149.449, 100), 0.001, 1e-5);
}

}  // namespace
}  // namespace flare
