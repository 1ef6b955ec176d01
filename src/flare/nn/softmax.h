// The normalizer of a softmax, in double.

#ifndef FLARE_NN_SOFTMAX_H_
#define FLARE_NN_SOFTMAX_H_

#include <algorithm>
#include <cmath>
#include <span>

namespace flare {

// log Σ exp(z) = highest + log(sum), without overflow.
struct Exponentials {
  double highest, sum;
};

inline Exponentials HighestAndSum(std::span<const float> logits) {
  Exponentials result{*std::max_element(logits.begin(), logits.end()), 0};
  for (const float z : logits) result.sum += std::exp(z - result.highest);
  return result;
}

}  // namespace flare

#endif  // FLARE_NN_SOFTMAX_H_
