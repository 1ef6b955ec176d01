#include "flare/runs/placed_run.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "flare/base/json.h"
#include "flare/runs/drawn_settings.h"
#include "flare/runs/external.h"
#include "flare/runs/records.h"
#include "flare/runs/run_directory.h"

namespace flare {
namespace {

RunConfig ReadConfigAt(const RunDirectory& directory, const Sweep& sweep, const Coordinates& at,
                       const Names& names) {
  RunConfig config = directory.ReadConfig(names);
  const std::string difference = Displacement(config, sweep, at, names);
  if (!difference.empty()) {
    throw InputError(directory.path(), fmt::format("is a different run: its {}", difference),
                     "remove the directory to start the run that belongs here");
  }
  return config;
}

void ReadFiles(const RunDirectory& directory, const Sweep& sweep, const Names& names,
               PlacedRun& run) {
  run.state = directory.Look();
  const bool is_failed = run.state == RunState::kFailed;
  if (is_failed || run.state == RunState::kLeft) directory.CheckIsRunOrEmpty();
  if (is_failed) run.reason = directory.ReasonOfFailure();
  if (directory.is_begun()) run.config = ReadConfigAt(directory, sweep, run.at, names);
  if (run.state != RunState::kFinished) return;
  if (!run.config) throw InputError(directory.config(), "is missing, although the run is finished");
  run.result = directory.ReadResult();
  if (run.result->diverged) run.state = RunState::kDiverged;
}

// Evaluation did not always look at formats; what `collect` found of such a run stands where
// evaluation would have put it. Members all have the format.
void AddWrongAnswers(const FormatErrors& errors, RunResult& result) {
  for (auto& [split, metrics] : result.splits) {
    if (split != "test" || !metrics || metrics->wrong_answers) continue;
    metrics->wrong_answers = {errors.wrong_format, errors.right_format + metrics->false_negatives};
  }
}

Json CommandOf(const External* external) {
  return {{"command", external == nullptr ? Json(nullptr) : Json(external->command)}};
}

PlacedRun OfRecord(RunRecord record, const Sweep& sweep, const Names& names) {
  PlacedRun run{.at = record.at};
  const std::string difference = Displacement(record.config, sweep, record.at, names);
  if (!difference.empty()) {
    run.state = RunState::kDamaged;
    run.reason = fmt::format("its record is of a different run: its {}", difference);
    return run;
  }
  run.state = record.result.diverged ? RunState::kDiverged : RunState::kFinished;
  run.config = std::move(record.config);
  run.result = std::move(record.result);
  if (record.format_errors) AddWrongAnswers(*record.format_errors, *run.result);
  run.curves = std::make_shared<const RunCurves>(std::move(record.curves));
  return run;
}

// The logarithms of another C library may round otherwise.
void TakeIfRounded(double there, double& drawn) {
  if (std::abs(there - drawn) <= 1e-12 * std::abs(drawn)) drawn = there;
}

}  // namespace

std::string Displacement(const RunConfig& config, const Sweep& sweep, const Coordinates& at,
                         const Names& names) {
  const RunSettings& there = config.settings;
  const SettingTexts given = sweep.grid.SettingsOf(at);
  RunSettings wanted =
      ParseSettings(given, NamesWith(names, sweep.grid.externals), sweep.grid.places);
  wanted.validation = ValidationSplit(wanted.validation);
  // What a run finds out, a grid does not say; what it draws follows from its seed.
  wanted.native_target = there.native_target;
  if (given.contains("hidden")) {
    wanted.budget = 0;
  } else {
    wanted.hidden = there.hidden;
  }
  DrawMissing(given, wanted);
  TakeIfRounded(there.learning_rate, wanted.learning_rate);
  for (auto& [term, coefficient] : wanted.coefficients) {
    const auto found = there.coefficients.find(term);
    if (found != there.coefficients.end()) TakeIfRounded(found->second, coefficient);
  }
  std::string difference = SettingsDifference(there, wanted, names);
  if (!difference.empty()) return difference;
  difference = FirstDifference(CommandOf(config.external ? &*config.external : nullptr),
                               CommandOf(FindExternal(sweep.grid.externals, at.architecture())));
  if (!difference.empty()) return difference;
  const auto planned = sweep.data_sha256.find(at.language);
  const std::string sha256 = config.data.Sha256OfAll();
  if (planned == sweep.data_sha256.end() || planned->second == sha256) return "";
  return fmt::format("data has SHA-256 {}, not {}", sha256, planned->second);
}

PlacedRun ReadPlacedRun(const Sweep& sweep, Coordinates at, const Names& names) {
  PlacedRun run;
  run.at = std::move(at);
  const RunDirectory directory(sweep.RunPath(run.at));
  try {
    ReadFiles(directory, sweep, names, run);
    return run;
  } catch (...) {
    run.reason = CaughtFault();
  }
  // A worker that tries it again has removed what said that it had failed.
  std::error_code unseen;
  if (run.state == RunState::kFailed && !std::filesystem::exists(directory.failure(), unseen)) {
    return ReadPlacedRun(sweep, std::move(run.at), names);
  }
  run.state = RunState::kDamaged;
  run.config.reset();
  run.result.reset();
  return run;
}

std::vector<PlacedRun> ReadPlacedRuns(const Sweep& sweep, const Names& names,
                                      const RunFilter& filter) {
  RecordsRead read = sweep.is_records ? ReadRecords(sweep, names) : RecordsRead();
  std::vector<PlacedRun> runs;
  for (Coordinates& at : sweep.grid.Runs()) {
    if (!filter.Matches(at)) continue;
    if (!sweep.is_records) {
      runs.push_back(ReadPlacedRun(sweep, std::move(at), names));
      continue;
    }
    const std::string path = at.Path();
    if (const auto found = read.records.find(path); found != read.records.end()) {
      runs.push_back(OfRecord(std::move(found->second), sweep, names));
      continue;
    }
    runs.push_back(PlacedRun{.at = std::move(at)});
    if (const auto damage = read.damaged.find(path); damage != read.damaged.end()) {
      runs.back().state = RunState::kDamaged;
      runs.back().reason = damage->second;
    }
  }
  return runs;
}

}  // namespace flare
