// Mamba (Gu, Dao 2023): a selective state-space model as the mixer of residual layers
// (residual.h). With E = expand·d channels of N states each,
//
//   [u; z] = W_in x                         u = SiLU(convolution(u))
//   Δ = softplus(W_Δ W_δ u + b)             through a vector of ⌈d/16⌉ numbers
//   B = W_B u,  C = W_C u                   A = −exp(a)
//   h ← ā ⊙ h + (Δ u) Bᵀ                    y = h C + D ⊙ u
//   out = W_out (y ⊙ SiLU(z))
//
// with h (E, N) from zero. ā = exp(ΔA) is in (0, 1); with eigenvalues = signed, 2 exp(ΔA) − 1 in
// (−1, 1), without which no number of layers computes parity (Grazzi et al. 2025). The convolution
// is causal, depthwise, over `conv` symbols, with a bias; 0: none.
//
// Initialization: exp(a) = 1, …, N in every channel and softplus(b) log-uniform in [0.001, 0.1], as
// the source has them; the rest as everywhere. With init = reference, as in the source, D = 1, and
// with fan-in n linear maps and the convolution are uniform in ±1/√n, W_out over √(blocks of all
// layers).

#include <cmath>
#include <optional>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/mamba_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/mixer.h"
#include "flare/nn/parameters.h"
#include "flare/nn/residual.h"
#include "flare/nn/short_convolution.h"

namespace flare {
namespace {

class MambaMixer : public Mixer {
 public:
  explicit MambaMixer(const MixerContext& c)
      : parameters_(c.parameters),
        E_(OptionNumber(c.options, "expand") * c.d),
        N_(OptionNumber(c.options, "state")),
        rank_((c.d + 15) / 16),
        is_signed_(c.options.at("eigenvalues") == "signed"),
        in_(c.parameters, ReferenceLinear(c.Matrix("in_proj.weight", 2 * E_, c.d))),
        convolution_(c.parameters, ConvolutionSpecs(c), E_, 2 * E_),
        delta_down_(c.parameters, ReferenceLinear(c.Matrix("dt_down.weight", rank_, E_)),
                    Linear::Result::kReplaces, Linear::Result::kAdds),
        bc_(c.parameters, BcSpec(c), Linear::Result::kReplaces, Linear::Result::kAdds),
        delta_up_(c.parameters, ReferenceLinear(c.Matrix("dt_proj.weight", E_, rank_)),
                  DeltaBias(c)),
        log_rate_(c.parameters.Add(LogRate(c))),
        skip_(c.parameters.Add(ReferenceConstant(c.Vector("D", E_), 1))),
        out_(c.parameters, OutSpec(c)) {}

  void ParametersChanged() override {
    for (Linear* map : {&in_, &delta_down_, &bc_, &out_}) map->ParametersChanged();
    delta_up_.ParametersChanged();
  }
  std::vector<std::size_t> kept_widths() const override {
    return {2 * E_, E_, E_, Padded(rank_), E_, E_, 2 * Padded(N_), E_, E_, StatesWidth()};
  }
  std::vector<std::size_t> scratch_widths() const override {
    return {2 * E_, E_, Padded(rank_), E_, 2 * Padded(N_), E_, E_};
  }
  // The memory of the scan's backward pass.
  double SharedBytes(std::size_t positions) const override {
    return static_cast<double>(ScanShape{positions, 0, E_, N_, is_signed_}.scratch()) *
           sizeof(float);
  }

  void Forward(const Pass& pass, const float* x, float* out) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows();
    Grow(rate_, Padded(N_) * E_);
    ExpForward(N_ * E_, parameters_.value(log_rate_), rate_.data());
    in_.Forward(rows, x, k.uz);
    convolution_.Forward(pass.outputs, k.uz, k.slope, k.u);
    delta_down_.Forward(rows, k.u, k.low);
    delta_up_.Product(rows, k.low, k.delta_slope);
    BiasSoftplus(rows, E_, delta_up_.bias(), k.delta_slope, k.delta);
    bc_.Forward(rows, k.u, k.bc);
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t at = s.first_output * E_;
      ScanForward(ShapeOf(s), InputOf(k, s), pass.training ? StatesOf(k, s) : nullptr, k.y + at);
      SiluGateForward(s.positions - s.first_query, E_, k.y + at, GateOf(k.uz, s), 2 * E_,
                      k.gated + at);
    }
    out_.Forward(pass.outputs.size(), k.gated, out);
  }

  void Backward(const Pass& pass, const float* x, const float* d_out, float* dx) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows();
    float *d_uz = pass.scratch[0], *du = pass.scratch[1], *d_low = pass.scratch[2],
          *d_delta = pass.scratch[3], *d_bc = pass.scratch[4], *d_gated = pass.scratch[5],
          *dy = pass.scratch[6];
    Grow(d_rate_, N_ * E_);
    std::fill_n(d_rate_.begin(), N_ * E_, 0.0f);
    Grow(scan_scratch_, ShapeOf(pass.outputs.strings[0]).scratch());
    // z has no gradient where there is no output.
    if (pass.outputs.size() < rows) std::fill_n(d_uz, rows * 2 * E_, 0.0f);

