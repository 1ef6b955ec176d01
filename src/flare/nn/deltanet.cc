// DeltaNet (Yang et al. 2024), gated (Yang, Kautz, Hatamizadeh 2025) and with several Householder
// steps per symbol (DeltaProduct, Siems et al. 2025): a memory written by the delta rule as the
// mixer of residual layers (residual.h). In each head,
//
//   q, k_s = normalized SiLU(convolution(W x))      v_s = SiLU(convolution(W x))       s = 1, …, n
//   β_s = σ(w_s·x), or 2σ(w_s·x) with eigenvalues = signed
//   S ← α S                              with gate = true: α = exp(−exp(a)·softplus(w·x + b))
//   S ← S (I − β_s k_s k_sᵀ) + β_s v_s k_sᵀ         for s = 1, …, n = householder
//   o = S q
//   out = W_out [norm of o, of all heads]
//         W_out [norm of o ⊙ SiLU(W_g x), of all heads]           with output_gate = true
//
// with S (d/H, d/H) from zero; normalized is x/√(x·x + 10⁻⁶), the norm is o/√(mean o² + 10⁻⁵) with
// a gain. I − β k kᵀ has the eigenvalue 1 − β along k: in (0, 1), or in (−1, 1), where products of
// n of them are any rotation and permutations can be tracked (Grazzi et al. 2025). The convolution
// is causal, depthwise, over `conv` symbols; 0: none.
//
// Initialization: exp(a) uniform in (0, 16] and softplus(b) log-uniform in [0.001, 0.1], as the
// source of the gate does it; the rest as everywhere. With init = reference, linear maps and the
// convolution are uniform in ±1/√n with fan-in n, as the layers of flash-linear-attention are.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/architectures.h"
#include "flare/nn/forget_gate.h"
#include "flare/nn/kernels/delta_kernels.h"
#include "flare/nn/kernels/head_kernels.h"
#include "flare/nn/kernels/mamba_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/mixer.h"
#include "flare/nn/norm.h"
#include "flare/nn/parameters.h"
#include "flare/nn/residual.h"
#include "flare/nn/short_convolution.h"

namespace flare {
namespace {

class DeltaMixer : public Mixer {
 public:
  explicit DeltaMixer(const MixerContext& c)
      : heads_{OptionNumber(c.options, "heads"), c.d / OptionNumber(c.options, "heads")},
        steps_(OptionNumber(c.options, "householder")),
        most_(c.options.at("eigenvalues") == "signed" ? 2.0f : 1.0f),
        channels_((1 + 2 * steps_) * heads_.width()),
        vectors_(c.parameters, VectorsSpec(c, "qkv_proj.weight", c.d)),
        convolution_(c.parameters, ConvolutionSpecs(c), channels_, channels_),
        beta_(c.parameters,
              ReferenceLinear(c.Matrix("beta_proj.weight", steps_ * heads_.heads, c.d)),
              Linear::Result::kReplaces, Linear::Result::kAdds),
        gate_(c.options.at("gate") == "true"
                  ? std::make_optional<ForgetGate>(c, "gate_proj.weight", heads_.heads, DrawLogRate)
                  : std::nullopt),
        output_gate_(OutputGate(c)),
        norm_(c.parameters, c.prefix + "norm", heads_, false),
        out_(c.parameters,
             ReadsHeads(ReferenceLinear(c.Matrix("out_proj.weight", c.d, c.d)), heads_)) {}

  void ParametersChanged() override {
    for (Linear* map : {&vectors_, &beta_, &out_}) map->ParametersChanged();
    if (gate_) gate_->ParametersChanged();
    if (output_gate_) output_gate_->ParametersChanged();
  }
  std::vector<std::size_t> kept_widths() const override {
    const std::size_t w = heads_.width(), gate = gate_ ? gate_->width() : 0;
    return {channels_,   channels_, channels_, (1 + steps_) * heads_.heads,
            beta_.out(), gate,      gate,      gate,
            w,           w,         w,         heads_.heads,
            gated(),     gated()};
  }
  std::vector<std::size_t> scratch_widths() const override {
    const std::size_t w = heads_.width();
    return {channels_, channels_, beta_.out(), gate_ ? gate_->width() : 0, w, w, gated(), gated()};
  }
  double SharedBytes(std::size_t positions) const override {
    return static_cast<double>(ShapeOf(positions, 0).backward_scratch() * sizeof(float));
  }

