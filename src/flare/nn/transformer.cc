// The causal transformer encoder (paper, Appendix C.3): attention as the mixer of residual layers
// (residual.h). With q, k, v = W x + b of each position, split into heads of d/H dimensions,
//
//   p_ij = softmax over j of (q_i·k_j/√(d/H) + bias_ij)      o_i = Σ_j dropout(p_ij) v_j
//   out = W_o [o of all heads] + b_o
//
// Positions (option `positions`):
//   sinusoidal  encodings are added to the embeddings (Vaswani et al. 2017)
//   none        only the causal mask reveals them (NoPE; Haviv et al. 2022)
//   rope        dimensions (2i, 2i+1) of q and k are rotated by t·10000^(−2i/(d/H))
//               (Su et al. 2021)
//   alibi       bias_ij = −2^(−8h/H)·(i − j) for head h = 1, …, H (Press et al. 2022)
//   learned     vectors of a table of `table` positions are added to the embeddings; in training a
//               string begins at a random one, so that later positions are trained, too (SHAPE;
//               Kiyono et al. 2021), else at the first
//   t5, fire    bias_ij is learned (pair_bias.h)
// With randomized = L > 0, sinusoidal and rotary positions are a random subset of 0, …, L − 1 in
// training, in order, and else evenly spaced there (Ruoss et al. 2023; positions.h).
// Mask (option `mask`): position i looks at j ≤ i (causal), or at j < i (strict); then the first
// sees nothing and gets o = 0.
//
// Further shapes (mixer.h has the others):
//   P  causal pairs (i, j ≤ i) of an output i and a position j of its string
//   H  heads, padded to 1, 2, 4 or a multiple of eight
//   L  the lanes of a vector of heads (transformer_kernels.h): H, or eight if they are fewer
//   w  the width of queries, of keys and of values: H times the dimensions of a head

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/dropout_kernels.h"
#include "flare/nn/kernels/transformer_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/mixer.h"
#include "flare/nn/pair_bias.h"
#include "flare/nn/residual.h"

namespace flare {
namespace {

// 500 symbols, BOS, and some after the string.
constexpr char kUsualTable[] = "512";

struct HeadShape {
  std::size_t heads, dims;

  // H
  std::size_t padded() const { return heads <= 4 ? std::bit_ceil(heads) : Padded(heads); }
  std::size_t lanes() const { return std::max(padded(), kLanes); }  // L
  std::size_t width() const { return padded() * dims; }             // w
  // Maps PyTorch's query, key or value i (head-major) to its place among ours ([dimension][head]).
  ParameterSpec::Place places() const {
    return [shape = *this](std::size_t i) {
      const std::size_t d = shape.heads * shape.dims, part = i / d, within = i % d;
      return part * shape.width() + (within % shape.dims) * shape.padded() + within / shape.dims;
    };
  }
};

// q, k, v = W x + b, its outputs as the kernels want them.
Affine MakeProjection(const MixerContext& c, const HeadShape& shape) {
  ParameterSpec weights = c.Matrix("in_proj_weight", 3 * c.d, c.d);
  ParameterSpec bias = c.Vector("in_proj_bias", 3 * c.d);
  for (ParameterSpec* spec : {&weights, &bias}) {
    spec->padded_columns = 3 * shape.width();
    spec->output_place = shape.places();
  }
  return {c.parameters, std::move(weights), std::move(bias)};
}

Affine MakeOutput(const MixerContext& c, const HeadShape& shape) {
  ParameterSpec weights = c.Matrix("out_proj.weight", c.d, c.d);
  weights.padded_rows = shape.width();
  weights.input_place = shape.places();
  return {c.parameters, std::move(weights), c.Vector("out_proj.bias", c.d)};
}

// 2^(−8h/H) for h = 1, …, H in a vector of heads; empty if they are not wanted.
FloatArray AlibiSlopes(const HeadShape& shape, bool wanted) {
  if (!wanted) return {};
  FloatArray slopes(shape.lanes(), 0);
  for (std::size_t l = 0; l < shape.lanes(); ++l) {
    const std::size_t h = l % shape.padded();
    if (h >= shape.heads) continue;
    slopes[l] = static_cast<float>(
        std::exp2(-8 * static_cast<double>(h + 1) / static_cast<double>(shape.heads)));
  }
  return slopes;
}

// The angles of rotary positions, as far as they are needed, as the kernels want them: cos and sin
// for every pair of dimensions, (positions, dims), or of all columns, (positions, 2w).
class Rotation {
 public:
  explicit Rotation(const HeadShape& shape)
      : shape_(shape),
        is_of_columns_(shape.padded() < kLanes),
        row_(is_of_columns_ ? 2 * shape.width() : shape.dims) {}

