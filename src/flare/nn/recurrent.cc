#include "flare/nn/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/dropout_kernels.h"
#include "flare/nn/kernels/recurrent_kernels.h"

namespace flare {
namespace {

// Steps of Infer: enough for products of many rows, few enough for the second-level cache.
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
      tokens_(config.vocabulary + (config.reads_eos ? 1 : 0)),
      hidden_(config.hidden),
      width_(Padded(config.hidden)),
      gates_(gates),
      embedding_({.vocabulary = config.vocabulary,
                  .hidden = hidden_,
                  .eos = config.embeds_eos,
                  .bos = false,
                  .eos_counts = config.reads_eos},
                 parameters),
      zeros_(width_, 0) {
  for (std::size_t l = 0; l < config.layers; ++l) {
    const CellContext context = {parameters, config.options, l, config.layers, hidden_, width_};
    Linear from_input(parameters, context.Matrix("weight_ih", gates));
    const std::size_t initial_state =
        parameters.Add(VectorSpec(fmt::format("initial_hidden_l{}", l), hidden_));
    layers_.emplace_back(std::move(from_input), initial_state, make_cell(context));
  }
  const RecurrentCell& cell = *layers_[0].cell;
  kept_width_ = cell.kept_width();
  for (RowArrays* state : {&state_, &d_state_, &d_state_prev_}) {
    *state = RowArrays(cell.state_widths());
  }
  fixed_state_width_ = state_.width();
  state_grows_ = cell.GrowingWidth(1) > 0;
}

void RecurrentEncoder::ParametersChanged() {
  for (Layer& layer : layers_) {
    layer.from_input.ParametersChanged();
    layer.cell->ParametersChanged();
  }
}

void RecurrentEncoder::FitStates(std::size_t longest) {
  if (!state_grows_) return;
  const std::size_t width = layers_[0].cell->GrowingWidth(longest);
  for (RowArrays* state : {&state_, &d_state_, &d_state_prev_}) state->SetLastWidth(width);
  for (Layer& layer : layers_) {
    layer.carried_state.SetLastWidth(width);
    layer.state.SetLastWidth(width);
  }
}

std::size_t RecurrentEncoder::StateWidth(std::size_t longest) const {
  return state_grows_ ? fixed_state_width_ + layers_[0].cell->GrowingWidth(longest)
                      : fixed_state_width_;
}

void RecurrentEncoder::Resize(std::size_t rows, std::size_t strings) {
  Grow(embedded_, rows * width_);
  Grow(embedded_mask_, rows * width_ / 8);
  d_state_.Resize(strings);
  d_state_prev_.Resize(strings);
  for (Layer& layer : layers_) {
    Grow(layer.pre, rows * gates_ * width_);
    Grow(layer.h, rows * width_);
    layer.state.Resize(rows);
    Grow(layer.kept, rows * kept_width_);
    Grow(layer.output, rows * width_);
    Grow(layer.mask, rows * width_ / 8);
  }
}

double RecurrentEncoder::TrainingBytes(std::size_t length) const {
  // Counts what Resize allocates: the embeddings, and for each layer the input of its gates, h, its
  // output, and what the cell carries and keeps.
  const std::size_t of_cell = kept_width_ + StateWidth(length);
  const std::size_t floats_per_row = width_ + layers_.size() * (width_ * (gates_ + 2) + of_cell);
  return static_cast<double>(length + 1) * static_cast<double>(floats_per_row * sizeof(float));
}

double RecurrentEncoder::EncodingBytes(std::size_t length) const {
  if (!state_grows_) return TrainingBytes(length);
  const std::size_t states = (layers_.size() + kStepsAtATime) * StateWidth(length);
  return sizeof(float) * (static_cast<double>(length + 1) * static_cast<double>(width_) +
                          static_cast<double>(states));
}

void RecurrentEncoder::ResizeForInference(std::size_t rows, std::size_t strings) {
  Grow(pre_, rows * gates_ * width_);
  Grow(h_, rows * width_);
  state_.Resize(rows);
  Grow(kept_, strings * kept_width_);
  Grow(symbol_product_, tokens_ * gates_ * width_);
  for (Layer& layer : layers_) {
    Grow(layer.carried_h, strings * width_);
    layer.carried_state.Resize(strings);
  }
}

void RecurrentEncoder::InitialStates(const Layer& layer, std::size_t strings, float* h) const {
  const float* initial = parameters_.value(layer.initial_state);
  for (std::size_t i = 0; i < strings; ++i) std::copy_n(initial, width_, h + i * width_);
  TanhForward(strings, width_, zeros_.data(), h, h);
}

// Returns what a layer passes on: its states after dropout.
const float* RecurrentEncoder::Output(std::size_t layer, const Dropout& dropout) const {
  return dropout.active() ? layers_[layer].output.data() : layers_[layer].h.data();
}

RecurrentCell::Step RecurrentEncoder::StepOf(Layer& layer, const Group& group,
                                             std::size_t t) const {
  const std::size_t here = group.Block(t), before = group.Block(t - 1);
  return {.t = t,
          .longest = group.longest(),
          .rows = group.BlockSize(t),
          .h_prev = layer.h.data() + before * width_,
          .state_prev = layer.state.from(before),
          .pre = layer.pre.data() + here * gates_ * width_,
          .h = layer.h.data() + here * width_,
          .state = layer.state.from(here),
          .kept = layer.kept.data() + here * kept_width_};
}

const float* RecurrentEncoder::Forward(const Group& group, const Dropout& dropout, Positions) {
  const std::size_t rows = group.num_rows(), N = group.num_strings(), W = width_;
  FitStates(group.longest());
  Resize(rows, N);
  const auto drop = [&](std::uint32_t site, const float* x, std::uint8_t* mask, float* y) {
    DropoutBits(rows, W, group.position_of_row().data(), group.string_of_row().data(), site,
                dropout.key, dropout.threshold, mask);
    ApplyDropout(rows * W, mask, dropout.scale(), x, y);
  };

  std::fill_n(embedded_.begin(), N * W, 0.0f);
  embedding_.Forward(std::span(group.token_of_row()).subspan(N), 1, embedded_.data() + N * W);
  if (dropout.active()) drop(0, embedded_.data(), embedded_mask_.data(), embedded_.data());

  const float* input = embedded_.data();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    float* h = layer.h.data();
    float* pre = layer.pre.data();
    InitialStates(layer, N, h);
    layer.state.SetZero(0, N);

    layer.from_input.Forward(rows - N, input + N * W, pre + N * gates_ * W);
    for (std::size_t t = 1; t <= group.longest(); ++t) {
      layer.cell->Forward(StepOf(layer, group, t));
    }
    if (dropout.active()) {
      drop(static_cast<std::uint32_t>(l + 1), h, layer.mask.data(), layer.output.data());
    }
    input = Output(l, dropout);
  }
  return input;
}

template <class Visit>
void RecurrentEncoder::RunFewSteps(const Group& group, Visit visit) {
  const std::size_t N = group.num_strings(), W = width_, GW = gates_ * W;
  FitStates(group.longest());
  ResizeForInference(N * kStepsAtATime, N);
  for (Layer& layer : layers_) {
    InitialStates(layer, N, layer.carried_h.data());
    layer.carried_state.SetZero(0, N);
  }
  // Without dropout, the first layer's inputs are rows of the embeddings, so there is one product
  // per symbol.
  layers_[0].from_input.Forward(tokens_, embedding_.table(), symbol_product_.data());

  for (std::size_t begin = 1; begin <= group.longest(); begin += kStepsAtATime) {
    const std::size_t end = std::min(begin + kStepsAtATime, group.longest() + 1);
    const std::size_t first_row = group.Block(begin), rows = group.Block(end) - first_row;
    for (std::size_t r = 0; r < rows; ++r) {
      std::copy_n(symbol_product_.data() + group.token_of_row()[first_row + r] * GW, GW,
                  pre_.data() + r * GW);
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      Layer& layer = layers_[l];
      if (l > 0) layer.from_input.Forward(rows, h_.data(), pre_.data());
      const float* h_prev = layer.carried_h.data();
      RowArrays::Rows state_prev = layer.carried_state.from(0);
      for (std::size_t t = begin; t < end; ++t) {
        const std::size_t row = group.Block(t) - first_row;
        float* h = h_.data() + row * W;
        const RowArrays::Rows state = state_.from(row);
        layer.cell->Forward({.t = t,
                             .longest = group.longest(),
                             .rows = group.BlockSize(t),
                             .h_prev = h_prev,
                             .state_prev = state_prev,
                             .pre = pre_.data() + row * GW,
                             .h = h,
                             .state = state,
                             .kept = kept_.data()});
        h_prev = h;
        state_prev = state;
      }
      std::copy_n(h_prev, group.BlockSize(end - 1) * W, layer.carried_h.data());
      layer.carried_state.CopyRows(state_prev, group.BlockSize(end - 1));
    }
    visit(begin, end);
  }
}

const float* RecurrentEncoder::Infer(const Group& group) {
  const std::size_t N = group.num_strings(), W = width_;
  Grow(last_, N * W);
  // Empty strings end with the initial states.
  InitialStates(layers_.back(), N, last_.data());
  RunFewSteps(group, [&](std::size_t begin, std::size_t end) {
    const std::size_t first_row = group.Block(begin);
    for (std::size_t i = 0; i < group.BlockSize(begin); ++i) {
      const std::size_t last = std::min(group.length(i), end - 1);
      std::copy_n(h_.data() + (group.Row(i, last) - first_row) * W, W, last_.data() + i * W);
    }
  });
  return last_.data();
}

const float* RecurrentEncoder::Encode(const Group& group) {
  if (!state_grows_) return Forward(group, {}, Positions::kAll);
  const std::size_t W = width_;
  Grow(encoded_, group.num_rows() * W);
  InitialStates(layers_.back(), group.num_strings(), encoded_.data());
  RunFewSteps(group, [&](std::size_t begin, std::size_t end) {
    const std::size_t first_row = group.Block(begin);
    std::copy_n(h_.data(), (group.Block(end) - first_row) * W, encoded_.data() + first_row * W);
  });
  return encoded_.data();
}

void RecurrentEncoder::Backward(const Group& group, const Dropout& dropout, Positions,
                                float* d_hidden) {
  const std::size_t rows = group.num_rows(), N = group.num_strings(), W = width_;
  float* d_output = d_hidden;  // by the layer's output; after the layer, by its input
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    if (dropout.active()) {
      ApplyDropout(rows * W, layer.mask.data(), dropout.scale(), d_output, d_output);
    }
    float* dh = d_output;
    d_state_.SetZero(0, N);
    for (std::size_t t = group.longest(); t >= 1; --t) {
      layer.cell->Backward(StepOf(layer, group, t), {.dh = dh + group.Block(t) * W,
                                                     .d_state = d_state_.from(0),
                                                     .dh_prev = dh + group.Block(t - 1) * W,
                                                     .d_state_prev = d_state_prev_.from(0)});
      std::swap(d_state_, d_state_prev_);
      // Strings that end at t−1 join with no gradient of their state.
      d_state_.SetZero(group.BlockSize(t), group.BlockSize(t - 1));
    }
    layer.cell->FinishBackward();
    // Block 0 now has the gradient of h₀ = tanh(initial state).
    TanhBackward(N * W, layer.h.data(), dh, dh);
    AddColumnSums(N, W, dh, parameters_.gradient(layer.initial_state));

    const float* input = l == 0 ? embedded_.data() : Output(l - 1, dropout);
    // The inputs of block 0 are not used, so their gradient is zero.
    float* d_input = dh;
    std::fill_n(d_input, N * W, 0.0f);
    layer.from_input.Backward(rows - N, input + N * W, layer.pre.data() + N * gates_ * W,
                              d_input + N * W);
    d_output = d_input;
  }
  if (dropout.active()) {
    ApplyDropout(rows * W, embedded_mask_.data(), dropout.scale(), d_output, d_output);
  }
  embedding_.Backward(std::span(group.token_of_row()).subspan(N), 1, d_output + N * W);
}

}  // namespace flare
