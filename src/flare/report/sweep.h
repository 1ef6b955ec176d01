// Sweep directories as the report sees them: every run of the grid, in grid order, with what is
// there of it. Nothing is left out: a run that failed, diverged or has not begun is in the list.

#ifndef FLARE_REPORT_SWEEP_H_
#define FLARE_REPORT_SWEEP_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flare::report {

struct RunCoordinates {
  std::string language;
  std::string architecture;
  std::string loss;        // rec, rec+lm, rec+ns, rec+lm+ns
  std::string validation;  // short, long, or the name of a split
  std::uint64_t budget = 0;
  std::size_t trial = 0;  // from 1

  // LANG/ARCHITECTURE/LOSS/VALIDATION/BUDGET/TRIAL
  std::filesystem::path Path() const;
};

enum class RunState { kWaiting, kRunning, kFailed, kFinished, kDiverged };
// "waiting", "running", ...
std::string_view Name(RunState state);

// The scalar metrics of a run on one split, by the names that result.json gives them. A metric that
// is null there is left out.
struct SplitMetrics {
  std::vector<std::pair<std::string, double>> values;

  std::optional<double> Find(std::string_view name) const;
};

struct RunConfig {
  std::string seed;
  std::string data_sha256;
  // Every scalar setting, in the order of the file, as JSON text without the quotes of strings.
  std::vector<std::pair<std::string, std::string>> settings;

  // Empty if there is none of that name.
  std::string Setting(std::string_view name) const;
};

struct RunResult {
  std::string stop_reason;
  double epochs = 0;
  std::optional<double> best_epoch;
  std::optional<double> validation_cross_entropy;
  std::optional<double> validation_accuracy;
  double parameters = 0;
  double seconds = 0;
  std::optional<double> cpu_seconds;
  double examples_per_second = 0;
  std::string model_sha256;                    // empty if there is no model
  std::map<std::string, SplitMetrics> splits;  // a split without metrics is left out
};

struct Run {
  RunCoordinates at;
  std::filesystem::path directory;
  RunState state = RunState::kWaiting;
  std::optional<RunConfig> config;
  std::optional<RunResult> result;  // iff finished or diverged
  std::string failure;              // why it failed

  // A metric on a split; nothing if the run is not finished or has no such metric.
  std::optional<double> Metric(std::string_view split, std::string_view metric) const;
  // Accuracy on the long test set.
  std::optional<double> TestAccuracy() const { return Metric("test", "accuracy"); }
};

// Accuracies of the trivial recognizers on one split.
struct Baselines {
  std::optional<double> majority;
  std::optional<double> majority_per_length;
  std::optional<double> format_only;
  std::optional<double> symbol_counts;
  std::optional<double> ngrams;
};

struct Grid {
  std::vector<std::string> languages;
  std::vector<std::string> architectures;
  std::vector<std::string> losses;
  std::vector<std::string> validations;
  std::vector<std::uint64_t> budgets;
  std::size_t trials = 0;
};

struct Sweep {
  std::string name;
  std::uint64_t seed = 0;
  // Of several directories: what any of their grids has. Not every combination need be a run.
  Grid grid;
  std::vector<Run> runs;  // directory by directory, each in grid order
  std::map<std::string, std::filesystem::path> datasets;  // by language
  // By language, then split.
  std::map<std::string, std::map<std::string, Baselines>> baselines;

  const Baselines* FindBaselines(const std::string& language, const std::string& split) const;
  std::size_t Count(RunState state) const;

  // The budget of the main tables: the paper's 64,000 if the grid has it, else the grid's first.
  std::uint64_t MainBudget() const;
  // In the order of the paper's tables (transformer, RNN, LSTM), others after them in grid order.
  std::vector<std::string> Architectures() const;
};

// Several directories are read as one sweep (say, the main grid and one of model sizes); a run that
// is in more than one counts once, from the first. Throws InputError if a directory is no sweep or
// one of its files is malformed. Requires: at least one directory.
Sweep ReadSweep(const std::vector<std::filesystem::path>& directories);

}  // namespace flare::report

#endif  // FLARE_REPORT_SWEEP_H_
