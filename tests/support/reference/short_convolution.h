// SiLU after an optional causal depthwise convolution, of mamba and deltanet.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_SHORT_CONVOLUTION_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_SHORT_CONVOLUTION_H_

#include <string>
#include <vector>

#include "support/reference/basics.h"

namespace flare::reference {

template <class T>
T SiLU(T x) {
  return x * Sigmoid(x);
}

template <class T>
T Softplus(T x) {
  return log(1 + exp(x));
}

// y_t = SiLU(b + Σ_k w_k ⊙ x_{t−K+1+k}), with x_t itself if there are no weights.
template <class T>
std::vector<Vector<T>> ConvolvedSiLU(const std::string& name, const Weights<T>& w,
                                     const std::vector<Vector<T>>& x) {
  const std::size_t channels = x[0].size();
  std::vector<Vector<T>> y = x;
  if (w.contains(name + ".weight")) {
    const Vector<T>& weights = w.at(name + ".weight");
    const std::size_t taps = weights.size() / channels;
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t c = 0; c < channels; ++c) {
        y[t][c] = w.contains(name + ".bias") ? w.at(name + ".bias")[c] : T(0);
        for (std::size_t k = 0; k < taps; ++k) {
          if (t + 1 + k >= taps) y[t][c] += weights[c * taps + k] * x[t + 1 + k - taps][c];
        }
      }
    }
  }
  for (auto& row : y) {
    for (T& value : row) value = SiLU(value);
  }
  return y;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_SHORT_CONVOLUTION_H_
