// An affine map: a matrix and a bias. What follows the product adds the bias.

#ifndef FLARE_NN_AFFINE_H_
#define FLARE_NN_AFFINE_H_

#include <cstddef>
#include <utility>

#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/linear.h"

namespace flare {

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

#endif  // FLARE_NN_AFFINE_H_
