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
// from C = 0, n = 0; the norm is a layer norm within the head, with a gain and no bias. Options
// give the cell more of the block that the source has around it:
//
//   expand = 2  the cell reads u = W_u x of size 2d instead of x, and SiLU(W_z x) stands for o
//   conv > 0    q and k read c = SiLU(convolution(u)), causal, depthwise, with a bias, instead of u
//   skip        γ ⊙ c is added to what the gate multiplies
//
// i may be
// huge: what is computed is C exp(−m) and n exp(−m) for m = max(log f + m, log i) from m = 0, and
// then the bound 1 becomes exp(−m). h does not depend on m, so that no gradient flows through it.
//
// Initialization: b_f from 3 in the first head to 6 in the last, as in the source: what is written
// is to stay; the rest as everywhere. With init = reference, as in the source, the gates' matrix is
// 0 and b_i normal with deviation 0.1, W_q, W_k, W_v and W_o are normal with deviation √(2/(5d))
// and W_out with 2/(L√d) for L layers, and b_o is 0.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/architectures.h"
#include "flare/nn/kernels/mamba_kernels.h"
#include "flare/nn/kernels/mlstm_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/mixer.h"
#include "flare/nn/norm.h"
#include "flare/nn/parameters.h"
#include "flare/nn/residual.h"
#include "flare/nn/short_convolution.h"

namespace flare {
namespace {

class MLstmMixer : public Mixer {
 public:
  explicit MLstmMixer(const MixerContext& c)
      : parameters_(c.parameters),
        size_(c.d * OptionNumber(c.options, "expand")),
        heads_{OptionNumber(c.options, "heads"), size_ / OptionNumber(c.options, "heads")},
        gate_width_(Padded(heads_.heads)),
        norm_first_(c.options.at("order") == "norm-gate") {
    const bool goes_up = size_ > c.d;
    const std::size_t taps = OptionNumber(c.options, "conv");
    if (goes_up) up_.emplace(c.parameters, Small(c, c.Matrix("up_proj.weight", size_, c.d)));
    if (taps == 0) {
      q_k_v_.emplace(c.parameters,
                     OfHeads(Small(c, c.Matrix("qkv_proj.weight", 3 * size_, size_)), 3));
    } else {
      convolution_.emplace(
          c.parameters,
          ShortConvolution::Specs{ReferenceLinear(c.Matrix("conv1d.weight", size_, taps)),
                                  ReferenceUniform(c.Vector("conv1d.bias", size_),
                                                   1 / std::sqrt(static_cast<double>(taps)))},
          size_, size_);
      q_k_.emplace(c.parameters,
                   OfHeads(Small(c, c.Matrix("qk_proj.weight", 2 * size_, size_)), 2));
      v_.emplace(c.parameters, OfHeads(Small(c, c.Matrix("v_proj.weight", size_, size_)), 1));
    }
    gates_.emplace(
        c.parameters,
        OfGates(ReferenceConstant(c.Matrix("gates_proj.weight", 2 * heads_.heads, size_), 0)),
        GateBias(c), Linear::Result::kAdds);
    if (goes_up) {
      silu_gate_.emplace(c.parameters,
                         OfHeads(Small(c, c.Matrix("gate_proj.weight", size_, c.d)), 1),
                         Linear::Result::kReplaces, Linear::Result::kAdds);
    } else {
      output_gate_.emplace(c.parameters,
                           OfHeads(Small(c, c.Matrix("ogate_proj.weight", c.d, c.d)), 1),
                           OfHeads(ReferenceConstant(c.Vector("ogate_proj.bias", c.d), 0), 1),
                           Linear::Result::kAdds);
    }
    if (c.options.at("skip") == "true") {
      skip_ = c.parameters.Add(ReferenceConstant(c.Vector("skip", size_), 1));
    }
    norm_.emplace(c.parameters, c.prefix + "norm", heads_, true);
    out_.emplace(c.parameters,
                 ReadsHeads(ReferenceNormal(c.Matrix("out_proj.weight", c.d, size_),
                                            2 / (static_cast<double>(c.layers) *
                                                 std::sqrt(static_cast<double>(c.d)))),
                            heads_));
  }

