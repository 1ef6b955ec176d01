#include "flare/report/hardest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kExamples = 10;

// A score that is no number is the worst: a model that diverged gave it.
double Hardness(const ExampleScore& example) {
  return std::isnan(example.cross_entropy) ? std::numeric_limits<double>::infinity()
                                           : example.cross_entropy;
}

}  // namespace

std::vector<std::string> ReadTestStrings(const Sweep& sweep, const std::string& language) {
  const fs::path file = sweep.datasets.at(language) / SplitPath("test") / kMainFile;
  std::vector<std::string> strings;
  if (!fs::exists(file)) return strings;
  const std::string text = ReadRegularFile(file);
  for (const std::string_view line : Lines(text)) strings.emplace_back(line);
  return strings;
}

std::vector<HardExample> ReadHardExamples(const Run& run, const std::vector<std::string>& strings,
                                          RunFiles& files) {
  const fs::path eval = run.directory / "eval";
  if (fs::exists(eval / "hardest.json")) {
    std::vector<HardExample> examples = files.ReadHardest(eval / "hardest.json");
    if (examples.size() > kExamples) examples.resize(kExamples);
    return examples;
  }
  std::vector<HardExample> hardest;
  if (!fs::exists(eval / "test.jsonl")) return hardest;
  std::vector<ExampleScore> examples = files.ReadExamples(eval / "test.jsonl");
  // Strings of another dataset would be nonsense beside these scores.
  if (examples.size() != strings.size()) return hardest;
  const auto count = static_cast<std::ptrdiff_t>(std::min(kExamples, examples.size()));
  std::partial_sort(examples.begin(), examples.begin() + count, examples.end(),
                    [](const ExampleScore& a, const ExampleScore& b) {
                      return Hardness(a) != Hardness(b) ? Hardness(a) > Hardness(b)
                                                        : a.index < b.index;
                    });
  examples.resize(static_cast<std::size_t>(count));
  for (const ExampleScore& example : examples) {
    hardest.push_back({example.index, strings[example.index], example.label, example.logit, {}});
  }
  return hardest;
}

}  // namespace flare::report
