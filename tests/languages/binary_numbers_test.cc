#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "flare/languages/binary_arithmetic.h"
#include "support/chi_square.h"
#include "support/naive_languages.h"

namespace flare {
namespace {

constexpr BinaryDigits kDigits{SymbolAt(0), SymbolAt(1)};

TEST(BinaryNumbers, ParseWhatTheyAppend) {
  Rng rng = Rng::For(0, "binary-numbers");
  for (std::size_t bits = 0; bits < 300; bits += 7) {
    const mpz_class x = UniformUpTo(LargestOfLength(bits), rng);
    const std::size_t length = BinaryLength(x);
    ASSERT_TRUE(x == 0 ? length == 1 : LargestOfLength(length - 1) < x);
    ASSERT_LE(x, LargestOfLength(length));
    for (const std::size_t padding : {0u, 1u, 100u}) {
      String w;
      AppendBinary(kDigits, x, length + padding, w);
      ASSERT_EQ(w.size(), length + padding);
      ASSERT_EQ(ParseBinary(kDigits, w), x);
    }
  }
  // Least significant first: 011 is 6.
  EXPECT_EQ(ParseBinary(kDigits, String{SymbolAt(0), SymbolAt(1), SymbolAt(1)}), 6);
}

TEST(BinaryNumbers, UniformUpToIsUniform) {
  Rng rng = Rng::For(0, "uniform-up-to");
  std::vector<std::size_t> counts(11, 0);
  for (int i = 0; i < 110000; ++i) ++counts[UniformUpTo(10, rng).get_ui()];
  EXPECT_GT(ChiSquarePValue(counts, std::vector<double>(11, 10000)), kAlpha);
  EXPECT_EQ(UniformUpTo(0, rng), 0);
  // Beyond one word: the top quarter of the range is drawn a quarter of the time.
  const mpz_class most = (mpz_class(1) << 130) - 1;
  std::vector<std::size_t> quarters(4, 0);
  for (int i = 0; i < 40000; ++i) {
    ++quarters[mpz_class(UniformUpTo(most, rng) >> 128).get_ui()];
  }
  EXPECT_GT(ChiSquarePValue(quarters, std::vector<double>(4, 10000)), kAlpha);
}

TEST(DirichletSplit, FollowsTheRoundedDirichletLaw) {
  constexpr std::size_t kDraws = 40000;
  for (const std::vector<std::size_t>& alpha :
       {std::vector<std::size_t>{1, 1, 1}, {1, 1, 2}, {2, 1}}) {
    for (const std::size_t total : {1u, 2u, 7u, 12u}) {
      const auto law = naive::OperandLengthLaw(std::vector<int>(alpha.begin(), alpha.end()),
                                               static_cast<int>(total));
      std::map<std::vector<int>, std::size_t> counts;
      for (const auto& [split, p] : law) counts[split] = 0;
      for (std::size_t i = 0; i < kDraws; ++i) {
        Rng rng = Rng::For(total, "dirichlet", i);
        const auto sizes = DirichletSplit(alpha, total, rng);
        ASSERT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), total);
        ++counts.at(std::vector<int>(sizes.begin(), sizes.end()));
      }
      std::vector<std::size_t> observed;
      std::vector<double> expected;
      for (const auto& [split, p] : law) {
        observed.push_back(counts[split]);
        expected.push_back(p * kDraws);
      }
      EXPECT_GT(ChiSquarePValue(observed, expected), kAlpha) << alpha.size() << " " << total;
    }
  }
  Rng rng = Rng::For(0, "nothing");
  EXPECT_EQ(DirichletSplit(std::array<std::size_t, 3>{1, 1, 1}, 0, rng),
            (std::vector<std::size_t>{0, 0, 0}));
}

}  // namespace
}  // namespace flare