  void Forward(const Pass& pass, const float* x, float* out) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows();
    vectors_.Forward(rows, x, k.projected);
    convolution_.Forward(pass.outputs, k.projected, k.slope, k.vectors);
    ForEachNormalized(rows, [&](std::size_t at, std::size_t factor) {
      NormalizeHeads(rows, heads_, channels_, k.vectors + at, k.factor + factor);
    });
    beta_.Forward(rows, x, k.beta);
    ScaledLogistic(rows * beta_.out(), most_, k.beta);
    if (gate_) gate_->Forward(rows, x, k.gate_slope, k.gate_step, k.alpha);
    Grow(memory_, ShapeOf(1, 0).forward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      DeltaForward(ShapeOf(s.positions, s.first_query), InputOf(k, s), memory_.data(),
                   k.o + s.first_output * heads_.width());
    }
    const std::size_t outputs = pass.outputs.size();
    norm_.Forward(outputs, k.o, k.normalized, k.norm_factor, k.normed);
    if (!output_gate_) return out_.Forward(outputs, k.normed, out);
    const std::size_t w = heads_.width();
    output_gate_->Forward(rows, x, k.z);
    for (const OutputRows::String& s : pass.outputs.strings) {
      SiluGateForward(s.positions - s.first_query, w, k.normed + s.first_output * w,
                      k.z + (s.first_row + s.first_query) * w, w, k.gated + s.first_output * w);
    }
    out_.Forward(outputs, k.gated, out);
  }

  void Backward(const Pass& pass, const float* x, const float* d_out, float* dx) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size();
    float *d_vectors = pass.scratch[0], *d_projected = pass.scratch[1], *d_beta = pass.scratch[2],
          *d_alpha = pass.scratch[3], *d_normed = pass.scratch[4], *d_o = pass.scratch[5];
    if (output_gate_) {
      const std::size_t w = heads_.width();
      float *dz = pass.scratch[6], *d_gated = pass.scratch[7];
      out_.Backward(outputs, k.gated, d_out, d_gated);
      // z has no gradient where there is no output.
      if (outputs < rows) std::fill_n(dz, rows * w, 0.0f);
      for (const OutputRows::String& s : pass.outputs.strings) {
        const std::size_t at = s.first_output * w, row = (s.first_row + s.first_query) * w;
        SiluGateBackward(s.positions - s.first_query, w, k.normed + at, k.z + row, w, d_gated + at,
                         d_normed + at, dz + row);
      }
    } else {
      out_.Backward(outputs, k.normed, d_out, d_normed);
    }
    norm_.Backward(outputs, k.normalized, k.norm_factor, d_normed, d_o);

    // Strings fill in their gradients below; the padding of β and α has none.
    std::fill_n(d_beta, rows * beta_.out(), 0.0f);
    if (gate_) std::fill_n(d_alpha, rows * gate_->width(), 0.0f);
    Grow(memory_, ShapeOf(pass.outputs.strings[0].positions, 0).backward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      DeltaBackward(ShapeOf(s.positions, s.first_query), InputOf(k, s),
                    d_o + s.first_output * heads_.width(), memory_.data(),
                    {.vectors = d_vectors + s.first_row * channels_,
                     .beta = d_beta + s.first_row * beta_.out(),
                     .alpha = gate_ ? d_alpha + s.first_row * gate_->width() : nullptr});
    }
    ForEachNormalized(rows, [&](std::size_t at, std::size_t factor) {
      NormalizeHeadsBackward(rows, heads_, channels_, k.vectors + at, k.factor + factor,
                             d_vectors + at);
    });
    convolution_.Backward(pass.outputs, k.projected, k.slope, d_vectors, d_projected);
    vectors_.Backward(rows, x, d_projected, dx);
    ScaledLogisticBackward(rows * beta_.out(), most_, k.beta, d_beta);
    beta_.Backward(rows, x, d_beta, dx);
    if (gate_) gate_->Backward(rows, x, k.gate_slope, k.gate_step, k.alpha, nullptr, d_alpha, dx);
    if (output_gate_) output_gate_->Backward(rows, x, pass.scratch[6], dx);
  }

 private:
  // Values that Forward computes for every row, or for the outputs.
  struct Kept {
    explicit Kept(const RowArrays::Rows& kept)
        : projected(kept[0]),
          slope(kept[1]),
          vectors(kept[2]),
          factor(kept[3]),
          beta(kept[4]),
          gate_slope(kept[5]),
          gate_step(kept[6]),
          alpha(kept[7]),
          o(kept[8]),
          normalized(kept[9]),
          normed(kept[10]),
          norm_factor(kept[11]),
          z(kept[12]),
          gated(kept[13]) {}

