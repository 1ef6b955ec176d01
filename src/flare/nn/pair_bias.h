// Learned biases of attention's scores, which depend on the positions i of a query and j ≤ i of a
// key alone (option `positions` of the transformer). A layer has its own.
//
//   t5    bias_ij = table[bucket(i − j)][head]: one bucket for each distance below 16, and 16 for
//         those from 16 to 127, on a logarithmic scale; the last has all beyond, too
//         (Raffel et al. 2020, with its 32 buckets, in one direction)
//   fire  bias_ij = W₂ relu(w₁ x + b₁), x = ψ(i − j)/(ψ(max(i, |512 m|)) + 10⁻⁶),
//         ψ(z) = log(|c| z + 1), with 32 hidden units and learned c and m (Li et al. 2024)
//
// Both are computed in double: there are few pairs, and gradients are sums over all of them.

#ifndef FLARE_NN_PAIR_BIAS_H_
#define FLARE_NN_PAIR_BIAS_H_

#include <cstddef>
#include <memory>
#include <string>

#include "flare/nn/aligned.h"
#include "flare/nn/mixer.h"

namespace flare {

// Returns the bucket of a distance.
std::size_t DistanceBucket(std::size_t distance);

class PairBias {
 public:
  // Vectors of heads are as in AttentionShape: lane l belongs to head l mod padded_heads.
  PairBias(std::size_t heads, std::size_t padded_heads, std::size_t lanes)
      : heads_(heads), padded_heads_(padded_heads), lanes_(lanes) {}
  virtual ~PairBias() = default;

  virtual void ParametersChanged() = 0;
  // A vector of heads for every pair (i, j ≤ i) of that many positions; valid until the next call.
  const float* Forward(std::size_t positions);
  // Room for the gradients of these, all zero.
  float* ClearedGradients(std::size_t positions);
  // Adds what these gradients contribute to the parameters'.
  virtual void Backward(std::size_t positions) = 0;

 protected:
  // Call this when the parameters have changed.
  void Forget() { known_ = 0; }
  // Fills in the biases of a pair's heads.
  virtual void Compute(std::size_t i, std::size_t j, float* biases) = 0;
  std::size_t heads() const { return heads_; }
  const float* GradientsOf(std::size_t pair) const { return gradients_.data() + pair * lanes_; }

 private:
  std::size_t heads_, padded_heads_, lanes_;
  std::size_t known_ = 0;          // positions whose biases are there
  FloatArray biases_, gradients_;  // (pairs, lanes)
};

// Makes the bias for a value of the option `positions`; null if it has none.
std::unique_ptr<PairBias> MakePairBias(const MixerContext& c, const std::string& positions,
                                       std::size_t heads, std::size_t padded_heads,
                                       std::size_t lanes);

}  // namespace flare

#endif  // FLARE_NN_PAIR_BIAS_H_
