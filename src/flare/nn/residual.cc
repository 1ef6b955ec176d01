#include "flare/nn/residual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "flare/base/error.h"
#include "flare/nn/kernels/dropout_kernels.h"
#include "flare/nn/kernels/transformer_kernels.h"

namespace flare {
namespace {

// Dropout's sites: 0 is the embedding, then four per layer, of which the mixer's own is the first.
std::uint32_t SiteOf(std::size_t layer) { return static_cast<std::uint32_t>(1 + 4 * layer); }

// The vectors of positions: a row each.
ParameterSpec TableOf(std::size_t positions, std::size_t d) {
  ParameterSpec spec;
  spec.name = "positions.weight";
  spec.shape = {positions, d};
  spec.padded_rows = positions;
  spec.padded_columns = d;
  return spec;
}

// The keep-bits of the outputs' rows; null without dropout.
const std::uint8_t* Mask(const OutputRows& rows, std::size_t width, std::uint32_t site,
                         const Dropout& dropout, std::vector<std::uint8_t>& mask) {
  if (!dropout.active()) return nullptr;
  DropoutBits(rows.size(), width, rows.outputs.position.data(), rows.outputs.string.data(), site,
              dropout.key, dropout.threshold, mask.data());
  return mask.data();
}

}  // namespace

std::vector<Option> ResidualOptions() {
  Option feed_forward = FeedForwardOption("4");
  feed_forward.before = "4";
  return {std::move(feed_forward),
          {.name = "activation",
           .values = {"relu", "gelu", "swiglu"},
           .default_value = "relu",
           .help = "of the feed-forward block",
           .before = "relu"},
          {.name = "norm",
           .values = {"pre", "post"},
           .default_value = "pre",
           .help = "are layer norms before each block, or after the sum of its input and output",
           .before = "pre"},
          {.name = "tie_embeddings",
           .values = {"true", "false"},
           .default_value = "true",
           .help = "does lm predict by the input embeddings, or by a head of its own?",
           .before = "true"},
          {.name = "loops",
           .values = {},
           .least = 1,
           .most = 1000,
           .default_value = "1",
           .help = "how often a string goes through all layers, with the same weights",
           .before = "1"},
          {.name = "padding",
           .values = {},
           .least = 0,
           .most = 10'000,
           .default_value = "0",
           .help = "symbols of padding that are read after a string before it is recognized",
           .before = "0"}};
}

std::vector<Option> WithResidualOptions(std::vector<Option> own) {
  for (Option& option : ResidualOptions()) {
    const bool has =
        std::any_of(own.begin(), own.end(), [&](const Option& o) { return o.name == option.name; });
    if (!has) own.push_back(std::move(option));
  }
  return own;
}

std::optional<OptionConflict> ResidualConflict(const OptionTexts& options) {
  if (options.at("feed_forward") == "0" && options.at("activation") != "relu") {
    return {{"activation",
             fmt::format("{} has no effect with feed_forward = 0", options.at("activation"))}};
  }
  return std::nullopt;
}

ResidualEncoder::ResidualEncoder(const EncoderConfig& config, const ResidualShape& shape,
                                 MixerFactory* make_mixer, Parameters& parameters)
    : parameters_(parameters),
      shape_(shape),
      padding_(config.reads_padding ? OptionNumber(config.options, "padding") : 0),
      d_(config.hidden),
      units_(OptionNumber(config.options, "feed_forward") * config.hidden),
      norm_first_(config.options.at("norm") == "pre"),
      embedding_({.vocabulary = config.vocabulary,
                  .hidden = config.hidden,
                  .eos = config.embeds_eos,
                  .bos = true,
                  .eos_counts = config.reads_eos,
                  .padding = padding_ > 0},
                 parameters),
      table_(shape.encodings == ResidualShape::Encodings::kTable
                 ? std::make_optional(parameters.Add(TableOf(shape.positions.size, d_)))
                 : std::nullopt),
      layers_([&] {
        std::vector<Layer> layers;
        const std::size_t passes = OptionNumber(config.options, "loops") * config.layers;
        layers.reserve(passes);
        for (std::size_t i = 0; i < passes; ++i) {
          std::optional<Parameters::Sharing> sharing;
          if (i >= config.layers) sharing.emplace(parameters);
          const std::size_t l = i % config.layers;
          const std::string prefix = fmt::format("encoder.layers.{}.", l);
          Norm norm(parameters, prefix + "norm1", d_);
          auto mixer =
              make_mixer({parameters, config.options,
                          fmt::format("{}{}.", prefix, shape.mixer_name), l, config.layers, d_});
          layers.push_back({std::move(norm), std::move(mixer), std::nullopt});
          if (units_ == 0) continue;
          Norm block_norm(parameters, prefix + "norm2", d_);
          FeedForward block(parameters, prefix, d_, units_,
                            FeedForward::ActivationOf(config.options.at("activation")));
          layers.back().block.emplace(std::move(block_norm), std::move(block));
        }
        return layers;
      }()),
      kept_(layers_.size()),
      final_norm_(norm_first_ ? std::make_optional<Norm>(parameters, "encoder.norm", d_)
                              : std::nullopt),
      zeros_(config.hidden, 0),
      mixer_scratch_(layers_[0].mixer->scratch_widths()) {
  FLARE_CHECK(d_ % kLanes == 0);
  for (Kept& kept : kept_) kept.mixer = RowArrays(layers_[0].mixer->kept_widths());
}

std::vector<std::uint32_t> ResidualEncoder::padding() const {
  return std::vector<std::uint32_t>(padding_, embedding_.padding());
}

void ResidualEncoder::ParametersChanged() {
  for (Layer& layer : layers_) {
    layer.mixer->ParametersChanged();
    if (layer.block) layer.block->feed_forward.ParametersChanged();
  }
}

double ResidualEncoder::TrainingBytes(std::size_t length) const {
  const auto rows = static_cast<double>(length + 1);
  const auto layers = static_cast<double>(layers_.size());
  const Mixer& mixer = *layers_[0].mixer;
  // A layer keeps its norms' inputs and outputs and the masks in addition to the blocks' own.
  const std::size_t per_layer = 5 * d_ + BlockWidth() + kept_[0].mixer.width();
  const std::size_t shared = 10 * d_ + BlockWidth() + mixer_scratch_.width();
  return layers * mixer.KeptBytes(length + 1) + mixer.SharedBytes(length + 1) +
         rows * sizeof(float) *
             (layers * static_cast<double>(per_layer) + static_cast<double>(shared));
}

double ResidualEncoder::EncodingBytes(std::size_t length) const {
  const std::size_t floats_per_row =
      (9 + 2 * layers_.size()) * d_ + BlockWidth() + kept_[0].mixer.width();
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
          .positions = positions_.data(),
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
    if (norm_first_) {
      layer.norm.Forward(all_.size(), x_.data(), kept.y1.data());
    } else {
      std::copy_n(x_.data(), all_.size() * d_, kept.y1.data());
    }
    if (&outputs == &last_) KeepLastRows(x_);
    layer.mixer->Forward(PassOf(l, outputs, dropout, training), kept.y1.data(), scratch_.data());
    const float* bias = layer.mixer->bias();
    BiasDropoutAdd(outputs.size(), d_, bias != nullptr ? bias : zeros_.data(), scratch_.data(),
                   Mask(outputs, d_, SiteOf(l) + 1, dropout, kept.mask_mixer), dropout.scale(),
                   x_.data());
    NormAfter(layer.norm, outputs.size());
    if (layer.block) RunBlock(*layer.block, SiteOf(l), outputs, dropout, kept);
  }
  const OutputRows& top = OutputsOf(layers_.size() - 1, wanted);
  if (final_norm_) {
    final_norm_->Forward(top.size(), x_.data(), top_.data());
  } else {
    std::copy_n(x_.data(), top.size() * d_, top_.data());
  }
  return top;
}

