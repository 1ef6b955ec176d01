#include "flare/nn/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/dropout_kernels.h"
#include "flare/nn/kernels/recurrent_kernels.h"

namespace flare {
namespace {

// Of Infer: enough for products of many rows, few enough for the second-level cache.
constexpr std::size_t kStepsAtATime = 8;

}  // namespace

ParameterSpec CellContext::Matrix(const char* name, std::size_t gates) const {
  return MatrixSpec(fmt::format("rnn.{}_l{}", name, layer), gates * hidden, hidden, gates);
}

ParameterSpec CellContext::Vector(const char* name, std::size_t gates) const {
  return VectorSpec(fmt::format("rnn.{}_l{}", name, layer), gates * hidden, gates);
}

RecurrentEncoder::RecurrentEncoder(const EncoderConfig& config, std::size_t gates,
                                   CellFactory* make_cell, Parameters& parameters)
    : parameters_(parameters),
      vocabulary_(config.vocabulary),
      hidden_(config.hidden),
      width_(Padded(config.hidden)),
      gates_(gates),
      zeros_(width_, 0) {
  ParameterSpec embedding;
  embedding.name = "embedding.weight";
  embedding.shape = {vocabulary_ + (config.lm_head ? 1 : 0), hidden_};
  embedding.padded_rows = embedding.shape[0];
  embedding.padded_columns = width_;
  embedding_ = parameters.Add(embedding);
  for (std::size_t l = 0; l < config.layers; ++l) {
    const CellContext context = {parameters, l, hidden_, width_};
    Linear from_input(parameters, context.Matrix("weight_ih", gates));
    const std::size_t initial_state =
        parameters.Add(VectorSpec(fmt::format("initial_hidden_l{}", l), hidden_));
    layers_.emplace_back(std::move(from_input), initial_state, make_cell(context));
  }
}

void RecurrentEncoder::ParametersChanged() {
  for (Layer& layer : layers_) {
    layer.from_input.ParametersChanged();
    layer.cell->ParametersChanged();
  }
}

void RecurrentEncoder::Resize(std::size_t rows, std::size_t strings) {
  Grow(embedded_, rows * width_);
  Grow(embedded_mask_, rows * width_ / 8);
  Grow(d_memory_, strings * width_);
  Grow(d_memory_next_, strings * width_);
  for (Layer& layer : layers_) {
    Grow(layer.pre, rows * gates_ * width_);
    Grow(layer.state, rows * width_);
    if (layer.cell->has_memory()) Grow(layer.memory, rows * width_);
    Grow(layer.output, rows * width_);
    Grow(layer.mask, rows * width_ / 8);
  }
}

double RecurrentEncoder::TrainingBytes(std::size_t length) const {
  // As Resize takes them: the embeddings, and of each layer what goes into its gates, its states,
  // memories and outputs.
  const std::size_t floats_per_row = width_ * (1 + layers_.size() * (gates_ + 3));
  return static_cast<double>(length + 1) * static_cast<double>(floats_per_row * sizeof(float));
}

void RecurrentEncoder::ResizeForInference(std::size_t rows, std::size_t strings) {
  Grow(pre_, rows * gates_ * width_);
  Grow(state_, rows * width_);
  Grow(last_, strings * width_);
  Grow(symbol_product_, vocabulary_ * gates_ * width_);
  for (Layer& layer : layers_) {
    Grow(layer.carried, strings * width_);
    if (!layer.cell->has_memory()) continue;
    Grow(layer.carried_memory, strings * width_);
    Grow(memory_, rows * width_);
  }
}

void RecurrentEncoder::InitialStates(const Layer& layer, std::size_t strings, float* h) const {
  const float* initial = parameters_.value(layer.initial_state);
  for (std::size_t i = 0; i < strings; ++i) std::copy_n(initial, width_, h + i * width_);
  TanhForward(strings, width_, zeros_.data(), h, h);
}

// What a layer passes on: its states after dropout.
const float* RecurrentEncoder::Output(std::size_t layer, const Dropout& dropout) const {
  return dropout.active() ? layers_[layer].output.data() : layers_[layer].state.data();
}

const float* RecurrentEncoder::Forward(const Group& group, const Dropout& dropout, Positions) {
  const std::size_t rows = group.num_rows(), N = group.num_strings(), W = width_;
  Resize(rows, N);
  const auto drop = [&](std::uint32_t site, const float* x, std::uint8_t* mask, float* y) {
    DropoutBits(rows, W, group.position_of_row().data(), group.string_of_row().data(), site,
                dropout.key, dropout.threshold, mask);
    ApplyDropout(rows * W, mask, dropout.scale(), x, y);
  };

  const float* table = parameters_.value(embedding_);
  std::fill_n(embedded_.begin(), N * W, 0.0f);
  for (std::size_t r = N; r < rows; ++r) {
    std::copy_n(table + group.token_of_row()[r] * W, W, embedded_.data() + r * W);
  }
  if (dropout.active()) drop(0, embedded_.data(), embedded_mask_.data(), embedded_.data());

  const float* input = embedded_.data();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    float* h = layer.state.data();
    float* memory = layer.cell->has_memory() ? layer.memory.data() : nullptr;
    float* pre = layer.pre.data();
    InitialStates(layer, N, h);
    if (memory != nullptr) std::fill_n(memory, N * W, 0.0f);

    layer.from_input.Forward(rows - N, input + N * W, pre + N * gates_ * W);
    for (std::size_t t = 1; t <= group.longest(); ++t) {
      const std::size_t here = group.Block(t), before = group.Block(t - 1);
      layer.cell->Forward(
          group.BlockSize(t), h + before * W, memory != nullptr ? memory + before * W : nullptr,
          pre + here * gates_ * W, h + here * W, memory != nullptr ? memory + here * W : nullptr);
    }
    if (dropout.active()) {
      drop(static_cast<std::uint32_t>(l + 1), h, layer.mask.data(), layer.output.data());
    }
    input = Output(l, dropout);
  }
  return input;
}

