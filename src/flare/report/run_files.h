// The JSON files of sweeps and runs, field by field: the only place of this room that knows how
// they are written. Every fault is an InputError that names the file and the field.

#ifndef FLARE_REPORT_RUN_FILES_H_
#define FLARE_REPORT_RUN_FILES_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/sweep.h"

namespace flare::report {

// What sweep.json holds.
struct SweepFile {
  std::string name;
  std::uint64_t seed = 0;
  std::string data;
  Grid grid;
};

// One checkpoint of a run, with the training loss of its epoch.
struct CurvePoint {
  double epoch = 0;
  double loss = 0;                      // NaN if unknown
  double validation_cross_entropy = 0;  // NaN if it was not finite
  double validation_accuracy = 0;
  bool is_best = false;
};

// The metrics of a split around a length.
struct LengthPoint {
  double length = 0;
  double examples = 0;
  double accuracy = 0;
  double cross_entropy = 0;
  double cross_entropy_std = 0;
};

struct ExampleScore {
  std::size_t index = 0;  // in the split
  double logit = 0;
  bool label = false;
  double length = 0;
  double cross_entropy = 0;
  std::optional<double> edit_distance;
};

// A string that a model finds hard, and what it thought after each of its prefixes.
struct HardExample {
  std::size_t index = 0;
  std::string text;
  bool label = false;
  double logit = 0;
  std::vector<double> prefix_probabilities;  // empty if nobody computed them
};

// Reuses its buffers, so keep one for many files. Not thread-safe.
class RunFiles {
 public:
  RunFiles();
  ~RunFiles();

  SweepFile ReadSweep(const std::filesystem::path& file);
  std::map<std::string, Baselines> ReadBaselines(const std::filesystem::path& file);
  RunConfig ReadConfig(const std::filesystem::path& file);
  // Sets `state` to finished or diverged.
  RunResult ReadResult(const std::filesystem::path& file, RunState& state);
  std::string ReadFailure(const std::filesystem::path& file);
  // A last line without a newline is being written and is not read.
  std::vector<CurvePoint> ReadCurve(const std::filesystem::path& events);
  // The smoothed curves of eval/<split>.json.
  std::vector<LengthPoint> ReadLengthPoints(const std::filesystem::path& file);
  std::vector<ExampleScore> ReadExamples(const std::filesystem::path& jsonl);
  std::vector<HardExample> ReadHardest(const std::filesystem::path& file);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_RUN_FILES_H_
