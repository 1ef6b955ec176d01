#include "flare/nn/residual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "flare/base/check.h"
#include "flare/nn/kernels/dropout_kernels.h"
#include "flare/nn/kernels/transformer_kernels.h"

namespace flare {
namespace {

// Dropout's sites: 0 is the embedding, then four per layer, of which the mixer's own is the first.
std::uint32_t SiteOf(std::size_t layer) { return static_cast<std::uint32_t>(1 + 4 * layer); }

// The keep-bits of the outputs' rows; null without dropout.
const std::uint8_t* Mask(const OutputRows& rows, std::size_t width, std::uint32_t site,
                         const Dropout& dropout, std::vector<std::uint8_t>& mask) {
  if (!dropout.active()) return nullptr;
  DropoutBits(rows.size(), width, rows.outputs.position.data(), rows.outputs.string.data(), site,
              dropout.key, dropout.threshold, mask.data());
  return mask.data();
}

}  // namespace

ResidualEncoder::FeedForward::FeedForward(Parameters& parameters, const std::string& prefix,
                                          std::size_t d, std::size_t units)
    : norm(parameters, prefix + "norm2", d),
      up(parameters, MatrixSpec(prefix + "linear1.weight", units, d),
         VectorSpec(prefix + "linear1.bias", units)),
      down(parameters, MatrixSpec(prefix + "linear2.weight", d, units),
           VectorSpec(prefix + "linear2.bias", d)) {}

ResidualEncoder::ResidualEncoder(const EncoderConfig& config, const ResidualShape& shape,
                                 MixerFactory* make_mixer, Parameters& parameters)
    : shape_(shape),
      d_(config.hidden),
      units_(shape.feed_forward * config.hidden),
      embedding_({.vocabulary = config.vocabulary,
                  .hidden = config.hidden,
                  .eos = config.embeds_eos,
                  .bos = true,
                  .eos_counts = config.reads_eos},
                 parameters),
      layers_([&] {
        std::vector<Layer> layers;
        layers.reserve(config.layers);
        for (std::size_t l = 0; l < config.layers; ++l) {
          const std::string prefix = fmt::format("encoder.layers.{}.", l);
          Norm norm(parameters, prefix + "norm1", d_);
          auto mixer =
              make_mixer({parameters, config.options,
                          fmt::format("{}{}.", prefix, shape.mixer_name), l, config.layers, d_});
          layers.push_back({std::move(norm), std::move(mixer), std::nullopt});
          if (units_ > 0) layers.back().feed_forward.emplace(parameters, prefix, d_, units_);
        }
        return layers;
      }()),
      kept_(config.layers),
      final_norm_(parameters, "encoder.norm", config.hidden),
      zeros_(config.hidden, 0),
      mixer_scratch_(layers_[0].mixer->scratch_widths()) {
  FLARE_CHECK(d_ % kLanes == 0);
  for (Kept& kept : kept_) kept.mixer = RowArrays(layers_[0].mixer->kept_widths());
}

void ResidualEncoder::ParametersChanged() {
  for (Layer& layer : layers_) {
    layer.mixer->ParametersChanged();
    if (!layer.feed_forward) continue;
    layer.feed_forward->up.ParametersChanged();
    layer.feed_forward->down.ParametersChanged();
  }
}

double ResidualEncoder::TrainingBytes(std::size_t length) const {
  const auto rows = static_cast<double>(length + 1);
  const auto layers = static_cast<double>(layers_.size());
  const Mixer& mixer = *layers_[0].mixer;
  // A layer keeps its norms' inputs and outputs and the masks in addition to the blocks' own.
  const std::size_t per_layer = 5 * d_ + units_ + kept_[0].mixer.width();
  const std::size_t shared = 10 * d_ + units_ + mixer_scratch_.width();
  return layers * mixer.KeptBytes(length + 1) + mixer.SharedBytes(length + 1) +
         rows * sizeof(float) *
             (layers * static_cast<double>(per_layer) + static_cast<double>(shared));
}

double ResidualEncoder::EncodingBytes(std::size_t length) const {
  const std::size_t floats_per_row =
      (9 + 2 * layers_.size()) * d_ + units_ + kept_[0].mixer.width();
  return static_cast<double>(length + 1) * static_cast<double>(floats_per_row * sizeof(float));
}

const float* ResidualEncoder::Forward(const Group& group, const Dropout& dropout,
                                      Positions wanted) {
  return InGroupOrder(Run(group, dropout, wanted, true));
}

const float* ResidualEncoder::Encode(const Group& group) {
  return InGroupOrder(Run(group, {}, Positions::kAll, false));
}

const float* ResidualEncoder::Infer(const Group& group) {
  Run(group, {}, Positions::kLast, false);
  return top_.data();
}

Mixer::Pass ResidualEncoder::PassOf(std::size_t layer, const OutputRows& outputs,
                                    const Dropout& dropout, bool training) {
  return {.outputs = outputs,
          .dropout = dropout,
          .site = SiteOf(layer),
          .training = training,
          .kept = kept_[training ? layer : 0].mixer.from(0),
          .scratch = mixer_scratch_.from(0)};
}

const OutputRows& ResidualEncoder::Run(const Group& group, const Dropout& dropout, Positions wanted,
                                       bool training) {
  const bool name_pairs = dropout.active() && layers_[0].mixer->names_pairs();
  all_.Assign(group, Positions::kAll, name_pairs);
  last_.Assign(group, Positions::kLast, name_pairs);
  Resize(training);
  Embed(group, dropout);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    Kept& kept = kept_[training ? l : 0];
    const OutputRows& outputs = OutputsOf(l, wanted);
    layer.norm.Forward(all_.size(), x_.data(), kept.y1.data());
    if (&outputs == &last_) KeepLastRows(x_);
    layer.mixer->Forward(PassOf(l, outputs, dropout, training), kept.y1.data(), scratch_.data());
    const float* bias = layer.mixer->bias();
    BiasDropoutAdd(outputs.size(), d_, bias != nullptr ? bias : zeros_.data(), scratch_.data(),
                   Mask(outputs, d_, SiteOf(l) + 1, dropout, kept.mask_mixer), dropout.scale(),
                   x_.data());
    if (layer.feed_forward) RunFeedForward(*layer.feed_forward, SiteOf(l), outputs, dropout, kept);
  }
  const OutputRows& top = OutputsOf(layers_.size() - 1, wanted);
  final_norm_.Forward(top.size(), x_.data(), top_.data());
  return top;
}

