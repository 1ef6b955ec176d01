// The mLSTM of xLSTM (Beck et al. 2024): a matrix memory with exponential gates as the mixer of
// residual layers (residual.h). In each head,
//
//   q = W_q x,  k = W_k x/√(d/H),  v = W_v x
//   i = exp(w_i·x + b_i),  f = σ(w_f·x + b_f),  o = σ(W_o x + b_o)
//   C ← f C + i v kᵀ,   n ← f n + i k
//   h = C q/max(|n·q|, 1)
//   out = W_out [o ⊙ norm of h, of all heads]         with order = norm-gate, as in the source
//         W_out [norm of o ⊙ h, of all heads]         with order = gate-norm, as in version 0.2
//
// from C = 0, n = 0; the norm is a layer norm within the head, with a gain and no bias. i may be
// huge: what is computed is C exp(−m) and n exp(−m) for m = max(log f + m, log i) from m = 0, and
// then the bound 1 becomes exp(−m). h does not depend on m, so that no gradient flows through it.
//
// Initialization: b_f from 3 in the first head to 6 in the last, as in the source: what is written
// is to stay; the rest as everywhere. With init = reference, as in the source, the gates' matrix is
// 0 and b_i normal with deviation 0.1, W_q, W_k, W_v and W_o are normal with deviation √(2/(5d))
// and W_out with 2/(L√d) for L layers, and b_o is 0.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/architectures.h"
#include "flare/nn/kernels/mlstm_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/mixer.h"
#include "flare/nn/norm.h"
#include "flare/nn/parameters.h"
#include "flare/nn/residual.h"

namespace flare {
namespace {

class MLstmMixer : public Mixer {
 public:
  explicit MLstmMixer(const MixerContext& c)
      : heads_{OptionNumber(c.options, "heads"), c.d / OptionNumber(c.options, "heads")},
        gate_width_(Padded(heads_.heads)),
        qkv_(c.parameters, OfHeads(Small(c, c.Matrix("qkv_proj.weight", 3 * c.d, c.d)), 3)),
        gates_(c.parameters,
               OfGates(ReferenceConstant(c.Matrix("gates_proj.weight", 2 * heads_.heads, c.d), 0)),
               GateBias(c), Linear::Result::kAdds),
        output_gate_(c.parameters, OfHeads(Small(c, c.Matrix("ogate_proj.weight", c.d, c.d)), 1),
                     OfHeads(ReferenceConstant(c.Vector("ogate_proj.bias", c.d), 0), 1),
                     Linear::Result::kAdds),
        norm_first_(c.options.at("order") == "norm-gate"),
        norm_(c.parameters, c.prefix + "norm", heads_, true),
        out_(c.parameters, ReadsHeads(ReferenceNormal(c.Matrix("out_proj.weight", c.d, c.d),
                                                      2 / (static_cast<double>(c.layers) *
                                                           std::sqrt(static_cast<double>(c.d)))),
                                      heads_)) {}

  void ParametersChanged() override {
    for (Linear* map : {&qkv_, &out_}) map->ParametersChanged();
    for (Affine* map : {&gates_, &output_gate_}) map->ParametersChanged();
  }
  std::vector<std::size_t> kept_widths() const override {
    const std::size_t w = heads_.width();
    return {3 * w, 2 * gate_width_, gate_width_, gate_width_, w, w, w, w, w, heads_.heads};
  }
  std::vector<std::size_t> scratch_widths() const override {
    const std::size_t w = heads_.width();
    return {3 * w, 2 * gate_width_, w, w, w};
  }
  double SharedBytes(std::size_t positions) const override {
    return static_cast<double>(ShapeOf(positions, 0).backward_scratch() * sizeof(float));
  }

  void Forward(const Pass& pass, const float* x, float* out) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), w = heads_.width();
    qkv_.Forward(rows, x, k.qkv);
    gates_.Product(rows, x, k.gates);
    output_gate_.Product(rows, x, k.o);
    Grow(memory_, ShapeOf(1, 0).forward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t at = s.first_row * gate_width_;
      MLstmGates(s.positions, gate_width_, gates_.bias(), k.gates + 2 * at, k.slope + at,
                 k.bound + at);
      MLstmForward(ShapeOf(s.positions, s.first_query), InputOf(k, s), memory_.data(),
                   k.h + s.first_output * w);
    }
    if (norm_first_) norm_.Forward(outputs, k.h, k.normalized, k.norm_factor, k.normed);
    for (const OutputRows::String& s : pass.outputs.strings) {
      OutputGateForward(s.positions - s.first_query, w, output_gate_.bias(),
                        (norm_first_ ? k.normed : k.h) + s.first_output * w, k.o + FirstRow(s) * w,
                        k.gated + s.first_output * w);
    }
    if (!norm_first_) norm_.Forward(outputs, k.gated, k.normalized, k.norm_factor, k.normed);
    out_.Forward(outputs, norm_first_ ? k.gated : k.normed, out);
  }

