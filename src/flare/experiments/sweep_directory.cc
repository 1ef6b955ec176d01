#include "flare/experiments/sweep_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <set>
#include <thread>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/lock_file.h"
#include "flare/base/parallel.h"
#include "flare/base/text.h"
#include "flare/data/baselines.h"
#include "flare/data/flare_files.h"
#include "flare/data/generate.h"
#include "flare/data/manifest.h"
#include "flare/languages/resolve.h"
#include "flare/training/run_data.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;

Json SweepToJson(const Sweep& sweep) {
  Json json = {{"format", kFormat}};
  json.update(GridToJson(sweep.grid));
  json["data"] = sweep.data.string();
  json["runs"] = sweep.grid.Runs().size();
  return json;
}

std::string Coordinate(const Coordinates& run, const std::string& name) {
  if (name == "language") return run.language;
  if (name == "architecture") return run.architecture;
  if (name == "loss") return run.loss;
  if (name == "validation") return run.validation;
  if (name == "budget") return std::to_string(run.budget);
  return std::to_string(run.trial);
}

// Does the sweep at hand have the same runs, or some of them?
void CheckSame(const Sweep& there, const Sweep& wanted, bool extend) {
  Json a = SweepToJson(there), b = SweepToJson(wanted);
  if (extend) {
    std::set<std::string> runs;
    for (const Coordinates& run : wanted.grid.Runs()) runs.insert(run.Path());
    for (const Coordinates& run : there.grid.Runs()) {
      if (!runs.contains(run.Path())) {
        throw InputError(there.out,
                         fmt::format("has the run {}, which the new grid lacks", run.Path()),
                         "--extend takes a grid that contains the one at hand");
      }
    }
    for (Json* json : {&a, &b}) {
      for (const char* key : {"name", "grid", "runs", "definitions"}) json->erase(key);
    }
  }
  const std::string difference = FirstDifference(a, b);
  if (!difference.empty()) {
    throw InputError(there.out, fmt::format("was made with another grid: its {}", difference),
                     extend ? "give the settings that it was made with, or another directory"
                            : "give the same grid, or another directory; --extend adds runs");
  }
}

// What was made by others is taken as it is; our own datasets must be of this recipe.
void MakeDatasets(const Sweep& sweep, std::size_t jobs, ProgressObserver& observer) {
  GenerateOptions options{sweep.data, sweep.grid.data_seed, MakePreset("flare")};
  for (const auto& [key, value] : sweep.grid.data) ApplySetting(key, value, "data", options.config);
  Validate(options.config);
  std::vector<DatasetRequest> requests;
  for (const auto& [name, language] : sweep.grid.languages) {
    const fs::path dataset = sweep.data / name;
    if (fs::exists(dataset / kMainFile) && !fs::exists(dataset / kManifestFile)) continue;
    DatasetRequest request{name, ResolveLanguage(language, {})};
    requests.push_back(std::move(request));
  }
  std::vector<DatasetRequest> missing;
  for (DatasetRequest& request : requests) {
    if (fs::exists(sweep.data / request.name)) {
      GenerateDataset(request, options);  // checks the recipe
    } else {
      missing.push_back(std::move(request));
    }
  }
  if (missing.empty()) return;
  MakeDirectories(sweep.data);
  Progress progress(observer, missing.size(), "datasets");
  GenerateAll(missing, options, jobs, progress);
}

// What a sweep may have left when it was killed while it was planned is a sweep still.
void CheckSweepOrEmpty(const fs::path& out) {
  if (fs::exists(SweepFile(out))) return;
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    if (name == "baselines" || name.starts_with("lock") || name.ends_with(".tmp")) continue;
    throw InputError(out, fmt::format("holds something else than a sweep: {}", Quoted(name)),
                     "name a new or empty directory");
  }
}

void CheckValidationSplits(const Sweep& sweep) {
  for (const auto& [name, language] : sweep.grid.languages) {
    for (const std::string& validation : sweep.grid.validations) {
      const bool ours = validation == "short" || validation == "long";
      const std::string split = ours ? "validation-" + validation : validation;
      const auto splits = SplitsIn(sweep.data / name);
      if (std::find(splits.begin(), splits.end(), split) != splits.end()) continue;
      throw InputError(sweep.data / name, fmt::format("has no split {}", Quoted(split)),
                       "the grid's validations name it");
    }
  }
}

void MakeBaselines(const Sweep& sweep, std::size_t jobs, ProgressObserver& observer) {
  const fs::path folder = sweep.out / "baselines";
  MakeDirectories(folder);
  std::vector<std::string> missing;
  for (const auto& [name, language] : sweep.grid.languages) {
    if (!fs::exists(folder / (name + ".json"))) missing.push_back(name);
  }
  if (missing.empty()) return;
  Progress progress(observer, missing.size(), "baselines");
  ForEachInParallel(missing.size(), jobs, [&](std::size_t i) {
    const fs::path dataset = sweep.DatasetPath(missing[i]);
    const DatasetBaselines baselines = HasKnownLanguage(dataset)
                                           ? ComputeBaselines(dataset, FindDatasetLanguage(dataset))
                                           : ComputeBaselines(dataset);
    WriteFileAtomically(folder / (missing[i] + ".json"), JsonText(BaselinesToJson(baselines)));
    progress.Step("");
  });
}

}  // namespace

