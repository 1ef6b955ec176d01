#include "flare/nn/feed_forward.h"

#include "flare/base/error.h"
#include "flare/nn/kernels/feed_forward_kernels.h"
#include "flare/nn/kernels/transformer_kernels.h"

namespace flare {

FeedForward::Activation FeedForward::ActivationOf(const std::string& name) {
  if (name == "gelu") return Activation::kGelu;
  if (name == "swiglu") return Activation::kSwiglu;
  FLARE_CHECK(name == "relu");
  return Activation::kRelu;
}

FeedForward::FeedForward(Parameters& parameters, const std::string& prefix, std::size_t d,
                         std::size_t units, Activation activation)
    : units_(units),
      activation_(activation),
      up_(parameters, MatrixSpec(prefix + "linear1.weight", RawWidth(activation, units), d),
          VectorSpec(prefix + "linear1.bias", RawWidth(activation, units))),
      down_(parameters, MatrixSpec(prefix + "linear2.weight", d, units),
            VectorSpec(prefix + "linear2.bias", d)) {}

void FeedForward::Resize(std::size_t rows, bool training, Kept& kept) const {
  Grow(kept.raw, rows * raw_width());
  Grow(kept.hidden, rows * units_);
  if (training) Grow(kept.mask, rows * units_ / 8);
}

void FeedForward::Resize(std::size_t rows, Scratch& scratch) const {
  Grow(scratch.d_hidden, rows * units_);
  Grow(scratch.d_raw, rows * raw_width());
}

void FeedForward::ParametersChanged() {
  up_.ParametersChanged();
  down_.ParametersChanged();
}

void FeedForward::Forward(std::size_t rows, const float* x, const std::uint8_t* mask, float scale,
                          Kept& kept, float* out) {
  float* hidden = kept.hidden.data();
  switch (activation_) {
    case Activation::kRelu:
      up_.Product(rows, x, hidden);
      BiasReluDropout(rows, units_, up_.bias(), mask, scale, hidden);
      break;
    case Activation::kGelu:
      up_.Product(rows, x, kept.raw.data());
      GeluForward(rows, units_, up_.bias(), mask, scale, kept.raw.data(), hidden);
      break;
    case Activation::kSwiglu:
      up_.Product(rows, x, kept.raw.data());
      SwigluForward(rows, units_, up_.bias(), mask, scale, kept.raw.data(), hidden);
      break;
  }
  down_.Product(rows, hidden, out);
}

void FeedForward::Backward(std::size_t rows, const float* x, const std::uint8_t* mask, float scale,
                           const Kept& kept, const float* d_out, Scratch& scratch, float* dx) {
  float* d_hidden = scratch.d_hidden.data();
  down_.Backward(rows, kept.hidden.data(), d_out, d_hidden);
  switch (activation_) {
    case Activation::kRelu:
      ReluDropoutBackward(rows * units_, kept.hidden.data(), scale, d_hidden);
      return up_.Backward(rows, x, d_hidden, dx);
    case Activation::kGelu:
      GeluBackward(rows, units_, kept.raw.data(), mask, scale, d_hidden, scratch.d_raw.data());
      break;
    case Activation::kSwiglu:
      SwigluBackward(rows, units_, kept.raw.data(), mask, scale, d_hidden, scratch.d_raw.data());
      break;
  }
  up_.Backward(rows, x, scratch.d_raw.data(), dx);
}

}  // namespace flare
