#include "flare/cli/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
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

std::string ResultTable(const RunResult& result, std::span<const BaselineRow> baselines) {
  for (const auto& [split, metrics] : result.splits) {
    if (metrics && !metrics->accuracy) return TermTable(result, *metrics);
  }
  const auto accuracy = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", *value) : "-";
  };
  const auto end_of_line = [&](const std::string& split) {
    const auto row = std::find_if(baselines.begin(), baselines.end(),
                                  [&](const BaselineRow& one) { return one.split == split; });
    if (row == baselines.end() || row->examples == 0) return std::string("\n");
    return fmt::format("  {:>8.4f}  {:>6}  {:>6.4f}  {:>7.4f}\n", row->majority,
                       accuracy(row->format_only), row->symbol_counts, row->ngrams);
  };
  std::string text = fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}", "SPLIT", "EXAMPLES",
                                 "ACCURACY", "CROSS-ENTROPY", "PERFECT");
  text += baselines.empty() ? "\n" : "  MAJORITY  FORMAT  COUNTS  N-GRAMS\n";
  for (const auto& [split, metrics] : result.splits) {
    if (!metrics) {
      text += fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}\n", split, "-", "-", "-", "-");
      continue;
    }
    const double cross_entropy = metrics->recognition_cross_entropy.value_or(kNotANumber);
    text += fmt::format("{:<20} {:>8}  {:>8.4f}  {:>13}  {:>7}", split, metrics->examples,
                        *metrics->accuracy,
                        std::isnan(cross_entropy) ? "-" : fmt::format("{:.6f}", cross_entropy),
                        metrics->longest_perfect_length);
    text += end_of_line(split);
  }
  return text;
}

}  // namespace flare
