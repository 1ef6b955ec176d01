// The selective scan in both directions against its equations in double precision, with gradients
// by central differences: strings within a chunk of the backward pass, as long as one, and longer.

#include "flare/nn/kernels/mamba_kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/aligned.h"
#include "flare/nn/target.h"
#include "support/reference/model.h"

namespace flare {
namespace {

using Doubles = std::vector<double>;

// What the scan reads, in double precision.
struct Scan {
  Scan(std::size_t n, std::size_t states, bool is_signed)
      : shape{n, 0, 16, states, is_signed},
        u(Draw(n * shape.channels, -1, 1, "u")),
        delta(Draw(n * shape.channels, 0.01, 1.5, "delta")),
        bc(n * shape.row_of_bc(), 0),
        rate(Draw(states * shape.channels, 0.1, 4, "rate")),
        skip(Draw(shape.channels, -1, 1, "skip")) {
    const Doubles b = Draw(n * states, -1, 1, "B"), c = Draw(n * states, -1, 1, "C");
    for (std::size_t i = 0; i < n * states; ++i) {
      const std::size_t at = i / states * shape.row_of_bc() + i % states;
      bc[at] = b[i];
      bc[at + shape.row_of_bc() / 2] = c[i];
    }
  }

  static Doubles Draw(std::size_t size, double least, double most, const char* stream) {
    Rng rng = Rng::For(1, stream);
    Doubles values(size);
    for (double& value : values) {
      value = static_cast<double>(static_cast<float>(least + (most - least) * rng.Uniform()));
    }
    return values;
  }

  Doubles Outputs() const {
    const std::size_t E = shape.channels, N = shape.states;
    Doubles h(E * N, 0), y;
    for (std::size_t t = 0; t < shape.n; ++t) {
      const double* B = bc.data() + t * shape.row_of_bc();
      const double* C = B + shape.row_of_bc() / 2;
      for (std::size_t c = 0; c < E; ++c) {
        double sum = skip[c] * u[t * E + c];
        for (std::size_t s = 0; s < N; ++s) {
          const double e = std::exp(-delta[t * E + c] * rate[s * E + c]);
          double& state = h[c * N + s];
          state =
              (shape.is_signed ? 2 * e - 1 : e) * state + delta[t * E + c] * u[t * E + c] * B[s];
          sum += state * C[s];
        }
        if (t >= shape.first) y.push_back(sum);
      }
    }
    return y;
  }