void ResidualEncoder::RunFeedForward(FeedForward& block, std::uint32_t site,
                                     const OutputRows& outputs, const Dropout& dropout,
                                     Kept& kept) {
  const std::size_t rows = outputs.size();
  block.norm.Forward(rows, x_.data(), kept.y2.data());
  block.up.Product(rows, kept.y2.data(), kept.hidden.data());
  BiasReluDropout(rows, units_, block.up.bias(),
                  Mask(outputs, units_, site + 2, dropout, kept.mask_hidden), dropout.scale(),
                  kept.hidden.data());
  block.down.Product(rows, kept.hidden.data(), scratch_.data());
  BiasDropoutAdd(rows, d_, block.down.bias(), scratch_.data(),
                 Mask(outputs, d_, site + 3, dropout, kept.mask_down), dropout.scale(), x_.data());
}

void ResidualEncoder::Backward(const Group&, const Dropout& dropout, Positions wanted,
                               float* d_hidden) {
  const std::size_t d = d_;
  const OutputRows& top = OutputsOf(layers_.size() - 1, wanted);
  for (std::size_t r = 0; r < top.size(); ++r) {
    std::copy_n(d_hidden + top.group_row[r] * d, d, scratch_.data() + r * d);
  }
  std::fill_n(dx_.begin(), top.size() * d, 0.0f);
  final_norm_.Backward(top.size(), scratch_.data(), dx_.data());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    const Kept& kept = kept_[l];
    const OutputRows& outputs = OutputsOf(l, wanted);
    if (layer.feed_forward) {
      BackwardFeedForward(*layer.feed_forward, kept, outputs.size(), dropout);
    }
    DropGradient(outputs.size(), kept.mask_mixer, dropout);
    layer.mixer->Backward(PassOf(l, outputs, dropout, true), kept.y1.data(), scratch_.data(),
                          mixed_gradient_.data());
    if (&outputs == &last_) SpreadLastRows(dx_);
    layer.norm.Backward(all_.size(), mixed_gradient_.data(), dx_.data());
  }
  if (dropout.active()) {
    ApplyDropout(all_.size() * d, embedded_mask_.data(), dropout.scale(), dx_.data(), dx_.data());
  }
  embedding_.Backward(token_, EmbeddingScale(), dx_.data());
}

void ResidualEncoder::BackwardFeedForward(FeedForward& block, const Kept& kept, std::size_t rows,
                                          const Dropout& dropout) {
  DropGradient(rows, kept.mask_down, dropout);
  block.down.Backward(rows, kept.hidden.data(), scratch_.data(), wide_.data());
  ReluDropoutBackward(rows * units_, kept.hidden.data(), dropout.scale(), wide_.data());
  block.up.Backward(rows, kept.y2.data(), wide_.data(), scratch_.data());
  block.norm.Backward(rows, scratch_.data(), dx_.data());
}