  // Queries and keys of a string, by their positions' angles; back, if the direction is −1.
  void Rotate(std::span<const std::uint32_t> positions, float direction, float* qkv) {
    const float* angles = Angles(positions);
    const auto rotate = is_of_columns_ ? RotateFewHeads : RotatePairs;
    rotate(positions.size(), shape_.padded(), shape_.dims, 3 * shape_.width(), angles, direction,
           qkv);
  }

 private:
  // Returns the angles of the positions, side by side, which are valid until the next call.
  const float* Angles(std::span<const std::uint32_t> positions) {
    Extend(positions.back() + 1);                                         // they are in order
    if (positions.back() + 1 == positions.size()) return angles_.data();  // 0, 1, 2, …
    Grow(gathered_, positions.size() * row_);
    for (std::size_t t = 0; t < positions.size(); ++t) {
      std::copy_n(angles_.data() + positions[t] * row_, row_, gathered_.data() + t * row_);
    }
    return gathered_.data();
  }
  void Extend(std::size_t positions) {
    const std::size_t known = angles_.size() / row_;
    if (known < positions) angles_.resize(positions * row_);
    for (std::size_t t = known; t < positions; ++t) {
      float* row = angles_.data() + t * row_;
      for (std::size_t i = 0; i < shape_.dims; i += 2) {
        const double angle =
            static_cast<double>(t) * std::exp(-std::log(10000.0) * static_cast<double>(i) /
                                              static_cast<double>(shape_.dims));
        const auto cos = static_cast<float>(std::cos(angle));
        const auto sin = static_cast<float>(std::sin(angle));
        if (is_of_columns_) {
          const std::size_t heads = shape_.padded(), column = i * heads;
          std::fill_n(row + column, 2 * heads, cos);
          std::fill_n(row + shape_.width() + column, heads, -sin);
          std::fill_n(row + shape_.width() + column + heads, heads, sin);
        } else {
          row[i] = cos;
          row[i + 1] = sin;
        }
      }
    }
  }

  HeadShape shape_;
  bool is_of_columns_;
  std::size_t row_;
  FloatArray angles_, gathered_;
};

class Attention : public Mixer {
 public:
  explicit Attention(const MixerContext& c)
      : shape_{OptionNumber(c.options, "heads"), c.d / OptionNumber(c.options, "heads")},
        rotates_(c.options.at("positions") == "rope"),
        strict_(c.options.at("mask") == "strict"),
        qkv_(MakeProjection(c, shape_)),
        out_(MakeOutput(c, shape_)),
        slopes_(AlibiSlopes(shape_, c.options.at("positions") == "alibi")),
        bias_(MakePairBias(c, c.options.at("positions"), shape_.heads, shape_.padded(),
                           shape_.lanes())),
        all_layers_(c.layers * OptionNumber(c.options, "loops")),
        rotation_(shape_) {
    FLARE_CHECK(c.d % shape_.heads == 0);
  }

