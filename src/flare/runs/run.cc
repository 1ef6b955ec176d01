#include "flare/runs/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/base/lock_file.h"
#include "flare/runs/external.h"
#include "flare/runs/records.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"

namespace flare {

RunCurves ReadCurves(const RunDirectory& run, const RunResult& result, JsonReader& reader) {
  RunCurves curves;
  const auto read = [&](const std::string& file, auto parse) {
    if (const auto text = run.ReadFileOf(result, file)) parse(*text, run.path() / file);
  };
  read(fmt::format("eval/{}.json", TestSplitOf(result)), [&](const auto& text, const auto& file) {
    curves.lengths = LengthPointsFromJson(reader.Parse(text, file));
  });
  read("eval/test-edit-distance.jsonl", [&](const auto& text, const auto& file) {
    curves.edits = ReadExamples(text, file, reader);
  });
  read("events.jsonl", [&](const auto& text, const auto& file) {
    curves.training = ReadCurve(text, file, reader);
  });
  return curves;
}

std::vector<CurvePoint> Thinned(const std::vector<CurvePoint>& curve, std::size_t most) {
  if (curve.size() <= most + 2) return curve;  // including curves that were thinned before
  const std::size_t step = (curve.size() + most - 1) / most;
  std::size_t best = curve.size();
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve[i].checkpoint.is_best) best = i;
  }
  std::vector<CurvePoint> thinned;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (i % step == 0 || i == best || i + 1 == curve.size()) thinned.push_back(curve[i]);
  }
  return thinned;
}

namespace {

namespace fs = std::filesystem;

// LANG/VARIANT/LOSS/VALIDATION/BUDGET/TRIAL.
constexpr int kLevelsOfPath = 6;

// Ignores the lock of a process that died on this machine.
void LookAtLock(const RunDirectory& directory, Run& run) {
  LockObserver observer;
  LockOwner owner;
  const LockState lock = observer.Look(directory.lock(), &owner);
  if (lock == LockState::kDead || lock == LockState::kFree) {
    run.state = RunState::kLeft;
  } else {
    run.owner = owner.Describe();
  }
}

// Throws InputError for what is damaged. `belongs` checks the configuration.
template <class Belongs>
void ReadFiles(const RunDirectory& directory, RunReading reading, Belongs belongs, Run& run) {
  run.state = directory.Look();
  if (run.state == RunState::kFinished && reading == RunReading::kResultAlone) {
    run.result = directory.ReadResultAlone();
    if (run.result->diverged) run.state = RunState::kDiverged;
    return;
  }
  const bool is_failed = run.state == RunState::kFailed;
  if (is_failed || run.state == RunState::kLeft) directory.CheckIsRunOrEmpty();
  if (is_failed) run.fault = directory.ReasonOfFailure();
  if (directory.is_begun()) {
    run.config = directory.ReadConfig();
    belongs(*run.config);
  }
  if (run.state == RunState::kRunning) LookAtLock(directory, run);
  if (run.state != RunState::kFinished) return;
  if (!run.config) throw InputError(directory.config(), "is missing, although the run is finished");
  run.result = directory.ReadResult();
  if (run.result->diverged) run.state = RunState::kDiverged;
}

// Has the directory changed while the run was read? Then the run is read again: a worker that
// retries a failed run removes failure.json, and one that finishes removes its lock after writing
// the result.
bool HasChanged(const RunDirectory& directory, const Run& run) {
  std::error_code unseen;
  if (run.state == RunState::kFailed) return !fs::exists(directory.failure(), unseen);
  return run.state == RunState::kLeft && fs::exists(directory.result(), unseen);
}

template <class Belongs>
Run ReadDirectory(const RunDirectory& directory, const Coordinates& at, RunReading reading,
                  Belongs belongs) {
  Run run{.path = directory.path(), .at = at};
  try {
    ReadFiles(directory, reading, belongs, run);
    if (!HasChanged(directory, run)) return run;
  } catch (...) {
    run.fault = CaughtFault();
    if (!HasChanged(directory, run)) {
      return {.path = directory.path(), .at = at, .state = RunState::kDamaged, .fault = run.fault};
    }
  }
  return ReadDirectory(directory, at, reading, belongs);
}

struct Place {
  Sweep sweep;
  Coordinates at;
};

// Returns the place of a run's directory in its sweep; nothing if it is in none.
std::optional<Place> PlaceOf(const fs::path& directory) {
  const fs::path run = fs::weakly_canonical(directory);
  fs::path runs = run;
  for (int level = 0; level < kLevelsOfPath; ++level) runs = runs.parent_path();
  if (runs.filename() != "runs" || !fs::exists(SweepFile(runs.parent_path()))) return std::nullopt;
  const std::string path = run.lexically_relative(runs).string();
  Sweep sweep = ReadSweep(runs.parent_path());
  for (Coordinates& at : sweep.grid.Runs()) {
    if (at.Path() == path) return Place{std::move(sweep), std::move(at)};
  }
  return std::nullopt;
}

Json CommandOf(const External* external) {
  return {{"command", external == nullptr ? Json(nullptr) : Json(external->command)}};
}

// The logarithms of another C library may be rounded differently.
void TakeIfRounded(double there, double& drawn) {
  if (std::abs(there - drawn) <= 1e-12 * std::abs(drawn)) drawn = there;
}

Json AccuraciesOf(const RunResult& result) {
  Json accuracies = Json::object();
  for (const auto& [split, metrics] : result.splits) {
    accuracies[split] = metrics ? OrNull(metrics->accuracy) : Json(nullptr);
  }
  return accuracies;
}

// Another version of the program may add numbers in another order, which changes a figure far less
// than one example does.
bool IsSame(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(a)); }