  void ParametersChanged() override {
    for (std::optional<Linear>* map : {&up_, &q_k_v_, &q_k_, &v_, &silu_gate_, &out_}) {
      if (*map) (*map)->ParametersChanged();
    }
    for (std::optional<Affine>* map : {&gates_, &output_gate_}) {
      if (*map) (*map)->ParametersChanged();
    }
  }
  std::vector<std::size_t> kept_widths() const override {
    const std::size_t w = heads_.width(), u = up_ ? size_ : 0, c = convolution_ ? size_ : 0;
    return {3 * w, 2 * gate_width_,  gate_width_, gate_width_, w, w, w, w, w, heads_.heads, u, c,
            c,     c > 0 ? 2 * w : 0};
  }
  std::vector<std::size_t> scratch_widths() const override {
    const std::size_t w = heads_.width(), u = up_ ? size_ : 0, c = convolution_ ? size_ : 0;
    return {3 * w, 2 * gate_width_, w, w, w, u, c, c, c > 0 ? 2 * w : 0, c > 0 ? w : 0};
  }
  double SharedBytes(std::size_t positions) const override {
    return static_cast<double>(ShapeOf(positions, 0).backward_scratch() * sizeof(float));
  }

  void Forward(const Pass& pass, const float* x, float* out) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), w = heads_.width();
    if (up_) up_->Forward(rows, x, k.u);
    const float* u = up_ ? k.u : x;
    if (convolution_) {
      convolution_->Forward(pass.outputs, u, k.conv_slope, k.c);
      q_k_->Forward(rows, k.c, k.q_k);
      v_->Forward(rows, u, k.o);  // where there is room until the gate's product
      for (std::size_t r = 0; r < rows; ++r) {
        float* qkv = std::copy_n(k.q_k + r * 2 * w, 2 * w, k.qkv + r * 3 * w);
        std::copy_n(k.o + r * w, w, qkv);
      }
    } else {
      q_k_v_->Forward(rows, u, k.qkv);
    }
    gates_->Product(rows, u, k.gates);
    if (output_gate_) {
      output_gate_->Product(rows, x, k.o);
    } else {
      silu_gate_->Forward(rows, x, k.o);
    }
    Grow(memory_, ShapeOf(1, 0).forward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t at = s.first_row * gate_width_;
      MLstmGates(s.positions, gate_width_, gates_->bias(), k.gates + 2 * at, k.slope + at,
                 k.bound + at);
      MLstmForward(ShapeOf(s.positions, s.first_query), InputOf(k, s), memory_.data(),
                   k.h + s.first_output * w);
    }
    if (norm_first_) norm_->Forward(outputs, k.h, k.normalized, k.norm_factor, k.normed);
    float* read = norm_first_ ? k.normed : k.h;  // by the gate
    if (skip_) {
      ForEachOutput(pass.outputs, [&](std::size_t row, std::size_t output) {
        const float* skip = parameters_.value(*skip_);
        for (std::size_t i = 0; i < size_; ++i) {
          read[output * w + heads_.Place(i)] += skip[i] * k.c[row * size_ + i];
        }
      });
    }
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t count = s.positions - s.first_query, at = s.first_output * w;
      if (output_gate_) {
        OutputGateForward(count, w, output_gate_->bias(), read + at, k.o + FirstRow(s) * w,
                          k.gated + at);
      } else {
        SiluGateForward(count, w, read + at, k.o + FirstRow(s) * w, w, k.gated + at);
      }
    }
    if (!norm_first_) norm_->Forward(outputs, k.gated, k.normalized, k.norm_factor, k.normed);
    out_->Forward(outputs, norm_first_ ? k.gated : k.normed, out);
  }

  void Backward(const Pass& pass, const float* x, const float* d_out, float* dx) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), w = heads_.width();
    float *d_qkv = pass.scratch[0], *d_gates = pass.scratch[1], *d_o = pass.scratch[2];
    // Each stage turns the gradient of its output, in d_later, into that of its input, in dh.
    float *d_later = pass.scratch[4], *dh = pass.scratch[3];
    out_->Backward(outputs, norm_first_ ? k.gated : k.normed, d_out, d_later);
    const auto through_norm = [&] {
      norm_->Backward(outputs, k.normalized, k.norm_factor, d_later, dh);
      std::swap(d_later, dh);
    };
    if (!norm_first_) through_norm();
    // Padding has no gradient, nor has o where there is no output.
    std::fill_n(d_gates, rows * 2 * gate_width_, 0.0f);
    if (outputs < rows) std::fill_n(d_o, rows * w, 0.0f);
    const float* read = norm_first_ ? k.normed : k.h;
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t count = s.positions - s.first_query, at = s.first_output * w,
                        gate = FirstRow(s) * w;
      if (output_gate_) {
        OutputGateBackward(count, w, read + at, k.o + gate, d_later + at, dh + at, d_o + gate);
      } else {
        SiluGateBackward(count, w, read + at, k.o + gate, w, d_later + at, dh + at, d_o + gate);
      }
    }
    std::swap(d_later, dh);
    float* d_c = pass.scratch[6];
    if (skip_) SkipBackward(pass.outputs, k.c, d_later, pass.scratch[7]);
    if (norm_first_) through_norm();
    Grow(memory_, ShapeOf(pass.outputs.strings[0].positions, 0).backward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      MLstmBackward(ShapeOf(s.positions, s.first_query), InputOf(k, s),
                    d_later + s.first_output * w, memory_.data(), d_qkv + s.first_row * 3 * w,
                    d_gates + s.first_row * 2 * gate_width_);
    }
    const float* u = up_ ? k.u : x;
    float* du = up_ ? pass.scratch[5] : dx;
    if (convolution_) {
      float *d_q_k = pass.scratch[8], *d_v = pass.scratch[9], *d_more = pass.scratch[7];
      for (std::size_t r = 0; r < rows; ++r) {
        std::copy_n(d_qkv + r * 3 * w, 2 * w, d_q_k + r * 2 * w);
        std::copy_n(d_qkv + r * 3 * w + 2 * w, w, d_v + r * w);
      }
      q_k_->Backward(rows, k.c, d_q_k, d_c);
      if (skip_) Add(rows * size_, d_more, d_c);
      v_->Backward(rows, u, d_v, du);
      convolution_->Backward(pass.outputs, u, k.conv_slope, d_c, d_more);
      Add(rows * size_, d_more, du);
    } else {
      q_k_v_->Backward(rows, u, d_qkv, du);
    }
    gates_->Backward(rows, u, d_gates, du);
    if (up_) up_->Backward(rows, x, du, dx);
    if (output_gate_) {
      output_gate_->Backward(rows, x, d_o, dx);
    } else {
      silu_gate_->Backward(rows, x, d_o, dx);
    }
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
          norm_factor(kept[9]),
          u(kept[10]),
          conv_slope(kept[11]),
          c(kept[12]),
          q_k(kept[13]) {}

    float* qkv;                    // (R, 3·width): heads padded
    float *gates, *slope, *bound;  // (R, …): see MLstmGates
    float* o;                      // (R, width): o, or W_z x
    float *h, *gated;              // (Q, width): C q/max(…), what leaves the output gate
    float *normalized, *normed;    // (Q, width): without and with the norm's gain
    float* norm_factor;            // (Q, H)
    float* u;                      // (R, size): W_u x, with expand
    float *conv_slope, *c;         // (R, size): SiLU's derivative; what the convolution gives
    float* q_k;                    // (R, 2·width): q and k, before v joins them
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
  template <class Visit>
  static void ForEachOutput(const OutputRows& outputs, Visit visit) {
    for (const OutputRows::String& s : outputs.strings) {
      for (std::size_t t = s.first_query; t < s.positions; ++t) {
        visit(s.first_row + t, s.first_output + t - s.first_query);
      }
    }
  }
  // From the gradient of what the gate reads: that of c, for every row, and adds to that of γ.
  void SkipBackward(const OutputRows& outputs, const float* c, const float* d_read, float* d_c) {
    const float* skip = parameters_.value(*skip_);
    float* d_skip = parameters_.gradient(*skip_);
    std::fill_n(d_c, outputs.num_rows * size_, 0.0f);
    ForEachOutput(outputs, [&](std::size_t row, std::size_t output) {
      for (std::size_t i = 0; i < size_; ++i) {
        const float d = d_read[output * heads_.width() + heads_.Place(i)];
        d_skip[i] += d * c[row * size_ + i];
        d_c[row * size_ + i] = d * skip[i];
      }
    });
  }
  static void Add(std::size_t count, const float* x, float* sum) {
    for (std::size_t i = 0; i < count; ++i) sum[i] += x[i];
  }
  // Returns the row of a string's first output, among all positions.
  static std::size_t FirstRow(const OutputRows::String& s) { return s.first_row + s.first_query; }

  Parameters& parameters_;
  std::size_t size_;  // of what the cell reads
  HeadLayout heads_;
  std::size_t gate_width_;  // heads, padded
  bool norm_first_;
  std::optional<Linear> up_, q_k_v_, q_k_, v_, silu_gate_, out_;
  std::optional<ShortConvolution> convolution_;
  std::optional<Affine> gates_, output_gate_;
  std::optional<std::size_t> skip_;  // the parameter γ
  std::optional<HeadNorm> norm_;
  FloatArray memory_;  // what the memory's loops need
};

