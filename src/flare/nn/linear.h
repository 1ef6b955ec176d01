// A matrix of weights and its three products: with the inputs, with the gradient of the outputs,
// and of both for its own gradient.

#ifndef FLARE_NN_LINEAR_H_
#define FLARE_NN_LINEAR_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "flare/nn/aligned.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/parameters.h"

namespace flare {

class Linear {
 public:
  // Does a result replace what is there, or is it added?
  enum class Result { kReplaces, kAdds };

  // `weights` is a MatrixSpec, which is added to `parameters`; those must outlive this. Nothing but
  // that: what the products need is made when the parameters first have values.
  Linear(Parameters& parameters, ParameterSpec weights, Result output = Result::kReplaces,
         Result input_gradient = Result::kReplaces)
      : parameters_(parameters),
        in_(weights.padded_rows),
        out_(weights.padded_columns),
        weights_(parameters.Add(std::move(weights))),
        output_(output),
        input_gradient_(input_gradient) {}

  std::size_t in() const { return in_; }            // padded
  std::size_t out() const { return out_; }          // padded
  std::size_t weights() const { return weights_; }  // the parameter
  // Call this after the parameters changed and before Forward and Backward.
  void ParametersChanged() {
    if (!products_) products_.emplace(*this);
    const float* W = parameters_.value(weights_);
    if (products_->forward.InPanels()) {
      Grow(arranged_, in_ * out_);
      products_->forward.Arrange(W, arranged_.data());
    }
    // A panel of Wᵀ is some rows of W.
    Grow(transposed_, in_ * out_);
    const std::size_t panel = products_->input_gradient.panel();
    for (std::size_t i = 0; i < in_; i += panel) {
      Transpose(std::min(panel, in_ - i), out_, W + i * out_, transposed_.data() + i * out_);
    }
  }
  // y (rows, out) = x W, or += x W.
  void Forward(std::size_t rows, const float* x, float* y) const {
    const bool in_panels = products_->forward.InPanels();
    products_->forward(rows, x, in_panels ? arranged_.data() : parameters_.value(weights_), y);
  }
  // dx (rows, in) = dy Wᵀ, or += dy Wᵀ; adds xᵀ dy to the gradient of the weights.
  void Backward(std::size_t rows, const float* x, const float* dy, float* dx) {
    InputGradient(rows, dy, dx);
    products_->weight_gradient(rows, x, dy, parameters_.gradient(weights_));
  }
  // The two halves of Backward, for callers that can gather the rows of several steps, which pays
  // if IsLarge().
  void InputGradient(std::size_t rows, const float* dy, float* dx) {
    products_->input_gradient(rows, dy, transposed_.data(), dx);
  }
  void WeightGradient(std::span<const RowsOfBoth> of_x_and_dy) {
    products_->weight_gradient(of_x_and_dy, parameters_.gradient(weights_));
  }
  bool IsLarge() const { return products_->weight_gradient.InTiles(); }

 private:
  struct Products {
    explicit Products(const Linear& l)
        : forward(l.out_, l.in_, l.in_, l.out_, l.output_ == Result::kAdds, l.parameters_.target(),
                  Gemm::Layout::kPanelsIfLarge),
          input_gradient(l.in_, l.out_, l.out_, l.in_, l.input_gradient_ == Result::kAdds,
                         l.parameters_.target(), Gemm::Layout::kPanelsIfLarge),
          weight_gradient(l.out_, l.in_, l.in_, l.out_, l.out_, l.parameters_.target()) {}

    Gemm forward, input_gradient;
    GemmTransposed weight_gradient;
  };

  Parameters& parameters_;
  std::size_t in_, out_;
  std::size_t weights_;
  Result output_, input_gradient_;
  std::optional<Products> products_;
  FloatArray arranged_;    // (in, out), if the product wants it in panels
  FloatArray transposed_;  // (out, in), in the panels of the product
};

// An affine map: a matrix and a bias. What follows the product adds the bias.
class Affine {
 public:
  // Does the gradient of the input replace what is there, or is it added?
  Affine(Parameters& parameters, ParameterSpec weights, ParameterSpec bias,
         Linear::Result input_gradient = Linear::Result::kReplaces)
      : parameters_(parameters),
        linear_(parameters, std::move(weights), Linear::Result::kReplaces, input_gradient),
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

}  // namespace flare

#endif  // FLARE_NN_LINEAR_H_