Sweep ReadSweep(const fs::path& out) {
  const fs::path file = SweepFile(out);
  if (!fs::exists(file)) {
    throw InputError(out, "is not a sweep directory: it has no sweep.json",
                     "flare sweep plan or flare sweep run makes one");
  }
  const Json json = ParseJson(ReadRegularFile(file), file);
  if (!json.is_object() || Member<int>(json, "format") != kFormat) {
    throw InputError(file, "is not the description of a sweep");
  }
  if (!json.contains("data") || !json["data"].is_string()) {
    throw InputError(file, "it does not say where the data is");
  }
  return {out, json["data"].get<std::string>(), GridFromJson(json, file)};
}

Sweep PlanSweep(const Grid& grid, const fs::path& data, const fs::path& out,
                const PlanOptions& options, ProgressObserver& observer) {
  if (out.empty()) throw InputError("--out", "the name is empty");
  MakeDirectories(out);
  CheckSweepOrEmpty(out);
  // Two that plan the same sweep do it one after the other.
  LockObserver lock_observer;
  std::unique_ptr<LockFile> planning;
  LockOwner owner;
  const Stopwatch watch;
  for (bool told = false;;) {
    planning = LockFile::TryAcquire(out / "lock", lock_observer, &owner);
    if (planning != nullptr) break;
    if (!told && watch.Seconds() > 1) {
      if (options.waiting) options.waiting(owner);
      told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  RemoveTemporaries(out);
  RemoveTemporaries(out / "baselines");
  Sweep sweep{out, fs::weakly_canonical(fs::absolute(data)), grid};
  CheckRecordable(sweep.data);
  const bool planned = fs::exists(SweepFile(out));
  if (planned) CheckSame(ReadSweep(out), sweep, options.extend);
  MakeDatasets(sweep, options.jobs, observer);
  CheckValidationSplits(sweep);
  const std::string text = JsonText(SweepToJson(sweep));
  if (!planned || ReadRegularFile(SweepFile(out)) != text)
    WriteFileAtomically(SweepFile(out), text);
  MakeBaselines(sweep, options.jobs, observer);
  return sweep;
}

RunState LookAtRun(const RunDirectory& run) {
  if (run.is_finished()) return RunState::kFinished;
  if (fs::exists(run.failure())) return RunState::kFailed;
  if (fs::exists(run.lock())) return RunState::kHeld;
  return RunState::kLeft;
}

std::string ReasonOfFailure(const RunDirectory& run) {
  try {
    const Json failure = ParseJson(ReadRegularFile(run.failure()), run.failure());
    const std::string reason = Member<std::string>(failure, "reason").value_or("?");
    const bool is_one_line = std::none_of(reason.begin(), reason.end(),
                                          [](unsigned char c) { return std::iscntrl(c) != 0; });
    return is_one_line ? reason : Quoted(reason);
  } catch (const std::exception&) {
    return "?";  // damaged, or gone: it is being tried again
  }
}

std::string ReasonOf(const InputError& error) {
  return error.hint().empty() ? error.what() : fmt::format("{}; {}", error.what(), error.hint());
}

RunFilter::RunFilter(const std::vector<std::string>& conditions, const Grid& grid) {
  static const std::vector<std::string> names = {"language",   "architecture", "loss",
                                                 "validation", "budget",       "trial"};
  const auto runs = grid.Runs();
  for (const std::string& condition : conditions) {
    const std::size_t equals = condition.find('=');
    const std::string name = condition.substr(0, equals);
    if (equals == std::string::npos || std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError("--only", fmt::format("{} is not COORDINATE=VALUE,...", Quoted(condition)),
                       fmt::format("coordinates: {}", fmt::join(names, ", ")));
    }
    for (std::size_t begin = equals + 1; begin <= condition.size();) {
      const std::size_t end = std::min(condition.find(',', begin), condition.size());
      const std::string value = condition.substr(begin, end - begin);
      if (std::none_of(runs.begin(), runs.end(),
                       [&](const Coordinates& run) { return Coordinate(run, name) == value; })) {
        throw InputError("--only", fmt::format("the grid has no {} {}", name, Quoted(value)));
      }
      conditions_[name].push_back(value);
      begin = end + 1;
    }
  }
}

bool RunFilter::Matches(const Coordinates& run) const {
  for (const auto& [name, values] : conditions_) {
    if (std::find(values.begin(), values.end(), Coordinate(run, name)) == values.end())
      return false;
  }
  return true;
}

}  // namespace flare
