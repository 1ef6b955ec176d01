// The files of an evaluation: eval/SPLIT.json has the metrics of a split, eval/SPLIT.jsonl a line
// for each example, and eval/hardest.json the examples that the model finds hardest.

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

// A split must not have this name: its files would replace those of the hardest examples.
inline constexpr const char* kHardest = "hardest";

struct ExampleRow {
  // NaN if the model's is not a number, or if it does not recognize; likewise the cross-entropy.
  float logit = 0;
  bool label = false;
  std::size_t length = 0;
  double cross_entropy = 0;
  bool recognizes = true;  // are logit and cross-entropy written?
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

// A string that a model finds hard, with the model's answers after each of its prefixes.
struct HardExample {
  std::size_t index = 0;  // the example's index in the split
  std::string string;
  bool label = false;
  float logit = 0;
  std::vector<double> prefix_probabilities;  // empty if they were not computed
};

Json HardestToJson(const std::string& split, const std::vector<HardExample>& examples);
std::vector<HardExample> HardestFromJson(const JsonValue& json);

}  // namespace flare

#endif  // FLARE_RUNS_EVALUATION_FILES_H_