// Compares the figures of a split that both runs have.
std::string ScoreDifference(const SplitMetrics& there, const SplitMetrics& here) {
  std::string difference;
  there.ForEachScalar([&](std::string_view name, double value) {
    const auto other = here.Find(name);
    if (!difference.empty() || !other || IsSame(value, *other)) return;
    difference = fmt::format("{} is {}, not {}", name, value, *other);
  });
  return difference;
}

// Compares the splits that both runs have.
std::string ScoreDifference(const RunResult& there, const RunResult& here) {
  for (const auto& [split, metrics] : there.splits) {
    const SplitMetrics* other = here.Split(split);
    if (!metrics || other == nullptr) continue;
    const std::string difference = ScoreDifference(*metrics, *other);
    if (!difference.empty()) return fmt::format("{} {}", split, difference);
  }
  return "";
}

}  // namespace

std::string PlannedRun::DifferenceFrom(const RunConfig& config) {
  const RunSettings& there = config.settings;
  const SettingTexts given = sweep_->grid.SettingsOf(at_);
  if (!settings_) {
    settings_ = ParseSettings(given, sweep_->grid.places, sweep_->grid.externals);
    settings_->validation = ValidationSplit(settings_->validation);
    DrawMissing(given, *settings_);
  }
  RunSettings wanted = *settings_;
  // A grid lacks the settings that a run finds out only when it begins.
  wanted.native_target = there.native_target;
  wanted.init_sha256 = there.init_sha256;
  if (given.contains("hidden")) {
    wanted.budget = 0;
  } else {
    wanted.hidden = there.hidden;
  }
  TakeIfRounded(there.learning_rate, wanted.learning_rate);
  for (auto& [term, coefficient] : wanted.coefficients) {
    const auto found = there.coefficients.find(term);
    if (found != there.coefficients.end()) TakeIfRounded(found->second, coefficient);
  }
  std::string difference = SettingsDifference(there, wanted);
  if (!difference.empty()) return difference;
  difference = FirstDifference(CommandOf(config.external ? &*config.external : nullptr),
                               CommandOf(FindExternal(sweep_->grid.externals, at_.architecture())));
  if (!difference.empty()) return difference;
  const auto planned = sweep_->data_sha256.find(at_.language);
  const std::string sha256 = config.data.Sha256OfAll();
  if (planned == sweep_->data_sha256.end() || planned->second == sha256) return "";
  return fmt::format("data has SHA-256 {}, not {}", sha256, planned->second);
}