  void Backward(const Pass& pass, const float* x, const float* d_out, float* dx) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), w = heads_.width();
    float *d_qkv = pass.scratch[0], *d_gates = pass.scratch[1], *d_o = pass.scratch[2];
    // Each stage turns the gradient of its output, in d_later, into that of its input, in dh.
    float *d_later = pass.scratch[4], *dh = pass.scratch[3];
    out_.Backward(outputs, norm_first_ ? k.gated : k.normed, d_out, d_later);
    const auto through_norm = [&] {
      norm_.Backward(outputs, k.normalized, k.norm_factor, d_later, dh);
      std::swap(d_later, dh);
    };
    if (!norm_first_) through_norm();
    // Padding has no gradient, nor has o where there is no output.
    std::fill_n(d_gates, rows * 2 * gate_width_, 0.0f);
    if (outputs < rows) std::fill_n(d_o, rows * w, 0.0f);
    for (const OutputRows::String& s : pass.outputs.strings) {
      OutputGateBackward(s.positions - s.first_query, w,
                         (norm_first_ ? k.normed : k.h) + s.first_output * w, k.o + FirstRow(s) * w,
                         d_later + s.first_output * w, dh + s.first_output * w,
                         d_o + FirstRow(s) * w);
    }
    std::swap(d_later, dh);
    if (norm_first_) through_norm();
    Grow(memory_, ShapeOf(pass.outputs.strings[0].positions, 0).backward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      MLstmBackward(ShapeOf(s.positions, s.first_query), InputOf(k, s),
                    d_later + s.first_output * w, memory_.data(), d_qkv + s.first_row * 3 * w,
                    d_gates + s.first_row * 2 * gate_width_);
    }
    qkv_.Backward(rows, x, d_qkv, dx);
    gates_.Backward(rows, x, d_gates, dx);
    output_gate_.Backward(rows, x, d_o, dx);
  }

 private:
  // Values that Forward computes for every row, or for the outputs.
  struct Kept {
    explicit Kept(const RowArrays::Rows& kept)
        : qkv(kept[0]),
          gates(kept[1]),
          slope(kept[2]),
          bound(kept[3]),
          o(kept[4]),
          h(kept[5]),
          gated(kept[6]),
          normalized(kept[7]),
          normed(kept[8]),
          norm_factor(kept[9]) {}

    float* qkv;                    // (R, 3·width): heads padded
    float *gates, *slope, *bound;  // (R, …): see MLstmGates
    float* o;                      // (R, width)
    float *h, *gated;              // (Q, width): C q/max(…), what leaves the output gate
    float *normalized, *normed;    // (Q, width): without and with the norm's gain
    float* norm_factor;            // (Q, H)
  };

  // Nguyen, Salazar 2019.
  static ParameterSpec Small(const MixerContext& c, ParameterSpec spec) {
    return ReferenceNormal(std::move(spec), std::sqrt(2 / (5 * static_cast<double>(c.d))));
  }
  ParameterSpec OfHeads(ParameterSpec spec, std::size_t vectors) const {
    spec.padded_columns = vectors * heads_.width();
    spec.output_place = HeadPlaces(heads_);
    return spec;
  }
  ParameterSpec OfGates(ParameterSpec spec) const {
    spec.padded_columns = 2 * gate_width_;
    spec.output_place = [heads = heads_.heads](std::size_t i) {
      return i / heads * Padded(heads) + i % heads;
    };
    return spec;
  }
  ParameterSpec GateBias(const MixerContext& c) const {
    ParameterSpec spec = OfGates(c.Vector("gates_proj.bias", 2 * heads_.heads));
    const auto rule = [heads = heads_.heads](double input, std::size_t i) {
      if (i < heads) return input;
      if (heads == 1) return 3.0;
      return 3 + 3 * static_cast<double>(i - heads) / static_cast<double>(heads - 1);
    };
    spec.Draw([rule, heads = heads_.heads](std::size_t i, Rng& rng) {
      return rule(i < heads ? DrawUniform(rng) : 0, i);
    });
    spec.reference = [rule](std::size_t i, Rng& rng) { return rule(0.1 * DrawNormal(rng), i); };
    return spec;
  }
  MLstmShape ShapeOf(std::size_t positions, std::size_t first) const {
    return {positions, first, heads_, gate_width_};
  }
  MLstmInput InputOf(const Kept& k, const OutputRows::String& s) const {
    const std::size_t at = s.first_row * gate_width_;
    return {.qkv = k.qkv + s.first_row * 3 * heads_.width(),
            .gates = k.gates + 2 * at,
            .slope = k.slope + at,
            .bound = k.bound + at};
  }
  // Returns the row of a string's first output, among all positions.
  static std::size_t FirstRow(const OutputRows::String& s) { return s.first_row + s.first_query; }

  HeadLayout heads_;
  std::size_t gate_width_;  // heads, padded
  Linear qkv_;
  Affine gates_, output_gate_;
  bool norm_first_;
  HeadNorm norm_;
  Linear out_;
  FloatArray memory_;  // what the memory's loops need
};

std::unique_ptr<Encoder> MakeMLstm(const EncoderConfig& config, Parameters& parameters) {
  const ResidualShape shape = {.mixer_name = "mixer"};
  return std::make_unique<ResidualEncoder>(config, shape, MakeMixer<MLstmMixer>, parameters);
}

std::string MLstmArithmetic(const OptionTexts& options) {
  return options.at("order") == "gate-norm" ? "0.2" : "0.3";
}

}  // namespace

Architecture DescribeMLstm() {
  return {.name = "mlstm",
          .make = MakeMLstm,
          .size_step = WholeHeads,
          .reads_bos = true,
          .arithmetic = "0.2",
          .options = WithResidualOptions({HeadsOption("4"),
                                          {.name = "order",
                                           .values = {"norm-gate", "gate-norm"},
                                           .default_value = "norm-gate",
                                           .help = "is the memory's output normed and then gated, "
                                                   "or gated and then normed?",
                                           .before = "gate-norm"}}),
          .arithmetic_of = MLstmArithmetic,
          .conflict = ResidualConflict};
}

}  // namespace flare