std::unique_ptr<Encoder> MakeMLstm(const EncoderConfig& config, Parameters& parameters) {
  const ResidualShape shape = {.mixer_name = "mixer"};
  return std::make_unique<ResidualEncoder>(config, shape, MakeMixer<MLstmMixer>, parameters);
}

std::string MLstmArithmetic(const OptionTexts& options) {
  const bool is_of_0_2 = options.at("order") == "gate-norm" && options.at("conv") == "0" &&
                         options.at("expand") == "1";
  return is_of_0_2 ? "0.2" : "0.3";
}

std::optional<OptionConflict> MLstmConflict(const OptionTexts& options) {
  if (options.at("skip") == "true" && options.at("conv") == "0") {
    return {{"skip", "there is nothing to add with conv = 0"}};
  }
  return ResidualConflict(options);
}

}  // namespace

Architecture DescribeMLstm() {
  Option convolution = ConvolutionOption("0");
  convolution.before = "0";
  return {.name = "mlstm",
          .make = MakeMLstm,
          .size_step = WholeHeads,
          .reads_bos = true,
          .arithmetic = "0.2",
          .options = WithResidualOptions(
              {HeadsOption("4"),
               {.name = "order",
                .values = {"norm-gate", "gate-norm"},
                .default_value = "norm-gate",
                .help = "is the memory's output normed and then gated, "
                        "or gated and then normed?",
                .before = "gate-norm"},
               {.name = "expand",
                .values = {"1", "2"},
                .default_value = "1",
                .help = "the size of what the cell reads, as a multiple of the hidden size",
                .before = "1"},
               convolution,
               {.name = "skip",
                .values = {"false", "true"},
                .default_value = "false",
                .help = "is what the convolution gives added to what "
                        "the output gate multiplies?",
                .before = "false"}}),
          .arithmetic_of = MLstmArithmetic,
          .conflict = MLstmConflict};
}

}  // namespace flare
