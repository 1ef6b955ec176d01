// Layer norm with what Backward needs.

#ifndef FLARE_NN_NORM_H_
#define FLARE_NN_NORM_H_

#include <cstddef>
#include <string>

#include "flare/nn/aligned.h"
#include "flare/nn/kernels/transformer_kernels.h"
#include "flare/nn/parameters.h"

namespace flare {

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

}  // namespace flare

#endif  // FLARE_NN_NORM_H_
