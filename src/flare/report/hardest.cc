#include "flare/report/hardest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kExamples = 10;

// A score that is no number is the worst: a model that diverged gave it.
double Hardness(const ExampleRow& example) {
  return std::isnan(example.cross_entropy) ? std::numeric_limits<double>::infinity()
                                           : example.cross_entropy;
}

}  // namespace

std::vector<std::string> ReadTestStrings(const Sweep& sweep, const std::string& language) {
  const fs::path file = sweep.datasets.at(language) / SplitPath(sweep.test_split) / kMainFile;
  std::vector<std::string> strings;
  if (!fs::exists(file)) return strings;
  const std::string text = ReadRegularFile(file);
  for (const std::string_view line : Lines(text)) strings.emplace_back(line);
  return strings;
}

std::vector<HardExample> ReadHardExamples(const Run& run, const std::vector<std::string>& strings,
                                          JsonReader& reader) {
  const fs::path eval = run.directory / "eval";
  if (fs::exists(eval / "hardest.json")) {
    std::vector<HardExample> examples = HardestFromJson(reader.Read(eval / "hardest.json"));
    if (examples.size() > kExamples) examples.resize(kExamples);
    return examples;
  }
  std::vector<HardExample> hardest;
  const fs::path file = eval / (run.test_split + ".jsonl");
  if (!fs::exists(file)) return hardest;
  const std::vector<ExampleRow> rows = ReadExamples(ReadRegularFile(file), file, reader);
  // Strings of another dataset would be nonsense beside these scores.
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
