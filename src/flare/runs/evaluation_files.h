// What evaluation leaves: eval/SPLIT.json, the metrics of a split; eval/SPLIT.jsonl, a line per
// example; eval/hardest.json, the examples that the model finds hardest.

#ifndef FLARE_RUNS_EVALUATION_FILES_H_
#define FLARE_RUNS_EVALUATION_FILES_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/result.h"
#include "flare/runs/run_directory.h"

namespace flare {

// A split of this name would have its files where those of the hardest examples are.
inline constexpr const char* kHardest = "hardest";

struct ExampleRow {
  // NaN if the model's is not a number, or if it does not recognize; likewise the cross-entropy.
  float logit = 0;
  bool label = false;
  std::size_t length = 0;
  double cross_entropy = 0;
  bool recognizes = true;  // are the two written?
  // The cross-entropy of each auxiliary term that is defined for this example, by name.
  std::vector<std::pair<std::string, double>> of_terms;
  std::optional<std::size_t> edit_distance;
  // Outer: nothing if the split does not say. Inner: nothing for a string that was not edited.
  std::optional<std::optional<std::size_t>> num_edits;
};

// Adds its line to the text of eval/SPLIT.jsonl.
void AppendExample(const ExampleRow& row, std::string& text);
std::vector<ExampleRow> ReadExamples(std::string_view text, const std::string& file,
                                     JsonReader& reader);

// A string that a model finds hard, and what it thought after each of its prefixes.
struct HardExample {
  std::size_t index = 0;  // in the split
  std::string string;
  bool label = false;
  float logit = 0;
  std::vector<double> prefix_probabilities;  // empty if nobody computed them
};

Json HardestToJson(const std::string& split, const std::vector<HardExample>& examples);
std::vector<HardExample> HardestFromJson(const JsonValue& json);

}  // namespace flare

#endif  // FLARE_RUNS_EVALUATION_FILES_H_
