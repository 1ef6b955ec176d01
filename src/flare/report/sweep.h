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

#include "flare/runs/coordinates.h"
#include "flare/runs/names.h"
#include "flare/runs/result.h"
#include "flare/runs/run_config.h"
#include "flare/runs/run_state.h"

namespace flare::report {

struct Run {
  Coordinates at;
  std::filesystem::path directory;
  RunState state = RunState::kLeft;
  std::optional<RunConfig> config;  // iff begun
  // Those of its config, as runs/run_settings.h lists them.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<RunResult> result;  // iff finished or diverged
  std::string failure;              // why it failed
  std::string test_split = "test";  // the sweep's

  // A metric on a split; nothing if the run is not finished or has no such metric.
  std::optional<double> Metric(std::string_view split, std::string_view metric) const;
  // Of the sweep's test split.
  std::optional<double> TestAccuracy() const { return Metric(test_split, "accuracy"); }
  std::optional<double> LongestPerfectLength() const {
    return Metric(test_split, "longest_perfect_length");
  }
};

// Accuracies of the trivial recognizers on one split.
struct Baselines {
  std::optional<double> majority;
  std::optional<double> majority_per_length;
  std::optional<double> format_only;
  std::optional<double> symbol_counts;
  std::optional<double> ngrams;
};

// What the tables range over. Of several directories: what any of their grids has; not every
// combination need be a run.
struct Axes {
  std::vector<std::string> languages;
  std::vector<std::string> variants;
  std::vector<std::string> losses;
  std::vector<std::string> validations;
  std::vector<std::size_t> budgets;
  std::size_t trials = 0;
};

struct Sweep {
  std::string name;
  std::uint64_t seed = 0;
  Axes axes;
  std::map<std::string, std::string> labels;  // of variants that the user has named
  std::vector<Run> runs;                      // directory by directory, each in grid order
  std::map<std::string, std::filesystem::path> datasets;  // by language
  // By language, then split.
  std::map<std::string, std::map<std::string, Baselines>> baselines;

  // What the tables measure on: "test", the paper's long test set, or the first split of that
  // beginning if the data has another preset's splits.
  std::string test_split = "test";

  // On the test split.
  const Baselines* FindBaselines(const std::string& language) const;
  std::size_t Count(RunState state) const;

  // The budget of the main tables: the paper's 64,000 if the grid has it, else the grid's first.
  std::size_t MainBudget() const;
  // The validation sets of the main tables' two halves: the paper's short and long one, or, of a
  // grid that has neither, its first and second. Empty if there is none.
  std::string FirstValidation() const;
  std::string SecondValidation() const;
  // In the order of the paper's tables (transformer, RNN, LSTM), others after them in grid order.
  std::vector<std::string> Variants() const;
  // How a variant is called: by its label, else "Simple RNN", "LSTM, layers=2"; short: "RNN".
  std::string Title(const std::string& variant) const;
  std::string ShortTitle(const std::string& variant) const;

 private:
  bool HasPapersValidations() const;
};

// Several directories are read as one sweep (say, the main grid and one of model sizes); a run that
// is in more than one counts once, from the first. Throws InputError if a directory is not a sweep
// or one of its files is malformed. Requires: at least one directory.
Sweep ReadSweeps(const std::vector<std::filesystem::path>& directories, const Names& names);

}  // namespace flare::report

#endif  // FLARE_REPORT_SWEEP_H_
