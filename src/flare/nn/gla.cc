// Gated linear attention (Yang, Wang, Shen, Panda, Kim 2024): a matrix memory that each dimension
// of the keys lets fade at its own rate, as the mixer of residual layers (residual.h). In each
// head, with keys half as wide as values,
//
//   q = W_q x/√(d/2H),  k = W_k x,  v = W_v x         with conv > 0: SiLU(convolution(W x)) for W x
//   α = σ(W₂ W₁ x + b)^(1/16)                         through a vector of 16 numbers
//   S ← diag(α) S + k vᵀ,   o = Sᵀ q
//   out = W_out [norm of o ⊙ SiLU(W_g x), of all heads]
//
// with S (d/2H, d/H) from zero; the norm is o/√(mean o² + 10⁻⁵) with a gain. The convolution is
// causal, depthwise, over `conv` symbols; 0: none.
//
// Initialization: as everywhere. With init = reference, linear maps, b and the convolution are
// uniform in ±1/√n with fan-in n, as the source's layer is.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "flare/nn/architectures.h"
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

constexpr std::size_t kGateRank = 16;
constexpr float kGateRoot = 16;

class GlaMixer : public Mixer {
 public:
  explicit GlaMixer(const MixerContext& c)
      : keys_{Heads(c), c.d / 2 / Heads(c)},
        values_{Heads(c), c.d / Heads(c)},
        channels_(2 * keys_.width() + values_.width()),
        qkv_(c.parameters, ChannelSpec(c, "qkv_proj.weight", c.d)),
        convolution_(Convolution(c)),
        gate_down_(c.parameters, ReferenceLinear(c.Matrix("gate_down.weight", kGateRank, c.d)),
                   Linear::Result::kReplaces, Linear::Result::kAdds),
        gate_up_(c.parameters,
                 OfKeys(ReferenceLinear(c.Matrix("gate_up.weight", c.d / 2, kGateRank))),
                 OfKeys(ReferenceUniform(c.Vector("gate_up.bias", c.d / 2),
                                         1 / std::sqrt(static_cast<double>(kGateRank))))),
        output_gate_(c.parameters,
                     OfValues(ReferenceLinear(c.Matrix("ogate_proj.weight", c.d, c.d))),
                     Linear::Result::kReplaces, Linear::Result::kAdds),
        norm_(c.parameters, c.prefix + "norm", values_, false),
        out_(c.parameters,
             ReadsHeads(ReferenceLinear(c.Matrix("out_proj.weight", c.d, c.d)), values_)) {}

  void ParametersChanged() override {
    for (Linear* map : {&qkv_, &gate_down_, &output_gate_, &out_}) map->ParametersChanged();
    gate_up_.ParametersChanged();
  }
  std::vector<std::size_t> kept_widths() const override {
    const std::size_t kw = keys_.width(), vw = values_.width(), c = convolution_ ? channels_ : 0;
    return {channels_, c, c, Padded(kGateRank), kw, kw, vw, vw, vw, values_.heads, vw, vw};
  }
  std::vector<std::size_t> scratch_widths() const override {
    const std::size_t kw = keys_.width(), vw = values_.width();
    return {channels_, convolution_ ? channels_ : 0, Padded(kGateRank), kw, vw, vw, vw};
  }
  double SharedBytes(std::size_t positions) const override {
    return static_cast<double>(ShapeOf(positions, 0).backward_scratch() * sizeof(float));
  }

