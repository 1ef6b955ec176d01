// Logistic regression on sparse features (liblinear, L2-regularized, with a bias): for baselines.

#ifndef FLARE_DATA_LOGISTIC_REGRESSION_H_
#define FLARE_DATA_LOGISTIC_REGRESSION_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace flare {

// Features that are not 0, as (index, value), by ascending index.
using SparseVector = std::vector<std::pair<std::size_t, double>>;

class LogisticRegression {
 public:
  // Fits to `examples`, whose features are below `num_features`; `cost` is C, the weight of the
  // losses against ½‖w‖². Deterministic. Requires: as many labels as examples, at least one.
  LogisticRegression(const std::vector<SparseVector>& examples,
                     const std::vector<std::uint8_t>& labels, std::size_t num_features,
                     double cost);
  bool Predict(const SparseVector& features) const;

 private:
  std::vector<double> weights_;
  double bias_ = 0;
};

}  // namespace flare

#endif  // FLARE_DATA_LOGISTIC_REGRESSION_H_
