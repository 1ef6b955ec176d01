// The causal transformer encoder (paper, Appendix C.3): scaled embeddings and sinusoidal positions,
// BOS first, then per layer, pre-norm,
//
//   x ← x + dropout(W_o attention(LN₁ x) + b_o)    8 heads, causal, dropout on its probabilities
//   x ← x + dropout(W₂ dropout(relu(W₁ LN₂ x + b₁)) + b₂)              hidden units: 4d
//
// and a layer norm at the end. Position t of a string is what follows its first t symbols: BOS is
// 0. Inside, rows are string-major; Forward and Backward translate from and to the group's order.
//
// Shapes are given in these letters:
//   R  rows: the positions of all strings of a group
//   Q  queries: those of them that a layer has an output for, R or one per string
//   P  causal pairs (i, j ≤ i) of a query i and a position j of its string
//   d  the size of the hidden vectors
//   H  heads, 8 of d/H dimensions each

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "flare/base/check.h"
#include "flare/nn/architectures.h"
#include "flare/nn/embedding.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/dropout_kernels.h"
#include "flare/nn/kernels/transformer_kernels.h"
#include "flare/nn/linear.h"

namespace flare {
namespace {

// An affine map. What follows the product adds the bias.
class Affine {
 public:
  Affine(Parameters& parameters, ParameterSpec weights, ParameterSpec bias)
      : parameters_(parameters),
        linear_(parameters, std::move(weights)),
        bias_(parameters.Add(std::move(bias))) {}

  void ParametersChanged() { linear_.ParametersChanged(); }
  const float* bias() const { return parameters_.value(bias_); }
  void Product(std::size_t rows, const float* x, float* y) const { linear_.Forward(rows, x, y); }
  void Backward(std::size_t rows, const float* x, const float* dy, float* dx) {
    linear_.Backward(rows, x, dy, dx);
    AddColumnSums(rows, linear_.out(), dy, parameters_.gradient(bias_));
  }

 private:
  Parameters& parameters_;
  Linear linear_;
  std::size_t bias_;
};

// Layer norm with what Backward needs.
class Norm {
 public:
  Norm(Parameters& parameters, const std::string& name, std::size_t d)
      : parameters_(parameters), d_(d) {
    ParameterSpec gain = VectorSpec(name + ".weight", d);
    gain.initialization = Initialization::kOne;
    gain_ = parameters.Add(gain);
    ParameterSpec bias = VectorSpec(name + ".bias", d);
    bias.initialization = Initialization::kZero;
    bias_ = parameters.Add(bias);
  }
  void Resize(std::size_t rows) {
    Grow(normalized_, rows * d_);
    Grow(deviation_, rows);
  }
  void Forward(std::size_t rows, const float* x, float* y) {
    LayerNormForward(rows, d_, parameters_.value(gain_), parameters_.value(bias_), x,
                     normalized_.data(), deviation_.data(), y);
  }
  // dx += ...
  void Backward(std::size_t rows, const float* dy, float* dx) {
    LayerNormBackward(rows, d_, parameters_.value(gain_), normalized_.data(), deviation_.data(), dy,
                      parameters_.gradient(gain_), parameters_.gradient(bias_), dx);
  }

 private:
  Parameters& parameters_;
  std::size_t d_;
  std::size_t gain_, bias_;
  FloatArray normalized_;  // (rows, d)
  FloatArray deviation_;   // (rows): 1/√(var + ε)
};

// Column of PyTorch's query, key or value i (head-major) among ours ([dimension][head]).
ParameterSpec::Place HeadPlaces(std::size_t d) {
  return [d](std::size_t i) {
    const std::size_t dims = d / kHeads, part = i / d, within = i % d;
    return part * d + (within % dims) * kHeads + within / dims;
  };
}

class TransformerEncoder : public Encoder {
 public:
  TransformerEncoder(const EncoderConfig& config, Parameters& parameters)
      : d_(config.hidden),
        embedding_({.vocabulary = config.vocabulary,
                    .hidden = config.hidden,
                    .eos = config.embeds_eos,
                    .bos = true},
                   parameters),
        layers_(MakeLayers(config, parameters)),
        kept_(config.layers),
        final_norm_(parameters, "encoder.norm", config.hidden) {
    FLARE_CHECK(d_ % kHeads == 0);
  }

  std::size_t width() const override { return d_; }
  std::size_t embedding_parameter() const override { return embedding_.parameter(); }
  GroupLimit training_group() const override { return {8, 2048}; }
  GroupLimit inference_group() const override { return {8, 2048}; }

