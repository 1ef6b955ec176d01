#include "flare/report/holm.h"

#include <algorithm>
#include <numeric>

namespace flare::report {

std::vector<double> HolmAdjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double least = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto factor = static_cast<double>(order.size() - k);
    least = std::max(least, std::min(1.0, factor * p_values[order[k]]));
    adjusted[order[k]] = least;
  }
  return adjusted;
}

}  // namespace flare::report