  void Forward(const Pass& pass, const float* x, float* out) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), vw = values_.width();
    qkv_.Forward(rows, x, k.projected);
    float* vectors = Vectors(k);
    if (convolution_) convolution_->Forward(pass.outputs, k.projected, k.slope, vectors);
    ScaleQueries(rows, vectors);
    gate_down_.Forward(rows, x, k.low);
    gate_up_.Product(rows, k.low, k.raw);
    RootLogistic(rows, keys_.width(), kGateRoot, gate_up_.bias(), k.raw, k.alpha);
    Grow(memory_, ShapeOf(1, 0).forward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      MemoryForward(ShapeOf(s.positions, s.first_query),
                    VectorsOf<const float>(vectors, k.alpha, s.first_row), memory_.data(),
                    {k.o + s.first_output * vw, vw, values_.padded()});
    }
    norm_.Forward(outputs, k.o, k.normalized, k.factor, k.normed);
    output_gate_.Forward(rows, x, k.z);
    for (const OutputRows::String& s : pass.outputs.strings) {
      SiluGateForward(s.positions - s.first_query, vw, k.normed + s.first_output * vw,
                      k.z + (s.first_row + s.first_query) * vw, vw, k.gated + s.first_output * vw);
    }
    out_.Forward(outputs, k.gated, out);
  }

  void Backward(const Pass& pass, const float* x, const float* d_out, float* dx) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), vw = values_.width();
    float *d_vectors = pass.scratch[0], *d_projected = pass.scratch[1], *d_low = pass.scratch[2],
          *d_alpha = pass.scratch[3], *d_normed = pass.scratch[4], *dz = pass.scratch[5],
          *d_o = pass.scratch[6];
    out_.Backward(outputs, k.gated, d_out, d_o);
    // z has no gradient where there is no output.
    if (outputs < rows) std::fill_n(dz, rows * vw, 0.0f);
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t at = s.first_output * vw, row = (s.first_row + s.first_query) * vw;
      SiluGateBackward(s.positions - s.first_query, vw, k.normed + at, k.z + row, vw, d_o + at,
                       d_normed + at, dz + row);
    }
    norm_.Backward(outputs, k.normalized, k.factor, d_normed, d_o);
    std::fill_n(d_vectors, rows * channels_, 0.0f);
    std::fill_n(d_alpha, rows * keys_.width(), 0.0f);
    Grow(memory_, ShapeOf(pass.outputs.strings[0].positions, 0).backward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      MemoryBackward(ShapeOf(s.positions, s.first_query),
                     VectorsOf<const float>(Vectors(k), k.alpha, s.first_row),
                     {d_o + s.first_output * vw, vw, values_.padded()}, memory_.data(),
                     VectorsOf<float>(d_vectors, d_alpha, s.first_row));
    }
    ScaleQueries(rows, d_vectors);
    if (convolution_) {
      convolution_->Backward(pass.outputs, k.projected, k.slope, d_vectors, d_projected);
    }
    qkv_.Backward(rows, x, convolution_ ? d_projected : d_vectors, dx);
    RootLogisticBackward(rows * keys_.width(), kGateRoot, k.raw, k.alpha, d_alpha);
    gate_up_.Backward(rows, k.low, d_alpha, d_low);
    gate_down_.Backward(rows, x, d_low, dx);
    output_gate_.Backward(rows, x, dz, dx);
  }

 private:
  // Values that Forward computes for every row, or for the outputs.
  struct Kept {
    explicit Kept(const RowArrays::Rows& kept)
        : projected(kept[0]),
          slope(kept[1]),
          activated(kept[2]),
          low(kept[3]),
          raw(kept[4]),
          alpha(kept[5]),
          o(kept[6]),
          normalized(kept[7]),
          normed(kept[8]),
          factor(kept[9]),
          z(kept[10]),
          gated(kept[11]) {}

    float* projected;                // (R, channels): q, k, v
    float *slope, *activated;        // (R, channels): SiLU's derivative; through the convolution
    float *low, *raw, *alpha;        // (R, …): W₁ x, W₂ W₁ x + b, α
    float *o, *normalized, *normed;  // (Q, values): then without and with the norm's gain
    float* factor;                   // (Q, H)
    float *z, *gated;                // (R, values): W_g x; (Q, values): what W_out reads
  };

  static std::size_t Heads(const MixerContext& c) { return OptionNumber(c.options, "heads"); }
  // q, k and v, heads padded.
  ParameterSpec ChannelSpec(const MixerContext& c, const char* name, std::size_t inputs) const {
    ParameterSpec spec = ReferenceLinear(c.Matrix(name, 2 * c.d, inputs));
    spec.padded_columns = channels_;
    spec.output_place = [keys = keys_, values = values_, half = c.d / 2](std::size_t i) {
      if (i < 2 * half) return i / half * keys.width() + keys.Place(i % half);
      return 2 * keys.width() + values.Place(i - 2 * half);
    };
    return spec;
  }
  ParameterSpec OfKeys(ParameterSpec spec) const {
    spec.padded_columns = keys_.width();
    spec.output_place = HeadPlaces(keys_);
    return spec;
  }
  ParameterSpec OfValues(ParameterSpec spec) const {
    spec.padded_columns = values_.width();
    spec.output_place = HeadPlaces(values_);
    return spec;
  }
  std::optional<ShortConvolution> Convolution(const MixerContext& c) const {
    const std::size_t taps = OptionNumber(c.options, "conv");
    if (taps == 0) return std::nullopt;
    return std::make_optional<ShortConvolution>(
        c.parameters, ShortConvolution::Specs{ChannelSpec(c, "conv1d.weight", taps), std::nullopt},
        channels_, channels_);
  }
  float* Vectors(const Kept& k) const { return convolution_ ? k.activated : k.projected; }
  void ScaleQueries(std::size_t rows, float* vectors) const {
    const float scale = 1 / std::sqrt(static_cast<float>(keys_.dims));
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < keys_.width(); ++j) vectors[r * channels_ + j] *= scale;
    }
  }
  MemoryShape ShapeOf(std::size_t positions, std::size_t first) const {
    return {.n = positions,
            .first = first,
            .heads = keys_.heads,
            .keys = keys_.dims,
            .values = values_.padded(),
            .one_decay = false,
            .corrects = false};
  }
  // Returns the vectors of a string, or their gradients.
  template <class Number>
  MemoryVectors<Number> VectorsOf(Number* vectors, Number* alpha, std::size_t first_row) const {
    const std::size_t kw = keys_.width();
    Number* row = vectors + first_row * channels_;
    return {.q = {row, channels_, keys_.padded()},
            .k = {row + kw, channels_, keys_.padded()},
            .v = {row + 2 * kw, channels_, values_.padded()},
            .w = {alpha + first_row * kw, kw, keys_.padded()},
            .p = {},
            .b = {}};
  }

  HeadLayout keys_, values_;
  std::size_t channels_;  // the width of q, k and v
  Linear qkv_;
  std::optional<ShortConvolution> convolution_;
  Linear gate_down_;
  Affine gate_up_;
  Linear output_gate_;
  HeadNorm norm_;
  Linear out_;
  FloatArray memory_;  // what the memory's loops need
};

std::unique_ptr<Encoder> MakeGla(const EncoderConfig& config, Parameters& parameters) {
  const ResidualShape shape = {.mixer_name = "mixer"};
  return std::make_unique<ResidualEncoder>(config, shape, MakeMixer<GlaMixer>, parameters);
}

// Keys are half as wide as values.
std::size_t HalfHeads(const OptionTexts& options) {
  return std::lcm(kLanes, 2 * OptionNumber(options, "heads"));
}

}  // namespace

Architecture DescribeGla() {
  return {.name = "gla",
          .make = MakeGla,
          .size_step = HalfHeads,
          .reads_bos = true,
          .arithmetic = "0.3",
          .options = WithResidualOptions({ConvolutionOption("0"), HeadsOption("4")}),
          .conflict = ResidualConflict};
}

}  // namespace flare