  double TrainingBytes(std::size_t length) const override {
    // Every layer keeps eight floats and a byte of mask for every pair of positions; a pair is
    // named once for all.
    const auto rows = static_cast<double>(length + 1);
    const double pairs = rows * (rows + 1) / 2;
    const auto layers = static_cast<double>(layers_.size());
    const auto width = static_cast<double>(d_ * sizeof(float));
    return pairs * (layers * (kHeads * sizeof(float) + 1) + 2 * sizeof(std::uint32_t)) +
           rows * width * (13 * layers + 15);
  }
  double EncodingBytes(std::size_t length) const override {
    const auto floats_per_row = static_cast<double>(d_ * (17 + 2 * layers_.size()));
    return static_cast<double>(length + 1) * floats_per_row * sizeof(float);
  }
  // Time grows with the square of the length.
  std::size_t longest() const override { return 100'000; }

  void ParametersChanged() override {
    for (Layer& layer : layers_) {
      for (Affine* map : {&layer.qkv, &layer.out, &layer.up, &layer.down}) map->ParametersChanged();
    }
  }

  const float* Forward(const Group& group, const Dropout& dropout, Positions wanted) override {
    return InGroupOrder(Run(group, dropout, wanted, true));
  }

  const float* Encode(const Group& group) override {
    return InGroupOrder(Run(group, {}, Positions::kAll, false));
  }

  const float* Infer(const Group& group) override {
    Run(group, {}, Positions::kLast, false);
    return top_.data();
  }

  void Backward(const Group&, const Dropout& dropout, Positions wanted, float* d_hidden) override {
    const std::size_t d = d_;
    const Queries& top = QueriesOf(layers_.size() - 1, wanted);
    for (std::size_t r = 0; r < top.size(); ++r) {
      std::copy_n(d_hidden + top.group_row[r] * d, d, scratch_.data() + r * d);
    }
    std::fill_n(dx_.begin(), top.size() * d, 0.0f);
    final_norm_.Backward(top.size(), scratch_.data(), dx_.data());
    for (std::size_t l = layers_.size(); l-- > 0;) {
      Layer& layer = layers_[l];
      const Kept& kept = kept_[l];
      const Queries& queries = QueriesOf(l, wanted);
      const std::size_t rows = queries.size();
      const auto drop_into_scratch = [&](const std::vector<std::uint8_t>& mask) {
        if (dropout.active()) {
          ApplyDropout(rows * d, mask.data(), dropout.scale(), dx_.data(), scratch_.data());
        } else {
          std::copy_n(dx_.data(), rows * d, scratch_.data());
        }
      };
      drop_into_scratch(kept.mask_down);
      layer.down.Backward(rows, kept.hidden.data(), scratch_.data(), wide_.data());
      ReluDropoutBackward(rows * 4 * d, kept.hidden.data(), dropout.scale(), wide_.data());
      layer.up.Backward(rows, kept.y2.data(), wide_.data(), scratch_.data());
      layer.norm2.Backward(rows, scratch_.data(), dx_.data());

      drop_into_scratch(kept.mask_out);
      layer.out.Backward(rows, kept.attended.data(), scratch_.data(), attended_gradient_.data());
      for (const Queries::String& s : queries.strings) {
        AttentionBackward(
            s.first_query, s.positions, d, kept.projected.data() + s.first_row * 3 * d,
            dropout.active() ? kept.mask_attention.data() + s.first_pair : nullptr, dropout.scale(),
            kept.p.data() + s.first_pair * kHeads, attended_gradient_.data() + s.first_output * d,
            pair_scratch_.data(), wide_.data() + s.first_row * 3 * d);
      }
      if (&queries == &last_) SpreadLastRows(dx_);
      layer.qkv.Backward(all_.size(), kept.y1.data(), wide_.data(), scratch_.data());
      layer.norm1.Backward(all_.size(), scratch_.data(), dx_.data());
    }
    if (dropout.active()) {
      ApplyDropout(all_.size() * d, embedded_mask_.data(), dropout.scale(), dx_.data(), dx_.data());
    }
    embedding_.Backward(token_, EmbeddingScale(), dx_.data());
  }

 private:
  struct Layer {
    Norm norm1;
    Affine qkv, out;
    Norm norm2;
    Affine up, down;
  };
  // What a layer leaves to Backward; inference needs one for all layers.
  struct Kept {
    FloatArray y1;         // (R, d): LN₁ x
    FloatArray projected;  // (R, 3d): queries, keys, values
    FloatArray p;          // (P, H): probabilities, before dropout
    FloatArray attended;   // (Q, d)
    FloatArray y2;         // (Q, d): LN₂ x
    FloatArray hidden;     // (Q, 4d): after relu and dropout
    // Keep-bits, eight to a byte.
    std::vector<std::uint8_t> mask_attention;  // (P, H)
    std::vector<std::uint8_t> mask_out;        // (Q, d)
    std::vector<std::uint8_t> mask_hidden;     // (Q, 4d)
    std::vector<std::uint8_t> mask_down;       // (Q, d)
  };
  // The positions of a group that a layer computes its output for, string by string: all of them,
  // or the last of each string, which is all that is needed of the last layer if no more is wanted.
  // Keys and values are those of all positions.
  struct Queries {
    struct String {
      std::size_t first_row, positions;  // among all positions of the group
      std::size_t first_query;           // the position of the first one
      std::size_t first_output;          // its row among the outputs
      std::size_t first_pair;            // its first causal pair among those of all queries
    };
    // What names rows for dropout.
    struct Names {
      std::vector<std::uint32_t> position, string;
    };
    std::vector<String> strings;
    std::vector<std::size_t> group_row;  // of each output
    Names outputs, pairs;
    std::size_t num_pairs = 0;

    std::size_t size() const { return group_row.size(); }
    void Assign(const Group& group, Positions wanted, bool name_pairs);
  };

  static std::vector<Layer> MakeLayers(const EncoderConfig& config, Parameters& parameters) {
    const std::size_t d = config.hidden;
    std::vector<Layer> layers;
    layers.reserve(config.layers);
    for (std::size_t l = 0; l < config.layers; ++l) {
      const std::string prefix = fmt::format("encoder.layers.{}.", l);
      const auto matrix = [&](const std::string& name, std::size_t out, std::size_t in) {
        return MatrixSpec(prefix + name, out, in);
      };
      const auto vector = [&](const std::string& name, std::size_t size) {
        return VectorSpec(prefix + name, size);
      };
      ParameterSpec qkv = matrix("self_attn.in_proj_weight", 3 * d, d);
      ParameterSpec qkv_bias = vector("self_attn.in_proj_bias", 3 * d);
      qkv.output_place = qkv_bias.output_place = HeadPlaces(d);
      ParameterSpec out = matrix("self_attn.out_proj.weight", d, d);
      out.input_place = HeadPlaces(d);
      layers.push_back(
          {Norm(parameters, prefix + "norm1", d),
           Affine(parameters, std::move(qkv), std::move(qkv_bias)),
           Affine(parameters, std::move(out), vector("self_attn.out_proj.bias", d)),
           Norm(parameters, prefix + "norm2", d),
           Affine(parameters, matrix("linear1.weight", 4 * d, d), vector("linear1.bias", 4 * d)),
           Affine(parameters, matrix("linear2.weight", d, 4 * d), vector("linear2.bias", d))});
    }
    return layers;
  }

  const Queries& QueriesOf(std::size_t layer, Positions wanted) const {
    return wanted == Positions::kLast && layer + 1 == layers_.size() ? last_ : all_;
  }

  // Leaves the outputs in top_, and returns whose they are.
  const Queries& Run(const Group& group, const Dropout& dropout, Positions wanted, bool training) {
    all_.Assign(group, Positions::kAll, dropout.active());
    last_.Assign(group, Positions::kLast, dropout.active());
    const std::size_t d = d_;
    Resize(all_.size(), training);
    Embed(group, dropout);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      Layer& layer = layers_[l];
      Kept& kept = kept_[training ? l : 0];
      const Queries& queries = QueriesOf(l, wanted);
      const std::size_t rows = queries.size();
      const auto site = static_cast<std::uint32_t>(1 + 4 * l);
      layer.norm1.Forward(all_.size(), x_.data(), kept.y1.data());
      layer.qkv.Product(all_.size(), kept.y1.data(), kept.projected.data());
      AddBias(all_.size(), 3 * d, layer.qkv.bias(), kept.projected.data());
      Attend(queries, kept, dropout, site, training);
      if (&queries == &last_) KeepLastRows(x_);
      layer.out.Product(rows, kept.attended.data(), scratch_.data());
      BiasDropoutAdd(rows, d, layer.out.bias(), scratch_.data(),
                     Mask(queries.outputs, d, site + 1, dropout, kept.mask_out), dropout.scale(),
                     x_.data());

      layer.norm2.Forward(rows, x_.data(), kept.y2.data());
      layer.up.Product(rows, kept.y2.data(), kept.hidden.data());
      BiasReluDropout(rows, 4 * d, layer.up.bias(),
                      Mask(queries.outputs, 4 * d, site + 2, dropout, kept.mask_hidden),
                      dropout.scale(), kept.hidden.data());
      layer.down.Product(rows, kept.hidden.data(), scratch_.data());
      BiasDropoutAdd(rows, d, layer.down.bias(), scratch_.data(),
                     Mask(queries.outputs, d, site + 3, dropout, kept.mask_down), dropout.scale(),
                     x_.data());
    }
    const Queries& top = QueriesOf(layers_.size() - 1, wanted);
    final_norm_.Forward(top.size(), x_.data(), top_.data());
    return top;
  }