    out_.Backward(pass.outputs.size(), k.gated, d_out, d_gated);
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t at = s.first_output * E_, row = s.first_row;
      SiluGateBackward(s.positions - s.first_query, E_, k.y + at, GateOf(k.uz, s), 2 * E_,
                       d_gated + at, dy + at, GateOf(d_uz, s));
      ScanBackward(ShapeOf(s), InputOf(k, s), StatesOf(k, s), dy + at, scan_scratch_.data(),
                   {.u = du + row * E_,
                    .delta = d_delta + row * E_,
                    .bc = d_bc + row * 2 * Padded(N_),
                    .rate = d_rate_.data(),
                    .skip = parameters_.gradient(skip_)});
    }
    AddProducts(N_ * E_, d_rate_.data(), rate_.data(), parameters_.gradient(log_rate_));
    MultiplyBy(rows * E_, k.delta_slope, d_delta);
    delta_up_.Backward(rows, k.low, d_delta, d_low);
    delta_down_.Backward(rows, k.u, d_low, du);
    bc_.Backward(rows, k.u, d_bc, du);
    convolution_.Backward(pass.outputs, k.uz, k.slope, du, d_uz);
    in_.Backward(rows, x, d_uz, dx);
  }

 private:
  // Values that Forward computes for every row; y and gated are those of the outputs.
  struct Kept {
    explicit Kept(const RowArrays::Rows& kept)
        : uz(kept[0]),
          slope(kept[1]),
          u(kept[2]),
          low(kept[3]),
          delta_slope(kept[4]),
          delta(kept[5]),
          bc(kept[6]),
          y(kept[7]),
          gated(kept[8]),
          states(kept[9]) {}

    float* uz;                   // (R, 2E)
    float* slope;                // (R, E): SiLU's derivative at what became u
    float* u;                    // (R, E)
    float* low;                  // (R, rank): W_δ u
    float *delta_slope, *delta;  // (R, E): softplus's derivative, and Δ
    float* bc;                   // (R, 2N): B and C, padded each
    float* y;                    // (Q, E)
    float* gated;                // (Q, E): y ⊙ SiLU(z)
    float* states;  // (R, N·E/kScanChunk, padded): h before every chunk of a string but the first
  };

  std::optional<ShortConvolution::Specs> ConvolutionSpecs(const MixerContext& c) const {
    const std::size_t taps = OptionNumber(c.options, "conv");
    if (taps == 0) return std::nullopt;
    return {
        {ReferenceLinear(c.Matrix("conv1d.weight", E_, taps)),
         ReferenceUniform(c.Vector("conv1d.bias", E_), 1 / std::sqrt(static_cast<double>(taps)))}};
  }
  ParameterSpec OutSpec(const MixerContext& c) const {
    return ReferenceUniform(c.Matrix("out_proj.weight", c.d, E_),
                            1 / std::sqrt(static_cast<double>(E_ * c.blocks())));
  }
  ParameterSpec BcSpec(const MixerContext& c) const {
    ParameterSpec spec = ReferenceLinear(c.Matrix("bc_proj.weight", 2 * N_, E_));
    spec.padded_columns = 2 * Padded(N_);
    spec.output_place = [N = N_](std::size_t i) { return i < N ? i : Padded(N) + i - N; };
    return spec;
  }
  ParameterSpec DeltaBias(const MixerContext& c) const {
    ParameterSpec spec = c.Vector("dt_proj.bias", E_);
    spec.Draw([](std::size_t, Rng& rng) { return DrawStepBias(rng); });
    return spec;
  }
  ParameterSpec LogRate(const MixerContext& c) const {
    ParameterSpec spec = c.Matrix("A_log", E_, N_);
    spec.Draw([N = N_](std::size_t i, Rng&) { return std::log(static_cast<double>(i % N + 1)); });
    return spec;
  }

  ScanShape ShapeOf(const OutputRows::String& s) const {
    return {s.positions, s.first_query, E_, N_, is_signed_};
  }
  ScanInput InputOf(const Kept& k, const OutputRows::String& s) const {
    return {.u = k.u + s.first_row * E_,
            .delta = k.delta + s.first_row * E_,
            .bc = k.bc + s.first_row * 2 * Padded(N_),
            .rate = rate_.data(),
            .skip = parameters_.value(skip_)};
  }
  std::size_t StatesWidth() const { return Padded(N_ * E_ / kScanChunk); }
  float* StatesOf(const Kept& k, const OutputRows::String& s) const {
    return k.states + s.first_row * StatesWidth();
  }
  // z of a string's first output, or its gradient.
  float* GateOf(float* uz, const OutputRows::String& s) const {
    return uz + (s.first_row + s.first_query) * 2 * E_ + E_;
  }

  Parameters& parameters_;
  std::size_t E_, N_, rank_;
  bool is_signed_;
  Linear in_;
  ShortConvolution convolution_;
  Linear delta_down_, bc_;
  Affine delta_up_;
  std::size_t log_rate_, skip_;  // parameters: a (N, E), D
  Linear out_;
  FloatArray rate_;    // (N, E): −A
  FloatArray d_rate_;  // (N, E)
  FloatArray scan_scratch_;
};

std::unique_ptr<Encoder> MakeMamba(const EncoderConfig& config, Parameters& parameters) {
  const ResidualShape shape = {.mixer_name = "mixer"};
  return std::make_unique<ResidualEncoder>(config, shape, MakeMixer<MambaMixer>, parameters);
}

}  // namespace

Architecture DescribeMamba() {
  return {.name = "mamba",
          .make = MakeMamba,
          .size_step = WholeVectors,
          .reads_bos = true,
          .arithmetic = "0.3",
          .options = WithResidualOptions({EigenvaluesOption(), ConvolutionOption("4"),
                                          StateOption(kMostStates), ExpandOption(),
                                          FeedForwardOption("0")}),
          .init = "reference",
          .conflict = ResidualConflict};
}

}  // namespace flare
