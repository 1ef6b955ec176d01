// Mamba-2 (Dao, Gu 2024): a selective state-space model with one decay per head, as the mixer of
// residual layers (residual.h). With E = expand·d channels in H heads of P = E/H, and N states,
//
//   [z; x; B; C] = W_in u                  x, B, C ← SiLU(convolution(x, B, C))
//   Δ = softplus(w·u + b),  ā = exp(−Δ exp(a))                  in each head
//   S ← ā S + B (Δ x)ᵀ,  y = Sᵀ C + D x                         in each head, B and C for all
//   out = W_out norm(y ⊙ SiLU(z))
//
// with S (N, P) from zero; the norm is over all heads, o/√(mean o² + 10⁻⁵) with a gain. With
// eigenvalues = signed, 2ā − 1 in (−1, 1) stands for ā. The convolution is causal, depthwise, over
// `conv` symbols, with a bias; 0: none.
//
// Initialization: exp(a) uniform in [1, 16] and softplus(b) log-uniform in [0.001, 0.1], as the
// source has them; the rest as everywhere. With init = reference, as in the source, D = 1, and with
// fan-in n linear maps and the convolution are uniform in ±1/√n, W_out over √(blocks of all
// layers).

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "flare/nn/architectures.h"
#include "flare/nn/forget_gate.h"
#include "flare/nn/kernels/mamba_kernels.h"
#include "flare/nn/kernels/memory_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/mixer.h"
#include "flare/nn/norm.h"
#include "flare/nn/parameters.h"
#include "flare/nn/residual.h"
#include "flare/nn/short_convolution.h"

namespace flare {
namespace {

double DrawLogRateFromOne(Rng& rng) { return std::log(1 + 15 * rng.Uniform()); }

class Mamba2Mixer : public Mixer {
 public:
  explicit Mamba2Mixer(const MixerContext& c)
      : parameters_(c.parameters),
        heads_(OptionNumber(c.options, "heads")),
        E_(OptionNumber(c.options, "expand") * c.d),
        N_(OptionNumber(c.options, "state")),
        P_(E_ / heads_),
        xbc_(E_ + 2 * Padded(N_)),
        is_signed_(c.options.at("eigenvalues") == "signed"),
        in_(c.parameters, InSpec(c)),
        convolution_(c.parameters, ConvolutionSpecs(c), xbc_, E_ + xbc_),
        gate_(c, "dt_proj.weight", heads_, DrawLogRateFromOne),
        skip_(c.parameters.Add(ReferenceConstant(c.Vector("D", heads_), 1))),
        norm_(c.parameters, c.prefix + "norm", {1, E_}, false),
        out_(c.parameters, ReferenceUniform(c.Matrix("out_proj.weight", c.d, E_),
                                            1 / std::sqrt(static_cast<double>(E_ * c.blocks())))) {}

  void ParametersChanged() override {
    in_.ParametersChanged();
    gate_.ParametersChanged();
    out_.ParametersChanged();
  }
  std::vector<std::size_t> kept_widths() const override {
    const std::size_t g = gate_.width();
    return {E_ + xbc_, xbc_, xbc_, g, g, g, g, E_, E_, E_, E_, 1, E_};
  }
  std::vector<std::size_t> scratch_widths() const override {
    const std::size_t g = gate_.width();
    return {E_ + xbc_, xbc_, E_, g, g, E_, E_};
  }
  double SharedBytes(std::size_t positions) const override {
    return static_cast<double>(ShapeOf(positions, 0).backward_scratch() * sizeof(float));
  }

  void Forward(const Pass& pass, const float* u, float* out) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size();
    SpreadSkip();
    in_.Forward(rows, u, k.in);
    convolution_.Forward(pass.outputs, k.in + E_, k.slope, k.xbc);
    gate_.Forward(rows, u, k.step_slope, k.step, k.alpha);
    for (std::size_t i = 0; i < rows * gate_.width(); ++i) {
      k.decay[i] = is_signed_ ? 2 * k.alpha[i] - 1 : k.alpha[i];
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t h = 0; h < heads_; ++h) {
        const float step = k.step[r * gate_.width() + h];
        const std::size_t at = h * P_;
        for (std::size_t i = at; i < at + P_; ++i) k.v[r * E_ + i] = step * k.xbc[r * xbc_ + i];
      }
    }
    Grow(memory_, ShapeOf(1, 0).forward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      MemoryForward(ShapeOf(s.positions, s.first_query),
                    VectorsOf<const float>(k.xbc, k.v, k.decay, s.first_row), memory_.data(),
                    {k.y + s.first_output * E_, E_, P_});
      ForEachOutput(s, [&](std::size_t row, std::size_t output) {
        AddProducts(E_, skip_lanes_.data(), k.xbc + row * xbc_, k.y + output * E_);
      });
      SiluGateForward(s.positions - s.first_query, E_, k.y + s.first_output * E_,
                      k.in + (s.first_row + s.first_query) * (E_ + xbc_), E_ + xbc_,
                      k.gated + s.first_output * E_);
    }
    norm_.Forward(outputs, k.gated, k.normalized, k.factor, k.normed);
    out_.Forward(outputs, k.normed, out);
  }

