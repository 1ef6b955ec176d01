#include "flare/data/logistic_regression.h"

#include <linear.h>

#include <algorithm>

#include "flare/base/error.h"

namespace flare {

LogisticRegression::LogisticRegression(const std::vector<SparseVector>& examples,
                                       const std::vector<std::uint8_t>& labels,
                                       std::size_t num_features, double cost)
    : weights_(num_features, 0) {
  FLARE_CHECK(!examples.empty() && examples.size() == labels.size());
  // Where all labels are the same there is nothing to fit, and liblinear wants two classes.
  if (std::count(labels.begin(), labels.end(), labels[0]) == std::ssize(labels)) {
    bias_ = labels[0] != 0 ? 1 : -1;
    return;
  }
  // liblinear counts features from 1, wants the bias as a last feature, and -1 as an end mark.
  const int bias_index = static_cast<int>(num_features) + 1;
  std::vector<std::vector<feature_node>> nodes;
  std::vector<feature_node*> rows;
  std::vector<double> targets;
  nodes.reserve(examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    auto& row = nodes.emplace_back();
    for (const auto& [index, value] : examples[i]) {
      row.push_back({static_cast<int>(index) + 1, value});
    }
    row.push_back({bias_index, 1});
    row.push_back({-1, 0});
    rows.push_back(row.data());
    targets.push_back(labels[i] != 0 ? 1 : -1);
  }
  problem fit{};
  fit.l = static_cast<int>(examples.size());
  fit.n = bias_index;
  fit.y = targets.data();
  fit.x = rows.data();
  fit.bias = 1;
  parameter settings{};
  settings.solver_type = L2R_LR;
  settings.eps = 1e-4;
  settings.C = cost;
  // Set once: all of liblinear shares it, and other threads may be fitting.
  [[maybe_unused]] static const bool silenced = [] {
    set_print_string_function([](const char*) {});
    return true;
  }();
  FLARE_CHECK(check_parameter(&fit, &settings) == nullptr);
  model* fitted = train(&fit, &settings);
  // A positive value of w·x stands for liblinear's first class, whichever that is.
  const double sign = fitted->label[0] == 1 ? 1 : -1;
  for (std::size_t i = 0; i < num_features; ++i) weights_[i] = sign * fitted->w[i];
  bias_ = sign * fitted->w[num_features];
  free_and_destroy_model(&fitted);
}

bool LogisticRegression::Predict(const SparseVector& features) const {
  double sum = bias_;
  for (const auto& [index, value] : features) sum += weights_[index] * value;
  return sum >= 0;
}

}  // namespace flare
