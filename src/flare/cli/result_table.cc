#include "flare/cli/result_table.h"

#include <fmt/format.h>

#include <cmath>

namespace flare {

std::string ResultTable(const RunResult& result) {
  std::string text = fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}\n", "SPLIT", "EXAMPLES",
                                 "ACCURACY", "CROSS-ENTROPY", "PERFECT");
  for (const auto& [split, metrics] : result.splits) {
    if (!metrics) {
      text += fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}\n", split, "-", "-", "-", "-");
      continue;
    }
    const double cross_entropy = metrics->recognition_cross_entropy;
    text += fmt::format("{:<20} {:>8}  {:>8.4f}  {:>13}  {:>7}\n", split, metrics->examples,
                        metrics->accuracy,
                        std::isnan(cross_entropy) ? "-" : fmt::format("{:.6f}", cross_entropy),
                        metrics->longest_perfect_length);
  }
  return text;
}

}  // namespace flare
