#include "flare/cli/result_table.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "flare/base/text.h"

namespace flare {

namespace {

// What the terms of a loss without recognition say: a column per figure.
std::string TermTable(const RunResult& result, const SplitMetrics& first) {
  std::vector<std::string> figures;
  first.ForEachScalar([&](std::string_view name, double) {
    if (name != "examples" && name != "positives") figures.emplace_back(name);
  });
  std::string text = fmt::format("{:<20} {:>8}", "SPLIT", "EXAMPLES");
  for (const std::string& figure : figures) text += "  " + InCapitals(figure);
  text += "\n";
  for (const auto& [split, metrics] : result.splits) {
    text += fmt::format("{:<20} {:>8}", split,
                        metrics ? std::to_string(metrics->examples) : std::string("-"));
    for (const std::string& figure : figures) {
      const auto value = metrics ? metrics->Find(figure) : std::nullopt;
      text += fmt::format("  {:>{}}", value ? fmt::format("{:.6f}", *value) : "-", figure.size());
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string ResultTable(const RunResult& result) {
  for (const auto& [split, metrics] : result.splits) {
    if (metrics && !metrics->accuracy) return TermTable(result, *metrics);
  }
  std::string text = fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}\n", "SPLIT", "EXAMPLES",
                                 "ACCURACY", "CROSS-ENTROPY", "PERFECT");
  for (const auto& [split, metrics] : result.splits) {
    if (!metrics) {
      text += fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}\n", split, "-", "-", "-", "-");
      continue;
    }
    const double cross_entropy = metrics->recognition_cross_entropy.value_or(kNotANumber);
    text += fmt::format("{:<20} {:>8}  {:>8.4f}  {:>13}  {:>7}\n", split, metrics->examples,
                        *metrics->accuracy,
                        std::isnan(cross_entropy) ? "-" : fmt::format("{:.6f}", cross_entropy),
                        metrics->longest_perfect_length);
  }
  return text;
}

}  // namespace flare
