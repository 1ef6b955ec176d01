// The feed-forward block of a residual layer (residual.h), with units hidden units:
//
//   W₂ dropout(a) + b₂        a = relu(W₁ x + b₁)                            (Vaswani et al. 2017)
//                             a = gelu(W₁ x + b₁),  gelu(z) = z σ(√(8/π) (z + 0.044715 z³))
//                                                               (Hendrycks, Gimpel 2016, with tanh)
//                             a = SiLU(W₁ x + b₁) ⊙ (V x + c)    (swiglu; Shazeer 2020, with
//                             biases)
//
// linear1 is W₁, and for swiglu V below it; linear2 is W₂.

#ifndef FLARE_NN_FEED_FORWARD_H_
#define FLARE_NN_FEED_FORWARD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/linear.h"
#include "flare/nn/parameters.h"

namespace flare {

class FeedForward {
 public:
  enum class Activation { kRelu, kGelu, kSwiglu };
  // Returns the activation that the option `activation` names.
  static Activation ActivationOf(const std::string& name);
  // Returns the width of a row of W₁ x and V x.
  static std::size_t RawWidth(Activation activation, std::size_t units) {
    return activation == Activation::kSwiglu ? 2 * units : units;
  }

  // d and units are multiples of 8.
  FeedForward(Parameters& parameters, const std::string& prefix, std::size_t d, std::size_t units,
              Activation activation);

  // Values that Forward keeps for Backward.
  struct Kept {
    FloatArray raw;                  // (Q, RawWidth), before the activation; not for relu
    FloatArray hidden;               // (Q, units): a, after dropout
    std::vector<std::uint8_t> mask;  // (Q, units): keep-bits, eight to a byte
  };
  // Scratch memory of Backward, which all layers share.
  struct Scratch {
    FloatArray d_hidden, d_raw;
  };
  void Resize(std::size_t rows, bool training, Kept& kept) const;
  void Resize(std::size_t rows, Scratch& scratch) const;
  // Floats of a row that both take together.
  std::size_t kept_width() const { return units_ + raw_width(); }

  void ParametersChanged();
  const float* bias() const { return down_.bias(); }
  // Computes out (rows, d) from x (rows, d), still without bias(). `mask` is null without dropout.
  void Forward(std::size_t rows, const float* x, const std::uint8_t* mask, float scale, Kept& kept,
               float* out);
  // Computes dx from d_out; they may be the same array.
  void Backward(std::size_t rows, const float* x, const std::uint8_t* mask, float scale,
                const Kept& kept, const float* d_out, Scratch& scratch, float* dx);

 private:
  std::size_t raw_width() const {
    return activation_ == Activation::kRelu ? 0 : RawWidth(activation_, units_);
  }

  std::size_t units_;
  Activation activation_;
  Affine up_, down_;
};

}  // namespace flare

#endif  // FLARE_NN_FEED_FORWARD_H_
