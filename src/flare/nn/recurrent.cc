#include "flare/nn/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "flare/base/check.h"
#include "flare/nn/kernels/elementwise.h"

namespace flare {

void Transpose(std::size_t rows, std::size_t columns, const float* in, float* out) {
  constexpr std::size_t kBlock = 8;
  for (std::size_t r = 0; r < rows; r += kBlock) {
    for (std::size_t c = 0; c < columns; c += kBlock) {
      for (std::size_t i = r; i < std::min(r + kBlock, rows); ++i) {
        for (std::size_t j = c; j < std::min(c + kBlock, columns); ++j) {
          out[j * rows + i] = in[i * columns + j];
        }
      }
    }
  }
}

RecurrentEncoder::RecurrentEncoder(const EncoderConfig& config, std::size_t gates,
                                   CellFactory* make_cell, Parameters& parameters)
    : parameters_(parameters),
      vocabulary_(config.vocabulary),
      hidden_(config.hidden),
      width_(Padded(config.hidden)),
      gates_(gates),
      zeros_(width_, 0),
      input_product_(gates * width_, width_, width_, gates * width_, gates * width_, false),
      input_gradient_(width_, gates * width_, gates * width_, width_, width_, false),
      input_weight_gradient_(gates * width_, width_, width_, gates * width_, gates * width_) {
  ParameterSpec embedding;
  embedding.name = "embedding.weight";
  embedding.shape = {vocabulary_ + (config.lm_head ? 1 : 0), hidden_};
  embedding.padded_rows = embedding.shape[0];
  embedding.padded_columns = width_;
  embedding_ = parameters.Add(embedding);
  for (std::size_t l = 0; l < config.layers; ++l) {
    Layer layer;
    layer.input_weights = parameters.Add(
        MatrixSpec(fmt::format("rnn.weight_ih_l{}", l), gates * hidden_, hidden_, gates));
    layer.initial_state = parameters.Add(VectorSpec(fmt::format("initial_hidden_l{}", l), hidden_));
    layer.cell = make_cell({parameters, "rnn", l, hidden_, width_});
    FLARE_CHECK(layer.cell->gates() == gates);
    layer.input_weights_transposed.resize(gates * width_ * width_);
    layers_.push_back(std::move(layer));
  }
}

void RecurrentEncoder::ParametersChanged() {
  for (Layer& layer : layers_) {
    Transpose(width_, gates_ * width_, parameters_.value(layer.input_weights),
              layer.input_weights_transposed.data());
    layer.cell->ParametersChanged();
  }
}

// Grows, never shrinks: after the largest group, nothing is allocated any more. For inference one
// set of buffers serves all layers, but for the states, which the next layer reads: those
// alternate.
void RecurrentEncoder::Resize(std::size_t rows, std::size_t strings, Pass pass) {
  const auto grow = [](auto& array, std::size_t size) {
    if (array.size() < size) array.resize(size);
  };
  const bool training = pass == Pass::kTraining;
  for (std::size_t l = 0;
       l < (training ? layers_.size() : std::min<std::size_t>(2, layers_.size())); ++l) {
    grow(layers_[l].state, rows * width_);
  }
  for (std::size_t l = 0; l < (training ? layers_.size() : 1); ++l) {
    Layer& layer = layers_[l];
    grow(layer.pre, rows * gates_ * width_);
    if (layer.cell->has_memory()) grow(layer.memory, rows * width_);
  }
  if (!training) {
    grow(symbol_product_, vocabulary_ * gates_ * width_);
    return;
  }
  grow(embedded_, rows * width_);
  grow(embedded_mask_, rows * width_ / 8);
  grow(d_memory_, strings * width_);
  grow(d_memory_next_, strings * width_);
  for (Layer& layer : layers_) {
    grow(layer.output, rows * width_);
    grow(layer.mask, rows * width_ / 8);
  }
}

// What a layer passes on: its states after dropout.
const float* RecurrentEncoder::Output(std::size_t layer, const Dropout& dropout) const {
  return dropout.active() ? layers_[layer].output.data() : layers_[layer].state.data();
}

const float* RecurrentEncoder::Forward(const Group& group, const Dropout& dropout, Pass pass) {
  const std::size_t rows = group.num_rows(), N = group.num_strings(), W = width_;
  const bool training = pass == Pass::kTraining;
  FLARE_CHECK(training || !dropout.active());
  Resize(rows, N, pass);
  const auto drop = [&](std::uint32_t site, const float* x, std::uint8_t* mask, float* y) {
    DropoutBits(rows, W, group.position_of_row().data(), group.string_of_row().data(), site,
                dropout.key, dropout.threshold, mask);
    ApplyDropout(rows * W, mask, dropout.scale(), x, y);
  };

  const float* table = parameters_.value(embedding_);
  if (training) {
    std::fill_n(embedded_.begin(), N * W, 0.0f);
    for (std::size_t r = N; r < rows; ++r) {
      std::copy_n(table + group.token_of_row()[r] * W, W, embedded_.data() + r * W);
    }
  }
  if (dropout.active()) drop(0, embedded_.data(), embedded_mask_.data(), embedded_.data());

  const float* input = embedded_.data();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    Layer& buffers = training ? layer : layers_[0];
    float* h = training ? layer.state.data() : layers_[l % 2].state.data();
    float* memory = layer.cell->has_memory() ? buffers.memory.data() : nullptr;
    float* pre = buffers.pre.data();
    // h₀ = tanh(initial state), the same for every string; the memory starts at 0.
    const float* initial = parameters_.value(layer.initial_state);
    for (std::size_t i = 0; i < N; ++i) std::copy_n(initial, W, h + i * W);
    TanhForward(N, W, zeros_.data(), h, h);
    if (memory != nullptr) std::fill_n(memory, N * W, 0.0f);

    if (l == 0 && !training) {
      // Without dropout the first layer's inputs are rows of the embeddings: one product per
      // symbol.
      const std::size_t GW = gates_ * W;
      input_product_(vocabulary_, table, parameters_.value(layer.input_weights),
                     symbol_product_.data());
      for (std::size_t r = N; r < rows; ++r) {
        std::copy_n(symbol_product_.data() + group.token_of_row()[r] * GW, GW, pre + r * GW);
      }
    } else {
      input_product_(rows - N, input + N * W, parameters_.value(layer.input_weights),
                     pre + N * gates_ * W);
    }
    for (std::size_t t = 1; t <= group.longest(); ++t) {
      const std::size_t here = group.Block(t), before = group.Block(t - 1);
      layer.cell->Forward(
          group.BlockSize(t), h + before * W, memory != nullptr ? memory + before * W : nullptr,
          pre + here * gates_ * W, h + here * W, memory != nullptr ? memory + here * W : nullptr);
    }
    if (dropout.active()) {
      drop(static_cast<std::uint32_t>(l + 1), h, layer.mask.data(), layer.output.data());
    }
    input = training ? Output(l, dropout) : h;
  }
  return input;
}