void ResidualEncoder::NormAfter(Norm& norm, std::size_t rows) {
  if (norm_first_) return;
  norm.Forward(rows, x_.data(), scratch_.data());
  std::swap(x_, scratch_);
}

void ResidualEncoder::NormAfterBackward(Norm& norm, std::size_t rows) {
  if (norm_first_) return;
  std::swap(dx_, scratch_);
  std::fill_n(dx_.begin(), rows * d_, 0.0f);
  norm.Backward(rows, scratch_.data(), dx_.data());
}

void ResidualEncoder::RunBlock(Block& block, std::uint32_t site, const OutputRows& outputs,
                               const Dropout& dropout, Kept& kept) {
  const std::size_t rows = outputs.size();
  if (norm_first_) {
    block.norm.Forward(rows, x_.data(), kept.y2.data());
  } else {
    std::copy_n(x_.data(), rows * d_, kept.y2.data());
  }
  block.feed_forward.Forward(rows, kept.y2.data(),
                             Mask(outputs, units_, site + 2, dropout, kept.block.mask),
                             dropout.scale(), kept.block, scratch_.data());
  BiasDropoutAdd(rows, d_, block.feed_forward.bias(), scratch_.data(),
                 Mask(outputs, d_, site + 3, dropout, kept.mask_block), dropout.scale(), x_.data());
  NormAfter(block.norm, rows);
}

