// flare train: one run, begun or resumed.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/interruption.h"
#include "flare/base/lock_file.h"
#include "flare/base/text.h"
#include "flare/cli/command.h"
#include "flare/cli/live_line.h"
#include "flare/cli/open_run.h"
#include "flare/cli/result_table.h"
#include "flare/cli/tell.h"
#include "flare/cli/train_arguments.h"
#include "flare/nn/architectures.h"
#include "flare/nn/model.h"
#include "flare/runs/run_directory.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"

namespace flare {
namespace {

// What was drawn, as the flags that would give it: the user has not seen it before.
void TellWhatWasDrawn(const RunDirectory& run) {
  const RunSettings settings = run.ReadConfig().settings;
  std::string flags;
  for (const std::string& key : settings.drawn) {
    flags += fmt::format(" {} {}", FlagOf(key), SettingText(settings, key));
  }
  if (!flags.empty()) Tell("flare: {}: drew{}\n", run.path().string(), flags);
}

// What a process left that was killed after writing result.json goes when the run is opened, which
// somebody who may only read it need not.
void Tidy(const RunDirectory& run) {
  if (!run.HasStaleCheckpoint() && !std::filesystem::exists(run.lock())) return;
  try {
    LockObserver observer;
    OwnedRun::TryOpen(run.path(), observer);
  } catch (...) {
    CaughtFault();
  }
}

int TellFinished(const RunDirectory& run) {
  const std::string summary = ResultTable(run.ReadResult());
  Tell("flare: {} is finished already\n", run.path().string());
  TellWhatWasDrawn(run);
  Print(summary);
  return kDone;
}

// Throws InputError if it is a run that this plan is not of, finished or not.
bool IsDone(const RunDirectory& run, const RunPlan& plan) {
  const bool raises_limit = RaisesLimit(run, plan);
  return run.is_finished() && !raises_limit;
}

// The size nearest to a budget is no size that fits it if there is no smaller one.
void TellWhatExceedsTheBudget(const std::string& run, const RunPlan& plan) {
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
  if (!there.is_begun()) CheckIsNotOfARun(options.run());
  if (there.is_begun() && IsDone(there, plan)) {
    Tidy(there);
    return TellFinished(there);
  }
  const auto run = OpenRun(options.run(), signals, how.time_limit);
  if (run == nullptr) return kNegativeAnswer;
  how.time_limit -= watch.Seconds();
  const RunDirectory& directory = run->directory();
  if (directory.is_begun() && IsDone(directory, plan)) return TellFinished(directory);
  TellWhatExceedsTheBudget(options.run(), plan);
  RunEnd end;
  {
    LiveLine line;
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
  TellWhatWasDrawn(directory);
  Print(ResultTable(result));
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