void RecurrentEncoder::Backward(const Group& group, const Dropout& dropout, float* d_hidden) {
  const std::size_t rows = group.num_rows(), N = group.num_strings(), W = width_;
  float* d_output = d_hidden;  // of the layer at hand; then of its inputs
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    if (dropout.active()) {
      ApplyDropout(rows * W, layer.mask.data(), dropout.scale(), d_output, d_output);
    }
    float* dh = d_output;
    const float* h = layer.state.data();
    const float* memory = layer.cell->has_memory() ? layer.memory.data() : nullptr;
    float* pre = layer.pre.data();
    std::fill_n(d_memory_.begin(), N * W, 0.0f);
    for (std::size_t t = group.longest(); t >= 1; --t) {
      const std::size_t here = group.Block(t), before = group.Block(t - 1);
      const std::size_t alive = group.BlockSize(t);
      layer.cell->Backward(alive, h + before * W, memory != nullptr ? memory + before * W : nullptr,
                           h + here * W, memory != nullptr ? memory + here * W : nullptr,
                           dh + here * W, d_memory_.data(), pre + here * gates_ * W,
                           dh + before * W, memory != nullptr ? d_memory_next_.data() : nullptr);
      // Strings that end at t−1 join with no gradient of their memory.
      if (memory != nullptr) {
        std::swap(d_memory_, d_memory_next_);
        const std::size_t joining = group.BlockSize(t - 1);
        std::fill(d_memory_.begin() + static_cast<std::ptrdiff_t>(alive * W),
                  d_memory_.begin() + static_cast<std::ptrdiff_t>(joining * W), 0.0f);
      }
    }
    // Block 0 now has the gradient of h₀ = tanh(initial state).
    TanhBackward(N * W, h, dh, dh);
    AddColumnSums(N, W, dh, parameters_.gradient(layer.initial_state));

    const float* input = l == 0 ? embedded_.data() : Output(l - 1, dropout);
    const float* d_pre = pre + N * gates_ * W;
    input_weight_gradient_(rows - N, input + N * W, d_pre,
                           parameters_.gradient(layer.input_weights));
    // The inputs of block 0 are not used, so their gradient is zero.
    float* d_input = dh;
    std::fill_n(d_input, N * W, 0.0f);
    input_gradient_(rows - N, d_pre, layer.input_weights_transposed.data(), d_input + N * W);
    d_output = d_input;
  }
  if (dropout.active()) {
    ApplyDropout(rows * W, embedded_mask_.data(), dropout.scale(), d_output, d_output);
  }
  float* d_table = parameters_.gradient(embedding_);
  for (std::size_t r = N; r < rows; ++r) {
    float* d_row = d_table + group.token_of_row()[r] * W;
    for (std::size_t j = 0; j < W; ++j) d_row[j] += d_output[r * W + j];
  }
}

}  // namespace flare