void ResidualEncoder::Backward(const Group&, const Dropout& dropout, Positions wanted,
                               float* d_hidden) {
  const std::size_t d = d_;
  const OutputRows& top = OutputsOf(layers_.size() - 1, wanted);
  for (std::size_t r = 0; r < top.size(); ++r) {
    std::copy_n(d_hidden + top.group_row[r] * d, d, scratch_.data() + r * d);
  }
  std::fill_n(dx_.begin(), top.size() * d, 0.0f);
  if (final_norm_) {
    final_norm_->Backward(top.size(), scratch_.data(), dx_.data());
  } else {
    std::copy_n(scratch_.data(), top.size() * d, dx_.data());
  }
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    const Kept& kept = kept_[l];
    const OutputRows& outputs = OutputsOf(l, wanted);
    if (layer.block) BackwardBlock(*layer.block, kept, outputs.size(), dropout);
    NormAfterBackward(layer.norm, outputs.size());
    DropGradient(outputs.size(), kept.mask_mixer, dropout);
    layer.mixer->Backward(PassOf(l, outputs, dropout, true), kept.y1.data(), scratch_.data(),
                          mixed_gradient_.data());
    if (&outputs == &last_) SpreadLastRows(dx_);
    if (norm_first_) {
      layer.norm.Backward(all_.size(), mixed_gradient_.data(), dx_.data());
    } else {
      for (std::size_t i = 0; i < all_.size() * d; ++i) dx_[i] += mixed_gradient_[i];
    }
  }
  if (dropout.active()) {
    ApplyDropout(all_.size() * d, embedded_mask_.data(), dropout.scale(), dx_.data(), dx_.data());
  }
  if (table_) {
    float* gradient = parameters_.gradient(*table_);
    for (std::size_t r = 0; r < positions_.size(); ++r) {
      for (std::size_t j = 0; j < d; ++j) gradient[positions_[r] * d + j] += dx_[r * d + j];
    }
  }
  embedding_.Backward(token_, EmbeddingScale(), dx_.data());
}

void ResidualEncoder::BackwardBlock(Block& block, const Kept& kept, std::size_t rows,
                                    const Dropout& dropout) {
  NormAfterBackward(block.norm, rows);
  DropGradient(rows, kept.mask_block, dropout);
  block.feed_forward.Backward(rows, kept.y2.data(),
                              dropout.active() ? kept.block.mask.data() : nullptr, dropout.scale(),
                              kept.block, scratch_.data(), block_scratch_, scratch_.data());
  if (norm_first_) {
    block.norm.Backward(rows, scratch_.data(), dx_.data());
  } else {
    for (std::size_t i = 0; i < rows * d_; ++i) dx_[i] += scratch_[i];
  }
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
  if (final_norm_) final_norm_->Resize(rows);
  for (Layer& layer : layers_) {
    layer.norm.Resize(rows);
    if (layer.block) layer.block->norm.Resize(rows);
  }
  for (std::size_t l = 0; l < (training ? layers_.size() : 1); ++l) {
    Kept& kept = kept_[l];
    Grow(kept.y1, rows * d);
    if (layers_[l].block) {
      Grow(kept.y2, rows * d);
      layers_[l].block->feed_forward.Resize(rows, training, kept.block);
    }
    kept.mixer.Resize(rows);
    if (!training) continue;
    Grow(kept.mask_mixer, rows * d / 8);
    Grow(kept.mask_block, rows * d / 8);
  }
  if (training) {
    Grow(dx_, rows * d);
    Grow(mixed_gradient_, rows * d);
    if (layers_[0].block) layers_[0].block->feed_forward.Resize(rows, block_scratch_);
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

void ResidualEncoder::AddEncodings() {
  if (shape_.encodings == ResidualShape::Encodings::kNone) return;
  const float* encodings = nullptr;
  if (table_) {
    encodings = parameters_.value(*table_);
  } else {
    GrowEncodings(*std::max_element(positions_.begin(), positions_.end()) + 1);
    encodings = encodings_.data();
  }
  for (std::size_t r = 0; r < positions_.size(); ++r) {
    const float* encoding = encodings + positions_[r] * d_;
    for (std::size_t j = 0; j < d_; ++j) x_[r * d_ + j] += encoding[j];
  }
}

void ResidualEncoder::Embed(const Group& group, const Dropout& dropout) {
  token_.clear();
  for (std::size_t r = 0; r < all_.size(); ++r) {
    token_.push_back(all_.outputs.position[r] == 0 ? embedding_.bos()
                                                   : group.token_of_row()[all_.group_row[r]]);
  }
  embedding_.Forward(token_, EmbeddingScale(), x_.data());
  positions_.clear();
  for (std::size_t i = 0; i < group.num_strings(); ++i) {
    AppendPositions(shape_.positions, all_.strings[i].positions, dropout.positions, group.string(i),
                    positions_);
  }
  AddEncodings();
  if (!dropout.active()) return;
  Mask(all_, d_, 0, dropout, embedded_mask_);
  ApplyDropout(all_.size() * d_, embedded_mask_.data(), dropout.scale(), x_.data(), x_.data());
}

}  // namespace flare
