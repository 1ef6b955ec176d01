// A matrix of weights and its three products: with the inputs, with the gradient of the outputs,
// and of both for its own gradient.

#ifndef FLARE_NN_LINEAR_H_
#define FLARE_NN_LINEAR_H_

#include <cstddef>
#include <utility>

#include "flare/nn/aligned.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/parameters.h"

namespace flare {

class Linear {
 public:
  // Does a result replace what is there, or is it added?
  enum class Result { kReplaces, kAdds };

  // `weights` is a MatrixSpec, which is added to `parameters`; those must outlive this.
  Linear(Parameters& parameters, ParameterSpec weights, Result output = Result::kReplaces,
         Result input_gradient = Result::kReplaces)
      : parameters_(parameters),
        in_(weights.padded_rows),
        out_(weights.padded_columns),
        weights_(parameters.Add(std::move(weights))),
        transposed_(in_ * out_),
        product_(out_, in_, in_, out_, out_, output == Result::kAdds, parameters.target()),
        gradient_(in_, out_, out_, in_, in_, input_gradient == Result::kAdds, parameters.target()),
        weight_gradient_(out_, in_, in_, out_, out_, parameters.target()) {}

  std::size_t in() const { return in_; }    // padded
  std::size_t out() const { return out_; }  // padded
  // To be called after the parameters changed and before Backward.
  void ParametersChanged() {
    Transpose(in_, out_, parameters_.value(weights_), transposed_.data());
  }
  // y (rows, out) = x W, or += x W.
  void Forward(std::size_t rows, const float* x, float* y) const {
    product_(rows, x, parameters_.value(weights_), y);
  }
  // dx (rows, in) = dy Wᵀ, or += dy Wᵀ; adds xᵀ dy to the gradient of the weights.
  void Backward(std::size_t rows, const float* x, const float* dy, float* dx) {
    gradient_(rows, dy, transposed_.data(), dx);
    weight_gradient_(rows, x, dy, parameters_.gradient(weights_));
  }

 private:
  Parameters& parameters_;
  std::size_t in_, out_;
  std::size_t weights_;
  FloatArray transposed_;  // (out, in)
  Gemm product_, gradient_;
  GemmTransposed weight_gradient_;
};

}  // namespace flare

#endif  // FLARE_NN_LINEAR_H_