  const float* InGroupOrder(const Queries& top) {
    for (std::size_t r = 0; r < top.size(); ++r) {
      std::copy_n(top_.data() + r * d_, d_, hidden_.data() + top.group_row[r] * d_);
    }
    return hidden_.data();
  }

  // From a row per position to one per string, its last; and back, with zeros for the others.
  void KeepLastRows(FloatArray& rows) {
    for (std::size_t i = 0; i < last_.size(); ++i) {
      std::copy_n(rows.data() + LastRow(i) * d_, d_, scratch_.data() + i * d_);
    }
    std::swap(rows, scratch_);
  }
  void SpreadLastRows(FloatArray& rows) {
    std::fill_n(scratch_.begin(), all_.size() * d_, 0.0f);
    for (std::size_t i = 0; i < last_.size(); ++i) {
      std::copy_n(rows.data() + i * d_, d_, scratch_.data() + LastRow(i) * d_);
    }
    std::swap(rows, scratch_);
  }
  std::size_t LastRow(std::size_t i) const {
    return last_.strings[i].first_row + last_.strings[i].first_query;
  }

  void Resize(std::size_t rows, bool training) {
    const std::size_t d = d_;
    for (FloatArray* array : {&x_, &scratch_, &hidden_, &top_}) Grow(*array, rows * d);
    Grow(pair_scratch_, rows * kHeads);
    final_norm_.Resize(rows);
    for (Layer& layer : layers_) {
      layer.norm1.Resize(rows);
      layer.norm2.Resize(rows);
    }
    for (std::size_t l = 0; l < (training ? layers_.size() : 1); ++l) {
      Kept& kept = kept_[l];
      for (FloatArray* array : {&kept.y1, &kept.y2, &kept.attended}) Grow(*array, rows * d);
      Grow(kept.projected, rows * 3 * d);
      Grow(kept.hidden, rows * 4 * d);
      if (!training) continue;
      Grow(kept.p, all_.num_pairs * kHeads);
      Grow(kept.mask_attention, all_.num_pairs);
      Grow(kept.mask_out, rows * d / 8);
      Grow(kept.mask_down, rows * d / 8);
      Grow(kept.mask_hidden, rows * 4 * d / 8);
    }
    if (training) {
      Grow(dx_, rows * d);
      Grow(attended_gradient_, rows * d);
      Grow(wide_, rows * 4 * d);
      Grow(embedded_mask_, rows * d / 8);
    }
    // Sinusoidal encodings (Vaswani et al. 2017), as far as they are needed.
    std::size_t longest = 0;
    for (const Queries::String& s : all_.strings) longest = std::max(longest, s.positions);
    const std::size_t known = encodings_.size() / d;
    if (known >= longest) return;
    encodings_.resize(longest * d);
    for (std::size_t t = known; t < longest; ++t) {
      for (std::size_t j = 0; j < d; j += 2) {
        const double angle =
            static_cast<double>(t) *
            std::exp(-std::log(10000.0) * static_cast<double>(j) / static_cast<double>(d));
        encodings_[t * d + j] = static_cast<float>(std::sin(angle));
        if (j + 1 < d) encodings_[t * d + j + 1] = static_cast<float>(std::cos(angle));
      }
    }
  }