bool PlanTheSameRun(const Sweep& first, const Sweep& second, const Coordinates& at) {
  if (first.grid.SettingsOf(at) != second.grid.SettingsOf(at)) return false;
  const External* of_first = FindExternal(first.grid.externals, at.architecture());
  const External* of_second = FindExternal(second.grid.externals, at.architecture());
  if ((of_first == nullptr) != (of_second == nullptr)) return false;
  if (of_first != nullptr && *of_first != *of_second) return false;
  const auto planned = second.data_sha256.find(at.language);
  if (planned == second.data_sha256.end()) return true;
  const auto found = first.data_sha256.find(at.language);
  return found != first.data_sha256.end() && found->second == planned->second;
}

Run PlannedRun::Read(RunReading reading) {
  const RunDirectory directory(sweep_->RunPath(at_));
  return ReadDirectory(directory, at_, reading, [&](const RunConfig& config) {
    const std::string difference = DifferenceFrom(config);
    if (difference.empty()) return;
    throw InputError(directory.path(), fmt::format("is a different run: its {}", difference),
                     "remove the directory to start the run that belongs here");
  });
}

Run ReadRun(const fs::path& directory) {
  const RunDirectory run(directory);
  if (!run.is_begun()) {
    throw InputError(directory, "is not a run: it has no config.json", "flare train makes runs");
  }
  std::optional<Place> place;
  try {
    place = PlaceOf(directory);
  } catch (...) {
    return {.path = directory, .state = RunState::kDamaged, .fault = CaughtFault()};
  }
  if (place) return ReadRunAt(place->sweep, std::move(place->at));
  return ReadDirectory(run, {}, RunReading::kVerified, [](const RunConfig&) {});
}

namespace {

// What the records of its language have of a run, which they lose.
Run TakeRecord(const Sweep& sweep, const Coordinates& at, RecordsRead& read) {
  const std::string path = at.Path();
  if (const auto damage = read.damaged.find(path); damage != read.damaged.end()) {
    return {.at = at, .state = RunState::kDamaged, .fault = damage->second};
  }
  const auto found = read.records.find(path);
  if (found == read.records.end()) return {.at = at};
  const std::string difference = PlannedRun(sweep, at).DifferenceFrom(*found->second.config);
  if (difference.empty()) return std::move(found->second);
  return {.at = at,
          .state = RunState::kDamaged,
          .fault = fmt::format("its record is of a different run: its {}", difference)};
}

}  // namespace

std::vector<Run> ReadRuns(const Sweep& sweep, const RunFilter& filter, RunReading reading) {
  std::vector<Run> runs;
  // Language by language: the records of a large sweep should not be in memory twice.
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    const std::vector<Coordinates> all = sweep.grid.RunsOf(language);
    if (runs.empty()) runs.reserve(all.size() * sweep.grid.languages.size());
    RecordsRead read;
    if (sweep.is_records) read = ReadRecords(sweep, language);
    for (const Coordinates& at : all) {
      if (!filter.Matches(at)) continue;
      runs.push_back(sweep.is_records ? TakeRecord(sweep, at, read)
                                      : PlannedRun(sweep, at).Read(reading));
    }
  }
  return runs;
}

std::string OutcomeDifference(const Run& there, const Run& here) {
  const std::string settings = SettingsDifference(there.config->settings, here.config->settings);
  if (!settings.empty()) return settings;
  const bool has_models = !there.result->model_sha256.empty() || !here.result->model_sha256.empty();
  const auto outcome_of = [&](const Run& run) {
    Json outcome = CommandOf(run.config->external ? &*run.config->external : nullptr);
    outcome.update({{"arithmetic", run.config->settings.arithmetic},
                    {"data", run.config->data.Sha256OfAll()},
                    {"outcome", run.result->outcome()},
                    {"epochs", run.result->epochs},
                    {"model_sha256", run.result->model_sha256},
                    {"accuracy", has_models ? Json(nullptr) : AccuraciesOf(*run.result)}});
    return outcome;
  };
  const std::string difference = FirstDifference(outcome_of(there), outcome_of(here));
  return difference.empty() ? ScoreDifference(*there.result, *here.result) : difference;
}

}  // namespace flare