const float* RecurrentEncoder::Infer(const Group& group) {
  const std::size_t N = group.num_strings(), W = width_, GW = gates_ * W;
  ResizeForInference(N * kStepsAtATime, N);
  for (Layer& layer : layers_) {
    InitialStates(layer, N, layer.carried.data());
    std::fill(layer.carried_memory.begin(), layer.carried_memory.end(), 0.0f);
  }
  // What empty strings end with.
  std::copy_n(layers_.back().carried.data(), N * W, last_.data());
  // Without dropout the first layer's inputs are rows of the embeddings: one product per symbol.
  layers_[0].from_input.Forward(vocabulary_, parameters_.value(embedding_), symbol_product_.data());

  for (std::size_t begin = 1; begin <= group.longest(); begin += kStepsAtATime) {
    const std::size_t end = std::min(begin + kStepsAtATime, group.longest() + 1);
    const std::size_t first_row = group.Block(begin), rows = group.Block(end) - first_row;
    for (std::size_t r = 0; r < rows; ++r) {
      std::copy_n(symbol_product_.data() + group.token_of_row()[first_row + r] * GW, GW,
                  pre_.data() + r * GW);
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      Layer& layer = layers_[l];
      if (l > 0) layer.from_input.Forward(rows, state_.data(), pre_.data());
      const bool has_memory = layer.cell->has_memory();
      const float* h_prev = layer.carried.data();
      const float* memory_prev = has_memory ? layer.carried_memory.data() : nullptr;
      for (std::size_t t = begin; t < end; ++t) {
        const std::size_t row = group.Block(t) - first_row;
        float* h = state_.data() + row * W;
        float* memory = has_memory ? memory_.data() + row * W : nullptr;
        layer.cell->Forward(group.BlockSize(t), h_prev, memory_prev, pre_.data() + row * GW, h,
                            memory);
        h_prev = h;
        memory_prev = memory;
      }
      std::copy_n(h_prev, group.BlockSize(end - 1) * W, layer.carried.data());
      if (has_memory) {
        std::copy_n(memory_prev, group.BlockSize(end - 1) * W, layer.carried_memory.data());
      }
    }
    for (std::size_t i = 0; i < group.BlockSize(begin); ++i) {
      const std::size_t last = std::min(group.length(i), end - 1);
      std::copy_n(state_.data() + (group.Row(i, last) - first_row) * W, W, last_.data() + i * W);
    }
  }
  return last_.data();
}

void RecurrentEncoder::Backward(const Group& group, const Dropout& dropout, Positions,
                                float* d_hidden) {
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
    // The inputs of block 0 are not used, so their gradient is zero.
    float* d_input = dh;
    std::fill_n(d_input, N * W, 0.0f);
    layer.from_input.Backward(rows - N, input + N * W, pre + N * gates_ * W, d_input + N * W);
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