void ResidualEncoder::DropGradient(std::size_t rows, const std::vector<std::uint8_t>& mask,
                                   const Dropout& dropout) {
  if (dropout.active()) {
    ApplyDropout(rows * d_, mask.data(), dropout.scale(), dx_.data(), scratch_.data());
  } else {
    std::copy_n(dx_.data(), rows * d_, scratch_.data());
  }
}

const float* ResidualEncoder::InGroupOrder(const OutputRows& top) {
  for (std::size_t r = 0; r < top.size(); ++r) {
    std::copy_n(top_.data() + r * d_, d_, hidden_.data() + top.group_row[r] * d_);
  }
  return hidden_.data();
}

void ResidualEncoder::KeepLastRows(FloatArray& rows) {
  for (std::size_t i = 0; i < last_.size(); ++i) {
    std::copy_n(rows.data() + last_.LastRow(i) * d_, d_, scratch_.data() + i * d_);
  }
  std::swap(rows, scratch_);
}

void ResidualEncoder::SpreadLastRows(FloatArray& rows) {
  std::fill_n(scratch_.begin(), all_.size() * d_, 0.0f);
  for (std::size_t i = 0; i < last_.size(); ++i) {
    std::copy_n(rows.data() + i * d_, d_, scratch_.data() + last_.LastRow(i) * d_);
  }
  std::swap(rows, scratch_);
}

void ResidualEncoder::Resize(bool training) {
  const std::size_t d = d_, rows = all_.size();
  for (FloatArray* array : {&x_, &scratch_, &hidden_, &top_}) Grow(*array, rows * d);
  final_norm_.Resize(rows);
  for (Layer& layer : layers_) {
    layer.norm.Resize(rows);
    if (layer.feed_forward) layer.feed_forward->norm.Resize(rows);
  }
  for (std::size_t l = 0; l < (training ? layers_.size() : 1); ++l) {
    Kept& kept = kept_[l];
    Grow(kept.y1, rows * d);
    if (units_ > 0) Grow(kept.y2, rows * d);
    Grow(kept.hidden, rows * units_);
    kept.mixer.Resize(rows);
    if (!training) continue;
    Grow(kept.mask_mixer, rows * d / 8);
    Grow(kept.mask_down, rows * d / 8);
    Grow(kept.mask_hidden, rows * units_ / 8);
  }
  if (training) {
    Grow(dx_, rows * d);
    Grow(mixed_gradient_, rows * d);
    Grow(wide_, rows * units_);
    Grow(embedded_mask_, rows * d / 8);
    mixer_scratch_.Resize(rows);
  }
}

// Sinusoidal encodings (Vaswani et al. 2017), as far as they are needed.
void ResidualEncoder::GrowEncodings(std::size_t positions) {
  const std::size_t d = d_, known = encodings_.size() / d;
  if (known >= positions) return;
  encodings_.resize(positions * d);
  for (std::size_t t = known; t < positions; ++t) {
    for (std::size_t j = 0; j < d; j += 2) {
      const double angle =
          static_cast<double>(t) *
          std::exp(-std::log(10000.0) * static_cast<double>(j) / static_cast<double>(d));
      encodings_[t * d + j] = static_cast<float>(std::sin(angle));
      encodings_[t * d + j + 1] = static_cast<float>(std::cos(angle));
    }
  }
}

float ResidualEncoder::EmbeddingScale() const { return std::sqrt(static_cast<float>(d_)); }

void ResidualEncoder::Embed(const Group& group, const Dropout& dropout) {
  token_.clear();
  for (std::size_t r = 0; r < all_.size(); ++r) {
    token_.push_back(all_.outputs.position[r] == 0 ? embedding_.bos()
                                                   : group.token_of_row()[all_.group_row[r]]);
  }
  embedding_.Forward(token_, EmbeddingScale(), x_.data());
  if (shape_.sinusoidal_positions) {
    GrowEncodings(group.longest() + 1);
    for (std::size_t r = 0; r < all_.size(); ++r) {
      const float* encoding = encodings_.data() + all_.outputs.position[r] * d_;
      for (std::size_t j = 0; j < d_; ++j) x_[r * d_ + j] += encoding[j];
    }
  }
  if (!dropout.active()) return;
  Mask(all_, d_, 0, dropout, embedded_mask_);
  ApplyDropout(all_.size() * d_, embedded_mask_.data(), dropout.scale(), x_.data(), x_.data());
}

}  // namespace flare