  void Backward(const Pass& pass, const float* u, const float* d_out, float* du) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), g = gate_.width();
    float *d_in = pass.scratch[0], *d_xbc = pass.scratch[1], *dv = pass.scratch[2],
          *d_decay = pass.scratch[3], *d_step = pass.scratch[4], *d_normed = pass.scratch[5],
          *dy = pass.scratch[6];
    out_.Backward(outputs, k.normed, d_out, d_normed);
    norm_.Backward(outputs, k.normalized, k.factor, d_normed, dy);
    std::swap(d_normed, dy);  // from here on, d_normed is the gradient of what the norm reads
    // z has no gradient where there is no output.
    if (outputs < rows) std::fill_n(d_in, rows * (E_ + xbc_), 0.0f);
    std::fill_n(d_xbc, rows * xbc_, 0.0f);
    std::fill_n(dv, rows * E_, 0.0f);
    std::fill_n(d_decay, rows * g, 0.0f);
    std::fill_n(d_step, rows * g, 0.0f);
    std::fill(d_skip_lanes_.begin(), d_skip_lanes_.end(), 0.0f);
    Grow(memory_, ShapeOf(pass.outputs.strings[0].positions, 0).backward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t at = s.first_output * E_, row = (s.first_row + s.first_query) * (E_ + xbc_);
      SiluGateBackward(s.positions - s.first_query, E_, k.y + at, k.in + row, E_ + xbc_,
                       d_normed + at, dy + at, d_in + row);
      ForEachOutput(s, [&](std::size_t x_row, std::size_t output) {
        const float* dy_row = dy + output * E_;
        AddProducts(E_, skip_lanes_.data(), dy_row, d_xbc + x_row * xbc_);
        AddProducts(E_, k.xbc + x_row * xbc_, dy_row, d_skip_lanes_.data());
      });
      MemoryBackward(ShapeOf(s.positions, s.first_query),
                     VectorsOf<const float>(k.xbc, k.v, k.decay, s.first_row), {dy + at, E_, P_},
                     memory_.data(), VectorsOf<float>(d_xbc, dv, d_decay, s.first_row));
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t h = 0; h < heads_; ++h) {
        BackwardStep(k.step[r * g + h], k.xbc + r * xbc_ + h * P_, dv + r * E_ + h * P_,
                     d_step[r * g + h], d_xbc + r * xbc_ + h * P_);
      }
    }
    if (is_signed_) {
      for (std::size_t i = 0; i < rows * g; ++i) d_decay[i] *= 2;
    }
    float* d_skip = parameters_.gradient(skip_);
    for (std::size_t i = 0; i < E_; ++i) d_skip[i / P_] += d_skip_lanes_[i];
    convolution_.Backward(pass.outputs, k.in + E_, k.slope, d_xbc, d_in + E_);
    in_.Backward(rows, u, d_in, du);
    gate_.Backward(rows, u, k.step_slope, k.step, k.alpha, d_step, d_decay, du);
  }

 private:
  // Values that Forward computes for every row, or for the outputs.
  struct Kept {
    explicit Kept(const RowArrays::Rows& kept)
        : in(kept[0]),
          slope(kept[1]),
          xbc(kept[2]),
          step_slope(kept[3]),
          step(kept[4]),
          alpha(kept[5]),
          decay(kept[6]),
          v(kept[7]),
          y(kept[8]),
          gated(kept[9]),
          normalized(kept[10]),
          factor(kept[11]),
          normed(kept[12]) {}

    float* in;           // (R, E + xbc): z, then x, B and C before the convolution
    float *slope, *xbc;  // (R, xbc): SiLU's derivative; x, B and C, padded each
    float *step_slope, *step, *alpha, *decay;  // (R, H): of softplus; Δ, exp(−Δ exp(a)), ā
    float* v;                                  // (R, E): Δ x
    float *y, *gated;                          // (Q, E): before and after the gate
    float *normalized, *factor, *normed;       // (Q, …): of the norm
  };

  // Returns the place of row i of {x, B, C} among the padded rows.
  ParameterSpec::Place XbcPlace() const {
    return [E = E_, N = N_](std::size_t i) { return i < E + N ? i : i + Padded(N) - N; };
  }
  ParameterSpec InSpec(const MixerContext& c) const {
    ParameterSpec spec = ReferenceLinear(c.Matrix("in_proj.weight", 2 * E_ + 2 * N_, c.d));
    spec.padded_columns = E_ + xbc_;
    spec.output_place = [E = E_, place = XbcPlace()](std::size_t i) {
      return i < E ? i : E + place(i - E);
    };
    return spec;
  }
  std::optional<ShortConvolution::Specs> ConvolutionSpecs(const MixerContext& c) const {
    const std::size_t taps = OptionNumber(c.options, "conv");
    if (taps == 0) return std::nullopt;
    ParameterSpec weights = ReferenceLinear(c.Matrix("conv1d.weight", E_ + 2 * N_, taps));
    ParameterSpec bias = ReferenceUniform(c.Vector("conv1d.bias", E_ + 2 * N_),
                                          1 / std::sqrt(static_cast<double>(taps)));
    for (ParameterSpec* spec : {&weights, &bias}) {
      spec->padded_columns = xbc_;
      spec->output_place = XbcPlace();
    }
    return {{std::move(weights), std::move(bias)}};
  }
  // D of every channel.
  void SpreadSkip() {
    skip_lanes_.resize(E_);
    d_skip_lanes_.resize(E_);
    for (std::size_t i = 0; i < E_; ++i) skip_lanes_[i] = parameters_.value(skip_)[i / P_];
  }
  template <class Visit>
  static void ForEachOutput(const OutputRows::String& s, Visit visit) {
    for (std::size_t t = s.first_query; t < s.positions; ++t) {
      visit(s.first_row + t, s.first_output + t - s.first_query);
    }
  }
  // Adds the gradients of Δ and x that come from Δ x, for one head.
  void BackwardStep(float step, const float* x, const float* dv, float& d_step, float* dx) const {
    float partial[kLanes] = {};
    for (std::size_t i = 0; i < P_; i += kLanes) {
      for (std::size_t l = 0; l < kLanes; ++l) {
        partial[l] += x[i + l] * dv[i + l];
        dx[i + l] += step * dv[i + l];
      }
    }
    for (const float sum : partial) d_step += sum;
  }
  MemoryShape ShapeOf(std::size_t positions, std::size_t first) const {
    return {.n = positions,
            .first = first,
            .heads = heads_,
            .keys = N_,
            .values = P_,
            .one_decay = true,
            .corrects = false};
  }
  // Returns the vectors of a string, or their gradients.
  template <class Number>
  MemoryVectors<Number> VectorsOf(Number* xbc, Number* v, Number* decay,
                                  std::size_t first_row) const {
    Number* row = xbc + first_row * xbc_;
    return {.q = {row + E_ + Padded(N_), xbc_, 0},
            .k = {row + E_, xbc_, 0},
            .v = {v + first_row * E_, E_, P_},
            .w = {decay + first_row * gate_.width(), gate_.width(), 1},
            .p = {},
            .b = {}};
  }

  Parameters& parameters_;
  std::size_t heads_, E_, N_, P_;
  std::size_t xbc_;  // the width of x, B and C
  bool is_signed_;
  Linear in_;
  ShortConvolution convolution_;
  ForgetGate gate_;
  std::size_t skip_;  // the parameter D
  HeadNorm norm_;
  Linear out_;
  FloatArray skip_lanes_, d_skip_lanes_;  // (E)
  FloatArray memory_;                     // what the memory's loops need
};

std::unique_ptr<Encoder> MakeMamba2(const EncoderConfig& config, Parameters& parameters) {
  const ResidualShape shape = {.mixer_name = "mixer"};
  return std::make_unique<ResidualEncoder>(config, shape, MakeMixer<Mamba2Mixer>, parameters);
}

// A head has whole vectors of channels.
std::size_t WholeHeadsOfChannels(const OptionTexts& options) {
  const std::size_t channels = kLanes * OptionNumber(options, "heads");
  return std::lcm(kLanes, channels / std::gcd(channels, OptionNumber(options, "expand")));
}

}  // namespace

Architecture DescribeMamba2() {
  return {.name = "mamba2",
          .make = MakeMamba2,
          .size_step = WholeHeadsOfChannels,
          .reads_bos = true,
          .arithmetic = "0.3",
          .options = WithResidualOptions({EigenvaluesOption(), ConvolutionOption("4"),
                                          StateOption(kMostStates), ExpandOption(),
                                          FeedForwardOption("0"), HeadsOption("4")}),
          .conflict = ResidualConflict};
}

}  // namespace flare
