// The logistic function and its loss, and the normalizer of a softmax, in double and without
// overflow.

#ifndef FLARE_NN_LOGISTIC_H_
#define FLARE_NN_LOGISTIC_H_

#include <algorithm>
#include <cmath>
#include <span>

namespace flare {

// −log σ(margin) = log(1 + exp(−margin)); the margin of a logit z is z for positives, −z for
// others.
inline double LogisticLoss(double margin) {
  return std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
}

// σ(z).
inline double Sigmoid(double z) {
  return z >= 0 ? 1 / (1 + std::exp(-z)) : 1 - 1 / (1 + std::exp(z));
}

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

#endif  // FLARE_NN_LOGISTIC_H_
