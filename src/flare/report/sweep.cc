#include "flare/report/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "flare/base/check.h"
#include "flare/base/error.h"
#include "flare/data/dataset_config.h"
#include "flare/report/run_files.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

Run ReadRun(const fs::path& directory, RunCoordinates at, RunFiles& files) {
  Run run;
  run.at = std::move(at);
  run.directory = directory;
  if (!fs::exists(directory)) return run;
  if (fs::exists(directory / "config.json")) {
    run.config = files.ReadConfig(directory / "config.json");
  }
  if (fs::exists(directory / "result.json")) {
    run.result = files.ReadResult(directory / "result.json", run.state);
  } else if (fs::exists(directory / "failure.json")) {
    run.state = RunState::kFailed;
    run.failure = files.ReadFailure(directory / "failure.json");
  } else if (fs::exists(directory / "lock")) {
    run.state = RunState::kRunning;
  }
  return run;
}

// In grid order: language > architecture > loss > validation > budget > trial.
std::vector<RunCoordinates> Coordinates(const Grid& grid) {
  std::vector<RunCoordinates> all;
  for (const auto& language : grid.languages) {
    for (const auto& architecture : grid.architectures) {
      for (const auto& loss : grid.losses) {
        for (const auto& validation : grid.validations) {
          for (const std::uint64_t budget : grid.budgets) {
            for (std::size_t trial = 1; trial <= grid.trials; ++trial) {
              all.push_back({language, architecture, loss, validation, budget, trial});
            }
          }
        }
      }
    }
  }
  return all;
}

// Its words become names of files, and its numbers a list of runs.
void CheckGrid(const Grid& grid, const std::string& file) {
  constexpr double kMostRuns = 100'000;
  if (grid.budgets.empty()) throw InputError(file, "the grid has no budgets");
  double runs = static_cast<double>(grid.trials) * static_cast<double>(grid.budgets.size());
  for (const auto* names :
       {&grid.languages, &grid.architectures, &grid.losses, &grid.validations}) {
    for (const std::string& name : *names) CheckDirectoryName(name, file);
    runs *= static_cast<double>(names->size());
  }
  if (runs > kMostRuns) {
    throw InputError(file,
                     fmt::format("the grid has {:.0f} runs, more than {:.0f}", runs, kMostRuns));
  }
}

SweepFile ReadSweepFile(const fs::path& directory, RunFiles& files) {
  if (!fs::exists(directory / "sweep.json")) {
    throw InputError(directory, "no sweep directory: it has no sweep.json",
                     "name the directory that 'flare sweep' was given as --out");
  }
  SweepFile file = files.ReadSweep(directory / "sweep.json");
  CheckGrid(file.grid, directory / "sweep.json");
  return file;
}

template <class T>
void AddNew(const std::vector<T>& from, std::vector<T>& to) {
  for (const T& item : from) {
    if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
  }
}

void AddGrid(const Grid& from, Grid& to) {
  AddNew(from.languages, to.languages);
  AddNew(from.architectures, to.architectures);
  AddNew(from.losses, to.losses);
  AddNew(from.validations, to.validations);
  AddNew(from.budgets, to.budgets);
  to.trials = std::max(to.trials, from.trials);
}

}  // namespace

fs::path RunCoordinates::Path() const {
  return fs::path(language) / architecture / loss / validation / std::to_string(budget) /
         std::to_string(trial);
}

std::string_view Name(RunState state) {
  switch (state) {
    case RunState::kWaiting:
      return "waiting";
    case RunState::kRunning:
      return "running";
    case RunState::kFailed:
      return "failed";
    case RunState::kFinished:
      return "finished";
    case RunState::kDiverged:
      return "diverged";
  }
  __builtin_unreachable();
}

std::optional<double> SplitMetrics::Find(std::string_view name) const {
  for (const auto& [metric, value] : values) {
    if (metric == name) return value;
  }
  return std::nullopt;
}

std::string RunConfig::Setting(std::string_view name) const {
  for (const auto& [setting, value] : settings) {
    if (setting == name) return value;
  }
  return "";
}

std::optional<double> Run::Metric(std::string_view split, std::string_view metric) const {
  if (!result) return std::nullopt;
  const auto found = result->splits.find(std::string(split));
  if (found == result->splits.end()) return std::nullopt;
  return found->second.Find(metric);
}

const Baselines* Sweep::FindBaselines(const std::string& language, const std::string& split) const {
  const auto of_language = baselines.find(language);
  if (of_language == baselines.end()) return nullptr;
  const auto of_split = of_language->second.find(split);
  return of_split == of_language->second.end() ? nullptr : &of_split->second;
}

std::size_t Sweep::Count(RunState state) const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [&](const Run& run) { return run.state == state; }));
}

std::uint64_t Sweep::MainBudget() const {
  constexpr std::uint64_t kPaper = 64'000;
  const auto& budgets = grid.budgets;
  return std::find(budgets.begin(), budgets.end(), kPaper) != budgets.end() ? kPaper : budgets[0];
}

std::vector<std::string> Sweep::Architectures() const {
  static const std::vector<std::string> paper = {"transformer", "rnn", "lstm"};
  std::vector<std::string> ordered = grid.architectures;
  std::stable_sort(ordered.begin(), ordered.end(), [](const std::string& a, const std::string& b) {
    return std::find(paper.begin(), paper.end(), a) < std::find(paper.begin(), paper.end(), b);
  });
  return ordered;
}

Sweep ReadSweep(const std::vector<fs::path>& directories) {
  FLARE_CHECK(!directories.empty());
  RunFiles files;
  Sweep sweep;
  std::set<fs::path> seen;
  for (const fs::path& directory : directories) {
    const SweepFile file = ReadSweepFile(directory, files);
    if (&directory == directories.data()) sweep.seed = file.seed;
    sweep.name += (sweep.name.empty() || file.name.empty() ? "" : " + ") + file.name;
    AddGrid(file.grid, sweep.grid);
    for (RunCoordinates& at : Coordinates(file.grid)) {
      if (!seen.insert(at.Path()).second) continue;
      const fs::path run = directory / "runs" / at.Path();
      sweep.runs.push_back(ReadRun(run, std::move(at), files));
    }
    for (const std::string& language : file.grid.languages) {
      sweep.datasets.try_emplace(language, fs::path(file.data) / language);
      const fs::path baselines = directory / "baselines" / (language + ".json");
      if (!sweep.baselines.contains(language) && fs::exists(baselines)) {
        sweep.baselines[language] = files.ReadBaselines(baselines);
      }
    }
  }
  return sweep;
}

}  // namespace flare::report
