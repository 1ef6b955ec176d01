#include "flare/report/hardest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"
#include "flare/report/data_of_runs.h"

namespace flare::report {
namespace {

constexpr std::size_t kExamples = 10;

// A score that is not a number is the worst: a model that diverged gave it.
double Hardness(const ExampleRow& example) {
  return std::isnan(example.cross_entropy) ? std::numeric_limits<double>::infinity()
                                           : example.cross_entropy;
}

}  // namespace

std::vector<std::string> ReadTestStrings(const Study& study, const std::string& language) {
  std::vector<std::string> strings;
  try {
    const auto text =
        ReadAsRecorded(study.datasets.at(language), SplitPath(study.test_split) / kMainFile,
                       study.data.at(language));
    if (!text) return strings;
    for (const std::string_view line : Lines(*text)) strings.emplace_back(line);
  } catch (...) {
    CaughtFault();  // data that cannot be read counts as missing
  }
  return strings;
}

std::vector<HardExample> ReadHardExamples(const Run& run, const std::vector<std::string>& strings,
                                          RunFiles& files) {
  std::vector<HardExample> hardest = files.Hardest(run);
  if (hardest.size() > kExamples) hardest.resize(kExamples);
  if (!hardest.empty()) return hardest;
  const std::vector<ExampleRow> rows = files.Examples(run, run.test_split);
  // Strings of another dataset would be nonsense next to these scores.
  if (rows.size() != strings.size()) return hardest;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = static_cast<std::ptrdiff_t>(std::min(kExamples, order.size()));
  std::partial_sort(
      order.begin(), order.begin() + count, order.end(), [&](std::size_t a, std::size_t b) {
        return Hardness(rows[a]) != Hardness(rows[b]) ? Hardness(rows[a]) > Hardness(rows[b])
                                                      : a < b;
      });
  order.resize(static_cast<std::size_t>(count));
  for (const std::size_t i : order) {
    hardest.push_back({i, strings[i], rows[i].label, rows[i].logit, {}});
  }
  return hardest;
}

}  // namespace flare::report