    float *projected, *slope;  // (R, channels): before the convolution; SiLU's derivative
    float* vectors;            // (R, channels): q, k₁, v₁, k₂, v₂, …, heads padded
    float* factor;             // (1 + n, R, H): what normalized q and each k
    float* beta;               // (R, n·H)
    float *gate_slope, *gate_step, *alpha;  // (R, H): of the softplus of w·x + b; that, and α
    float *o, *normalized, *normed;         // (Q, width): then without and with the norm's gain
    float* norm_factor;                     // (Q, H)
    float *z, *gated;                       // (R, width): W_g x; (Q, width): what it leaves
  };

  // Calls visit with the columns of q and of every k, and where their factors are.
  template <class Visit>
  void ForEachNormalized(std::size_t rows, Visit visit) const {
    for (std::size_t i = 0; i <= steps_; ++i) {
      visit((i == 0 ? 0 : 2 * i - 1) * heads_.width(), i * rows * heads_.heads);
    }
  }
  ParameterSpec VectorsSpec(const MixerContext& c, const char* name, std::size_t inputs) const {
    ParameterSpec spec = ReferenceLinear(c.Matrix(name, (1 + 2 * steps_) * c.d, inputs));
    spec.padded_columns = channels_;
    spec.output_place = HeadPlaces(heads_);
    return spec;
  }
  std::size_t gated() const { return output_gate_ ? heads_.width() : 0; }
  std::optional<Linear> OutputGate(const MixerContext& c) const {
    if (c.options.at("output_gate") == "false") return std::nullopt;
    ParameterSpec spec = ReferenceLinear(c.Matrix("ogate_proj.weight", c.d, c.d));
    spec.padded_columns = heads_.width();
    spec.output_place = HeadPlaces(heads_);
    return Linear(c.parameters, std::move(spec), Linear::Result::kReplaces, Linear::Result::kAdds);
  }
  std::optional<ShortConvolution::Specs> ConvolutionSpecs(const MixerContext& c) const {
    const std::size_t taps = OptionNumber(c.options, "conv");
    if (taps == 0) return std::nullopt;
    return {{VectorsSpec(c, "conv1d.weight", taps), std::nullopt}};
  }
  DeltaShape ShapeOf(std::size_t positions, std::size_t first) const {
    return {positions, first, heads_, steps_, beta_.out(), gate_ ? gate_->width() : 0};
  }
  DeltaInput InputOf(const Kept& k, const OutputRows::String& s) const {
    return {.vectors = k.vectors + s.first_row * channels_,
            .beta = k.beta + s.first_row * beta_.out(),
            .alpha = gate_ ? k.alpha + s.first_row * gate_->width() : nullptr};
  }

  HeadLayout heads_;
  std::size_t steps_;     // n
  float most_;            // the upper bound of β
  std::size_t channels_;  // the width of q and of all k and v
  Linear vectors_;
  ShortConvolution convolution_;
  Linear beta_;
  std::optional<ForgetGate> gate_;
  std::optional<Linear> output_gate_;
  HeadNorm norm_;
  Linear out_;
  FloatArray memory_;  // what the delta rule needs
};

std::unique_ptr<Encoder> MakeDeltaNet(const EncoderConfig& config, Parameters& parameters) {
  const ResidualShape shape = {.mixer_name = "mixer"};
  return std::make_unique<ResidualEncoder>(config, shape, MakeMixer<DeltaMixer>, parameters);
}

std::string DeltaNetArithmetic(const OptionTexts& options) {
  return options.at("output_gate") == "true" ? "0.3" : "0.2";
}

}  // namespace

Architecture DescribeDeltaNet() {
  return {.name = "deltanet",
          .make = MakeDeltaNet,
          .size_step = WholeHeads,
          .reads_bos = true,
          .arithmetic = "0.2",
          .options = WithResidualOptions(
              {EigenvaluesOption(),
               {.name = "householder",
                .values = {},
                .least = 1,
                .most = 16,
                .default_value = "1",
                .help = "Householder steps per symbol"},
               {.name = "gate",
                .values = {"false", "true"},
                .default_value = "false",
                .help = "does a learned gate let the memory fade?"},
               {.name = "output_gate",
                .values = {"false", "true"},
                .default_value = "as gate",
                .help = "is the normed output multiplied by SiLU of a map of the input?",
                .before = "false",
                .follows = "gate"},
               ConvolutionOption("4"),
               HeadsOption("4")}),
          .arithmetic_of = DeltaNetArithmetic,
          .conflict = ResidualConflict};
}

}  // namespace flare