  void ParametersChanged() override {
    qkv_.ParametersChanged();
    out_.ParametersChanged();
    if (bias_) bias_->ParametersChanged();
  }
  std::vector<std::size_t> kept_widths() const override {
    return {3 * shape_.width(), shape_.width()};
  }
  std::vector<std::size_t> scratch_widths() const override { return kept_widths(); }
  // A float and a bit of mask for every pair of positions and head; a pair is named once for all.
  double KeptBytes(std::size_t positions) const override {
    return static_cast<double>(CausalPairs(positions)) *
           static_cast<double>(shape_.lanes() * sizeof(float) + shape_.lanes() / 8);
  }
  double SharedBytes(std::size_t positions) const override {
    const std::size_t biases = bias_ ? 2 * all_layers_ * shape_.lanes() : 0;
    return static_cast<double>(CausalPairs(positions)) *
           static_cast<double>(2 * sizeof(std::uint32_t) + biases * sizeof(float));
  }
  bool names_pairs() const override { return true; }
  const float* bias() const override { return out_.bias(); }

  void Forward(const Pass& pass, const float* x, float* out) override {
    const std::size_t w = shape_.width(), L = shape_.lanes();
    float* projected = pass.kept[0];
    float* attended = pass.kept[1];
    qkv_.Product(pass.rows(), x, projected);
    AddBias(pass.rows(), 3 * w, qkv_.bias(), projected);
    if (rotates_) Rotate(pass, 1, projected);
    Grow(pair_scratch_, Longest(pass) * L);
    if (pass.training) Grow(p_, pass.outputs.num_pairs * L);
    if (pass.dropout.active()) {
      const OutputRows::Names& names = pass.outputs.pairs;
      Grow(mask_, pass.outputs.num_pairs * L / 8);
      DropoutBits(names.position.size(), L, names.position.data(), names.string.data(), pass.site,
                  pass.dropout.key, pass.dropout.threshold, mask_.data());
    }
    const float* biases = bias_ ? bias_->Forward(Longest(pass)) : nullptr;
    for (const OutputRows::String& s : pass.outputs.strings) {
      AttentionForward(ShapeOf(s, biases), projected + s.first_row * 3 * w, MaskOf(pass, s),
                       pass.dropout.scale(), pass.training ? p_.data() + s.first_pair * L : nullptr,
                       pair_scratch_.data(), attended + s.first_output * w);
    }
    out_.Product(pass.outputs.size(), attended, out);
  }

  void Backward(const Pass& pass, const float* x, const float* d_out, float* dx) override {
    const std::size_t w = shape_.width(), L = shape_.lanes();
    float* d_projected = pass.scratch[0];
    float* d_attended = pass.scratch[1];
    out_.Backward(pass.outputs.size(), pass.kept[1], d_out, d_attended);
    float* d_biases = bias_ ? bias_->ClearedGradients(Longest(pass)) : nullptr;
    for (const OutputRows::String& s : pass.outputs.strings) {
      AttentionBackward(ShapeOf(s, nullptr), pass.kept[0] + s.first_row * 3 * w, MaskOf(pass, s),
                        pass.dropout.scale(), p_.data() + s.first_pair * L,
                        d_attended + s.first_output * w, pair_scratch_.data(),
                        d_projected + s.first_row * 3 * w, d_biases);
    }
    if (bias_) bias_->Backward(Longest(pass));
    if (rotates_) Rotate(pass, -1, d_projected);
    qkv_.Backward(pass.rows(), x, d_projected, dx);
  }

 private:
  AttentionShape ShapeOf(const OutputRows::String& s, const float* biases) const {
    return {.first = s.first_query,
            .n = s.positions,
            .heads = shape_.padded(),
            .dims = shape_.dims,
            .strict = strict_,
            .slopes = slopes_.empty() ? nullptr : slopes_.data(),
            .biases = biases};
  }
  const std::uint8_t* MaskOf(const Pass& pass, const OutputRows::String& s) const {
    return pass.dropout.active() ? mask_.data() + s.first_pair * shape_.lanes() / 8 : nullptr;
  }
  static std::size_t Longest(const Pass& pass) { return pass.outputs.strings[0].positions; }