  float EmbeddingScale() const { return std::sqrt(static_cast<float>(d_)); }

  void Embed(const Group& group, const Dropout& dropout) {
    token_.clear();
    for (std::size_t r = 0; r < all_.size(); ++r) {
      token_.push_back(all_.outputs.position[r] == 0 ? embedding_.bos()
                                                     : group.token_of_row()[all_.group_row[r]]);
    }
    embedding_.Forward(token_, EmbeddingScale(), x_.data());
    for (std::size_t r = 0; r < all_.size(); ++r) {
      const float* encoding = encodings_.data() + all_.outputs.position[r] * d_;
      for (std::size_t j = 0; j < d_; ++j) x_[r * d_ + j] += encoding[j];
    }
    if (!dropout.active()) return;
    Mask(all_.outputs, d_, 0, dropout, embedded_mask_);
    ApplyDropout(all_.size() * d_, embedded_mask_.data(), dropout.scale(), x_.data(), x_.data());
  }

  // The keep-bits of rows of these names; null without dropout.
  static const std::uint8_t* Mask(const Queries::Names& names, std::size_t width,
                                  std::uint32_t site, const Dropout& dropout,
                                  std::vector<std::uint8_t>& mask) {
    if (!dropout.active()) return nullptr;
    DropoutBits(names.position.size(), width, names.position.data(), names.string.data(), site,
                dropout.key, dropout.threshold, mask.data());
    return mask.data();
  }

