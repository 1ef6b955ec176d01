// flare train: one run, begun or resumed.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/lock_file.h"
#include "flare/base/long_work.h"
#include "flare/base/text.h"
#include "flare/cli/command.h"
#include "flare/cli/run_arguments.h"
#include "flare/cli/screen.h"
#include "flare/cli/terminal.h"
#include "flare/data/baselines.h"
#include "flare/data/dataset_language.h"
#include "flare/nn/architectures.h"
#include "flare/nn/model.h"
#include "flare/runs/run_directory.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"

namespace flare {
namespace {

// Prints the settings that were drawn, as flags, since the user has not seen them before.
void PrintDrawnSettings(const RunDirectory& run) {
  const RunSettings settings = run.ReadConfig().settings;
  std::string flags;
  for (const std::string& key : settings.drawn) {
    flags += fmt::format(" {} {}", FlagOf(key), SettingText(settings, key));
  }
  if (!flags.empty()) Tell("flare: {}: drew{}\n", run.path().string(), flags);
}

// Removes what a process left that was killed after writing result.json, which opening the run
// does. A user who may only read the run need not.
void Tidy(const RunDirectory& run) {
  if (!run.HasStaleCheckpoint() && !std::filesystem::exists(run.lock())) return;
  try {
    LockObserver observer;
    OwnedRun::TryOpen(run.path(), observer);
  } catch (...) {
    CaughtFault();
  }
}

// Returns baselines to compare the run's accuracy with; none if they cannot be computed, which does
// not harm the run.
std::vector<BaselineRow> BaselinesOf(const RunPlan& plan) {
  if (!HasRecognition(plan.settings.loss)) return {};
  const RunData& data = plan.data;
  try {
    std::optional<Dfa> format;
    if (auto found = FindFormat(data.pinned.path);
        found && found->automaton.alphabet() == data.alphabet) {
      format = std::move(found->automaton);
    }
    return TrivialBaselines(data.pinned.path, data.alphabet, format,
                            {.recorded = data.pinned.files});
  } catch (...) {
    CaughtFault();
    return {};
  }
}

int TellFinished(const RunDirectory& run, const RunPlan& plan) {
  const std::string summary = ResultTable(run.ReadResult(), BaselinesOf(plan));
  Tell("flare: {} is finished already\n", run.path().string());
  PrintDrawnSettings(run);
  Print(summary);
  return kDone;
}

// Throws InputError if the directory holds another run than the plan's, finished or not.
bool IsDone(const RunDirectory& run, const RunPlan& plan) {
  const bool raises_limit = RaisesLimit(run, plan);
  return run.is_finished() && !raises_limit;
}

// Even the smallest network may exceed a budget: then no size fits it.
void NoteExceededBudget(const std::string& run, const RunPlan& plan) {
  const RunSettings& settings = plan.settings;
  const std::size_t step = SizeStep(*FindArchitecture(settings.architecture), settings.options);
  ModelConfig model = ModelOf(settings, plan.data.alphabet.size());
  model.terms.clear();  // their heads come on top of a budget, which counts that of recognition
  model.recognizes = true;
  const std::size_t parameters = NumParameters(model);
  if (settings.budget == 0 || settings.hidden > step || parameters <= settings.budget) return;
  Tell("flare: {}: the smallest {} has {} parameters, more than the budget of {}\n", run,
       settings.architecture, parameters, settings.budget);
}

int Train(const TrainArguments& options) {
  const RunPlan plan = options.Plan();
  RunOptions how = options.Options();
  const StopSignals signals;
  how.stop = [&] { return signals.Received(); };

  const Stopwatch watch;
  const RunDirectory there(options.run());
  if (!there.is_begun()) CheckIsOutsideRuns(options.run());
  if (there.is_begun() && IsDone(there, plan)) {
    Tidy(there);
    return TellFinished(there, plan);
  }
  const auto run = OpenRun(options.run(), signals, how.time_limit);
  if (run == nullptr) return kNegativeAnswer;
  how.time_limit -= watch.Seconds();
  const RunDirectory& directory = run->directory();
  if (directory.is_begun() && IsDone(directory, plan)) return TellFinished(directory, plan);
  NoteExceededBudget(options.run(), plan);
  RunEnd end;
  {
    LiveLine line(options.run());
    how.report = [&](const CheckpointReport& report) { line.Show(report); };
    end = ExecuteRun(*run, plan, how);
  }
  if (!end.finished) {
    Tell("flare: {}: stopped ({}); flare train --run {} continues it\n", options.run(), end.reason,
         ShellQuoted(options.run()));
    return kNegativeAnswer;
  }
  const RunResult result = directory.ReadResult();
  Tell("flare: {}: {} ({}) after {} in {}, {:.0f} examples/s\n", options.run(), result.outcome(),
       result.stop_reason, Counted(result.epochs, "epoch"), FormatDuration(result.seconds),
       result.examples_per_second);
  PrintDrawnSettings(directory);
  Print(ResultTable(result, BaselinesOf(plan)));
  return kDone;
}

}  // namespace

std::function<int()> TrainCommand(CLI::App& app) {
  const auto options = std::make_shared<TrainArguments>(app);
  return [options] {
    try {
      return Train(*options);
    } catch (const RunLost&) {
      Tell("flare: {}: another process has taken this run over\n", options->run());
      return static_cast<int>(kNegativeAnswer);
    }
  };
}

}  // namespace flare