  ScanShape shape;
  Doubles u, delta, bc, rate, skip;
};

FloatArray Floats(const Doubles& values) { return {values.begin(), values.end()}; }

// Positions, states, decays in (−1, 1), target.
class SelectiveScan
    : public testing::TestWithParam<std::tuple<std::size_t, std::size_t, bool, Target>> {};

std::string NameOfCase(const testing::TestParamInfo<SelectiveScan::ParamType>& each) {
  const auto& [n, states, is_signed, target] = each.param;
  return fmt::format("{}Positions{}States{}{}", n, states, is_signed ? "Signed" : "",
                     target == Target::kPortable ? "Portable" : "");
}

INSTANTIATE_TEST_SUITE_P(, SelectiveScan,
                         testing::Combine(testing::Values(1, 8, 9, 19), testing::Values(1, 4, 13),
                                          testing::Bool(),
                                          testing::Values(Target::kNative, Target::kPortable)),
                         NameOfCase);

TEST_P(SelectiveScan, AgreesWithItsEquationsInBothDirections) {
  const auto [n, states, is_signed, target] = GetParam();
  const TargetScope scope(target);
  for (const std::size_t first : {std::size_t{0}, n - 1}) {
    Scan scan(n, states, is_signed);
    scan.shape.first = first;
    const ScanShape& shape = scan.shape;
    const std::size_t E = shape.channels;
    const FloatArray u = Floats(scan.u), delta = Floats(scan.delta), bc = Floats(scan.bc),
                     rate = Floats(scan.rate), skip = Floats(scan.skip);
    const ScanInput in = {.u = u.data(),
                          .delta = delta.data(),
                          .bc = bc.data(),
                          .rate = rate.data(),
                          .skip = skip.data()};
    FloatArray kept(shape.kept()), y((n - first) * E), inferred(y.size());
    ScanForward(shape, in, kept.data(), y.data());
    ScanForward(shape, in, nullptr, inferred.data());
    EXPECT_EQ(y, inferred);
    const Doubles expected = scan.Outputs();
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 2e-5) << i;

    const Doubles dy = Scan::Draw(y.size(), -1, 1, "dy");
    // Those of rate and skip are added to what is there.
    FloatArray scratch(shape.scratch()), d_u(u.size(), 9), d_delta(u.size(), 9), d_bc(bc.size(), 9),
        d_rate(rate.size(), 1), d_skip(E, 2);
    const FloatArray dy_floats = Floats(dy);
    ScanBackward(shape, in, kept.data(), dy_floats.data(), scratch.data(),
                 {.u = d_u.data(),
                  .delta = d_delta.data(),
                  .bc = d_bc.data(),
                  .rate = d_rate.data(),
                  .skip = d_skip.data()});
    const auto loss = [&] {
      const Doubles outputs = scan.Outputs();
      double sum = 0;
      for (std::size_t i = 0; i < dy.size(); ++i) sum += outputs[i] * dy[i];
      return sum;
    };
    const auto expect = [&](const FloatArray& got, Doubles& values, double before,
                            const char* what) {
      // Every third, so that the test stays quick; 3 divides neither a row nor a chunk.
      for (std::size_t i = 0; i < values.size(); i += 3) {
        const double wanted = before + reference::Derivative(loss, values[i]);
        ASSERT_NEAR(got[i], wanted, 5e-5 + 1e-4 * std::abs(wanted)) << what << "[" << i << "]";
      }
    };
    expect(d_u, scan.u, 0, "u");
    expect(d_delta, scan.delta, 0, "delta");
    expect(d_rate, scan.rate, 1, "rate");
    expect(d_skip, scan.skip, 2, "skip");
    for (std::size_t i = 0; i < bc.size(); ++i) {
      const bool is_padding = i % (shape.row_of_bc() / 2) >= states;
      const double wanted = is_padding ? 0 : reference::Derivative(loss, scan.bc[i]);
      ASSERT_NEAR(d_bc[i], wanted, 5e-5 + 1e-4 * std::abs(wanted)) << "bc[" << i << "]";
    }
  }
}

// A state that decays by 2^(−y) at its second position shows the kernel's exponential: of rates
// with which y goes from 0 to beyond the smallest normal number, where it must be 0.
TEST(ScanDecays, ArePreciseAndEndInZero) {
  constexpr std::size_t kChannels = 4096;
  const ScanShape shape = {2, 1, kChannels, 1, false};
  FloatArray u(2 * kChannels, 0), delta(2 * kChannels, 1), bc(2 * shape.row_of_bc(), 0),
      rate(kChannels), skip(kChannels, 0), y(kChannels);
  std::fill_n(u.begin(), kChannels, 1.0f);            // written at the first position only
  bc[0] = 1;                                          // B there
  bc[shape.row_of_bc() + shape.row_of_bc() / 2] = 1;  // C at the second
  for (std::size_t c = 0; c < kChannels; ++c) rate[c] = 95 * static_cast<float>(c) / kChannels;
  for (const char* name : {"native", "portable"}) {
    const TargetScope scope(ParseTarget(name));
    ScanForward(shape, {u.data(), delta.data(), bc.data(), rate.data(), skip.data()}, nullptr,
                y.data());
    EXPECT_EQ(y[0], 1.0f);
    for (std::size_t c = 0; c < kChannels; ++c) {
      const double exact = std::exp(-static_cast<double>(rate[c]));
      // The product with log2 e is rounded twice: 2^-23 of it, times ln 2.
      const double bound = exact * (2.5e-7 + 1.2e-7 * static_cast<double>(rate[c]));
      if (rate[c] < 87) EXPECT_NEAR(y[c], exact, bound) << rate[c];
      if (rate[c] > 88.1f) EXPECT_EQ(y[c], 0.0f) << rate[c];
    }
  }
}

}  // namespace
}  // namespace flare
