// Masks of different places are independent: between sites, strings, positions, units and steps.

#include "flare/nn/dropout.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "support/chi_square.h"

namespace flare {
namespace {

constexpr std::size_t kColumns = 80, kRows = 4000;

// The keep-bits of kRows rows, one per string and position.
std::vector<std::uint8_t> Mask(std::uint64_t step, std::uint32_t site, std::uint32_t first_string,
                               std::uint32_t first_position) {
  const Dropout dropout = MakeDropout(0.1, 7, step);
  std::vector<std::uint32_t> position(kRows), string(kRows);
  for (std::uint32_t r = 0; r < kRows; ++r) {
    position[r] = first_position + r % 40;
    string[r] = first_string + r / 40;
  }
  std::vector<std::uint8_t> bits(kRows * kColumns / 8);
  DropoutBits(kRows, kColumns, position.data(), string.data(), site, dropout.key, dropout.threshold,
              bits.data());
  return bits;
}

// p-value of the table (dropped here, dropped there) against independence at the rate of dropout.
double Independence(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  std::vector<std::size_t> observed(4);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto count = [](unsigned byte) {
      return static_cast<std::size_t>(std::popcount(byte & 0xFFu));
    };
    observed[0] += count(a[i] & b[i]);
    observed[1] += count(a[i] & ~b[i]);
    observed[2] += count(~a[i] & b[i]);
    observed[3] += count(~a[i] & ~b[i]);
  }
  const double rate = 6554.0 / 65536, all = static_cast<double>(8 * a.size());
  return ChiSquarePValue(observed, {all * (1 - rate) * (1 - rate), all * rate * (1 - rate),
                                    all * rate * (1 - rate), all * rate * rate});
}

TEST(Dropout, MasksOfDifferentPlacesAreIndependent) {
  const auto here = Mask(0, 0, 0, 0);
  // 320,000 pairs each: a share of 1 % of shared draws would be seen. Of 60 tables none should come
  // up with a probability of one in a million.
  for (std::uint32_t far = 1; far <= 10; ++far) {
    EXPECT_GT(Independence(here, Mask(far, 0, 0, 0)), 1e-6) << "step " << far;
    EXPECT_GT(Independence(here, Mask(0, far, 0, 0)), 1e-6) << "site " << far;
    EXPECT_GT(Independence(here, Mask(0, 0, 100 * far, 0)), 1e-6) << "string " << 100 * far;
    EXPECT_GT(Independence(here, Mask(0, 0, 0, 40 * far)), 1e-6) << "position " << 40 * far;
    // Crossed: the site of the one is the position of the other.
    EXPECT_GT(Independence(Mask(0, far, 0, 0), Mask(0, 0, 0, 40 + far)), 1e-6) << far;
    // Units: the mask against itself, some bytes on.
    std::vector<std::uint8_t> shifted(here.begin() + far, here.end());
    shifted.insert(shifted.end(), here.begin(), here.begin() + far);
    EXPECT_GT(Independence(here, shifted), 1e-6) << "byte " << far;
  }
}

}  // namespace
}  // namespace flare