  // Queries and keys, by their positions' angles; with −1, back.
  void Rotate(const Pass& pass, float direction, float* qkv) {
    for (const OutputRows::String& s : pass.outputs.strings) {
      rotation_.Rotate({pass.positions + s.first_row, s.positions}, direction,
                       qkv + s.first_row * 3 * shape_.width());
    }
  }

  HeadShape shape_;
  bool rotates_, strict_;
  Affine qkv_, out_;
  FloatArray slopes_;  // (L), if there are any
  std::unique_ptr<PairBias> bias_;
  std::size_t all_layers_;
  Rotation rotation_;
  FloatArray p_;                    // (P, L): probabilities, before dropout
  std::vector<std::uint8_t> mask_;  // (P, L): keep-bits, eight to a byte
  FloatArray pair_scratch_;         // (positions of the longest string, L)
};

std::unique_ptr<Encoder> MakeTransformer(const EncoderConfig& config, Parameters& parameters) {
  // Time grows with the square of the length.
  using Encodings = ResidualShape::Encodings;
  const std::string& positions = config.options.at("positions");
  ResidualShape shape = {.encodings = positions == "sinusoidal" ? Encodings::kSinusoidal
                                      : positions == "learned"  ? Encodings::kTable
                                                                : Encodings::kNone,
                         .mixer_name = "self_attn",
                         .longest = 100'000};
  if (positions == "learned") {
    shape.positions = {PositionRange::Kind::kShifted, OptionNumber(config.options, "table")};
    shape.longest = shape.positions.longest();
  } else if (const std::size_t range = OptionNumber(config.options, "randomized"); range > 0) {
    shape.positions = {PositionRange::Kind::kRandomized, range};
    shape.longest = std::min(shape.longest, shape.positions.longest());
  }
  return std::make_unique<ResidualEncoder>(config, shape, MakeMixer<Attention>, parameters);
}

// Heads are of the same size, which is even if their dimensions are rotated in pairs; widths are
// whole vectors.
std::size_t TransformerStep(const OptionTexts& options) {
  const std::size_t heads = OptionNumber(options, "heads");
  return std::lcm(kLanes, options.at("positions") == "rope" ? 2 * heads : heads);
}

// Up to version 0.2, one to four heads were padded to eight, so later bits differ.
std::string TransformerArithmetic(const OptionTexts& options) {
  return OptionNumber(options, "heads") <= 4 ? "0.3" : "0.1";
}

std::optional<OptionConflict> TransformerConflict(const OptionTexts& options) {
  const std::string& positions = options.at("positions");
  const std::string beside = "has no effect with positions = " + positions;
  if (options.at("randomized") != "0" && positions != "sinusoidal" && positions != "rope") {
    return {{"randomized", options.at("randomized") + " " + beside}};
  }
  if (options.at("table") != kUsualTable && positions != "learned") {
    return {{"table", options.at("table") + " " + beside}};
  }
  return ResidualConflict(options);
}

}  // namespace

Architecture DescribeTransformer() {
  return {.name = "transformer",
          .make = MakeTransformer,
          .size_step = TransformerStep,
          .reads_bos = true,
          .arithmetic = "0.1",
          .options = WithResidualOptions(
              {{.name = "positions",
                .values = {"sinusoidal", "none", "rope", "alibi", "learned", "t5", "fire"},
                .default_value = "sinusoidal",
                .help = "how attention tells positions apart"},
               {.name = "mask",
                .values = {"causal", "strict"},
                .default_value = "causal",
                .help = "does a position see itself (causal) or only those before (strict)"},
               HeadsOption("8"),
               {.name = "table",
                .values = {},
                .least = 2,
                .most = 1'000'000,
                .default_value = kUsualTable,
                .help = "the learned positions, BOS's and those after the string included",
                .before = kUsualTable},
               {.name = "randomized",
                .values = {},
                .least = 0,
                .most = 1'000'000,
                .default_value = "0",
                .help = "positions are drawn from so many in training; 0: they are counted",
                .before = "0"}}),
          .arithmetic_of = TransformerArithmetic,
          .conflict = TransformerConflict};
}

}  // namespace flare