  void Attend(const Queries& queries, Kept& kept, const Dropout& dropout, std::uint32_t site,
              bool training) {
    const std::uint8_t* mask = Mask(queries.pairs, kHeads, site, dropout, kept.mask_attention);
    for (const Queries::String& s : queries.strings) {
      AttentionForward(s.first_query, s.positions, d_, kept.projected.data() + s.first_row * 3 * d_,
                       mask != nullptr ? mask + s.first_pair : nullptr, dropout.scale(),
                       training ? kept.p.data() + s.first_pair * kHeads : nullptr,
                       pair_scratch_.data(), kept.attended.data() + s.first_output * d_);
    }
  }

  std::size_t d_;
  TokenEmbedding embedding_;
  std::vector<Layer> layers_;
  std::vector<Kept> kept_;
  Norm final_norm_;

  Queries all_, last_;
  std::vector<std::uint32_t> token_;         // (R)
  std::vector<std::uint8_t> embedded_mask_;  // (R, d): keep-bits, eight to a byte
  FloatArray encodings_;                     // (positions of the longest string so far, d)
  FloatArray x_;                             // (R, d), then (Q, d): the residual stream
  FloatArray top_;                           // (Q, d): what the norm at the end makes of it
  FloatArray hidden_;                        // (R, d): the same in the group's order
  FloatArray dx_;                            // (Q, d), then (R, d): the gradient of x_
  FloatArray attended_gradient_;             // (Q, d)
  FloatArray wide_;          // (Q, 4d): gradient of hidden; (R, 3d): gradient of projected
  FloatArray scratch_;       // (R, d)
  FloatArray pair_scratch_;  // (R, H), of which attention uses a string's positions
};

void TransformerEncoder::Queries::Assign(const Group& group, Positions wanted, bool name_pairs) {
  strings.clear();
  group_row.clear();
  for (Names* names : {&outputs, &pairs}) {
    names->position.clear();
    names->string.clear();
  }
  num_pairs = 0;
  std::size_t first_row = 0;
  for (std::size_t i = 0; i < group.num_strings(); ++i) {
    const std::size_t positions = group.length(i) + 1;
    const std::size_t first_query = wanted == Positions::kLast ? positions - 1 : 0;
    strings.push_back({first_row, positions, first_query, size(), num_pairs});
    for (std::size_t t = first_query; t < positions; ++t) {
      group_row.push_back(group.Row(i, t));
      outputs.position.push_back(static_cast<std::uint32_t>(t));
      outputs.string.push_back(group.string(i));
      for (std::size_t j = 0; name_pairs && j <= t; ++j) {
        pairs.position.push_back(static_cast<std::uint32_t>(CausalPairs(t) + j));
        pairs.string.push_back(group.string(i));
      }
    }
    first_row += positions;
    num_pairs += CausalPairs(positions) - CausalPairs(first_query);
  }
}

std::unique_ptr<Encoder> MakeTransformer(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<TransformerEncoder>(config, parameters);
}

}  // namespace

Architecture DescribeTransformer() {
  return {.name = "transformer",
          .make = MakeTransformer,
          .size_step = kHeads,
          .reads_bos = true,
          .arithmetic = "0.1"};
}

}  // namespace flare
