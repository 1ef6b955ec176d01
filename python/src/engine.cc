// The program's own training and sweeps. ../flarelang/engine.py makes functions of this.

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>

#include "bindings.h"
#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/base/lock_file.h"
#include "flare/experiments/collect.h"
#include "flare/experiments/plan.h"
#include "flare/experiments/run_process.h"
#include "flare/experiments/workers.h"
#include "flare/nn/target.h"
#include "flare/runs/grid.h"
#include "flare/runs/run_directory.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "interrupts.h"

namespace flare::python {
namespace {

namespace fs = std::filesystem;

// The signals that come while a run trains. What their handlers raise waits until the run has saved
// its state.
class Signals {
 public:
  // Without the lock: why to stop, or nothing.
  std::string Received() {
    if (since_look_.Seconds() >= 0.1) {
      since_look_ = {};
      const py::gil_scoped_acquire lock;
      Try([] {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      });
    }
    return raised_ ? "interrupted" : "";
  }
  // With the lock: what the call raises waits too.
  template <class Call>
  void Try(Call call) {
    if (raised_) return;
    try {
      call();
    } catch (const py::error_already_set&) {
      raised_ = std::current_exception();
    }
  }
  void Rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  Stopwatch since_look_;
  std::exception_ptr raised_;
};

py::dict ToPython(const Figures& figures) {
  py::dict values;
  for (const auto& [name, value] : figures) values[py::str(name)] = value;
  return values;
}

// A report is made when an epoch ends and when a checkpoint is; the latter has new figures.
py::dict ToPython(const CheckpointReport& report, bool is_checkpoint) {
  using namespace py::literals;
  py::dict values("epoch"_a = report.epoch, "max_epochs"_a = report.max_epochs,
                  "step"_a = report.step, "max_steps"_a = report.max_steps,
                  "steps_per_epoch"_a = report.steps_per_epoch, "loss"_a = report.loss,
                  "terms"_a = ToPython(report.term_losses), "validation"_a = py::none(),
                  "select"_a = report.select, "is_best"_a = report.is_best,
                  "is_checkpoint"_a = is_checkpoint, "learning_rate"_a = report.learning_rate,
                  "examples_per_second"_a = report.examples_per_second,
                  "seconds_per_epoch"_a = report.seconds_per_epoch);
  if (report.validation) values["validation"] = ToPython(*report.validation);
  return values;
}

RunPlan PlanOf(const fs::path& dataset, SettingTexts settings) {
  settings.emplace("target", DefaultTarget());
  RunData data = IdentifyData(dataset);
  RunSettings made = MakeSettings(settings, data.alphabet.size());
  return {std::move(made), std::move(data)};
}

std::unique_ptr<OwnedRun> Open(const fs::path& path, Signals& signals) {
  LockObserver observer;
  LockOwner owner;
  const auto attempt = [&](LockState& state) {
    return OwnedRun::TryOpen(path, observer, &owner, &state);
  };
  auto run = WhileUndecided(attempt, [&] { return !signals.Received().empty(); });
  signals.Rethrow();
  if (run == nullptr) {
    throw InputError(path, fmt::format("{} is working on this run", owner.Describe()));
  }
  return run;
}

// Trains as `flare train` does. Returns whether the run is finished and why it stopped; raises what
// a signal's handler raised after the run has saved its state.
py::tuple Train(const fs::path& path, const fs::path& dataset, const SettingTexts& settings,
                double time_limit, double save_interval, const py::function& report) {
  Signals signals;
  RunEnd end{.finished = true, .reason = {}};
  {
    const py::gil_scoped_release unlock;
    const RunDirectory directory(path);
    const RunPlan plan = PlanOf(dataset, settings);
    const auto is_done = [&] {
      return directory.is_begun() && !RaisesLimit(directory, plan) && directory.is_finished();
    };
    if (!is_done()) {
      const auto run = Open(path, signals);
      if (!is_done()) {
        RunOptions how;
        how.time_limit = time_limit;
        how.save_interval = save_interval;
        how.stop = [&] { return signals.Received(); };
        how.report = [&, before = std::optional<Figures>()](const CheckpointReport& what) mutable {
          const bool is_checkpoint = what.validation && what.validation != before;
          before = what.validation;
          const py::gil_scoped_acquire lock;
          signals.Try([&] { report(ToPython(what, is_checkpoint)); });
        };
        end = ExecuteRun(*run, plan, how);
      }
    }
  }
  signals.Rethrow();
  return py::make_tuple(end.finished, end.reason);
}

// What a sweep says, a line of JSON each, to whoever started this process: its processes write at
// the same time, and none of their lines is cut by another's.
void Say(const Json& json) {
  const std::string line = json.dump() + "\n";
  const char* rest = line.data();
  std::size_t left = line.size();
  while (left > 0) {
    const ssize_t written = ::write(STDOUT_FILENO, rest, left);
    if (written <= 0) return;  // whoever listened is gone
    rest += written;
    left -= static_cast<std::size_t>(written);
  }
}

class SayProgress : public ProgressObserver {
 public:
  void Begin(std::size_t total, const std::string& unit) override {
    flare::python::Say({{"begin", total}, {"unit", unit}});
  }
  void Step(const std::string& line) override { flare::python::Say({{"step", line}}); }
  void Say(const std::string& line) override { flare::python::Say({{"say", line}}); }
  void End() override { flare::python::Say({{"end", true}}); }
};

struct SweepOptions {
  std::string grid, where, preset;  // the text of a grid and where it is from, or a preset
  fs::path data, out;
  std::size_t jobs = 1;
  bool extend = false, repair = false, retry_failed = false;
  double time_limit = 0;
  std::string known;
  std::vector<std::string> only;
};

// As `flare sweep run`, in a process that does nothing else: it forks one per run. What it says
// goes to its standard output. SIGTERM stops it, resumably, as does the end of its parent.
void RunSweep(const SweepOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGINT, SIG_DFL);
  const Stopwatch watch;
  const Grid grid =
      options.preset.empty() ? ParseGrid(options.grid, options.where) : PresetGrid(options.preset);
  if (options.jobs == 0) throw InputError("jobs", "expected at least 1 process");
  SayProgress progress;
  LockWait wait;
  wait.stop = [&] { return watch.Seconds() >= options.time_limit; };
  wait.waiting = [&](const LockOwner& owner) {
    Say({{"say", fmt::format("waiting for {}, which is planning it", owner.Describe())}});
  };
  std::optional<Sweep> sweep;
  try {
    sweep = PlanSweep(grid, options.data, options.out,
                      {.jobs = options.jobs,
                       .extend = options.extend,
                       .repair = options.repair,
                       .may_wait_for_data = true,
                       .wait = wait},
                      progress);
  } catch (const PlanningStopped&) {
    Say({{"done", {{"stopped", "time limit"}}}});
    return;
  }
  AgreeToCommands(*sweep);  // whoever gives a grid has chosen them
  const StopSignals signals;
  WorkOptions work;
  work.jobs = options.jobs;
  work.wait_for_others = true;
  work.retry_failed = options.retry_failed;
  work.time_limit = options.time_limit - watch.Seconds();
  work.only = RunFilter(options.only, sweep->grid);
  if (!options.known.empty()) {
    KnownRuns known = FindKnownRuns(options.known, *sweep);
    for (const std::string& file : known.unreadable) {
      Say({{"say", fmt::format("none of its runs is known: {}", file)}});
    }
    work.known = std::move(known.seconds);
  }
  work.stop = [&] { return signals.Received(); };
  work.say = [](const std::string& line) { Say({{"say", line}}); };
  work.complain = work.say;
  std::optional<Stopwatch> since_shown;
  work.show = [&](const SweepView& view) {
    if (since_shown && since_shown->Seconds() < 0.5) return;
    since_shown.emplace();
    Say({{"show",
          {{"runs", view.runs},
           {"finished", view.finished},
           {"failed", view.failed + view.damaged},
           {"running", view.running.size()},
           {"seconds_left", view.seconds_left}}}});
  };
  const WorkEnd end = WorkThrough(*sweep, work);
  Say({{"done",
        {{"stopped", end.stopped},
         {"machine_failed", end.machine_failed},
         {"finished", end.finished},
         {"failed", end.failed},
         {"damaged", end.damaged},
         {"left", end.left}}}});
}

void RunSweepOf(const std::string& text) {
  const Json json = ParseJson(text, "options");
  SweepOptions options{.grid = json.at("grid"),
                       .where = json.at("where"),
                       .preset = json.at("preset"),
                       .data = json.at("data").get<std::string>(),
                       .out = json.at("out").get<std::string>(),
                       .jobs = json.at("jobs"),
                       .extend = json.at("extend"),
                       .repair = json.at("repair"),
                       .retry_failed = json.at("retry_failed"),
                       .time_limit = json.at("time_limit"),
                       .known = json.at("known"),
                       .only = json.at("only").get<std::vector<std::string>>()};
  RunSweep(options);
}

// What `flare papers` says of every grid that is part of the program.
py::list PapersOfProgram() {
  py::list presets;
  for (const Grid& grid : Presets()) {
    py::dict row;
    row["name"] = grid.name;
    row["runs"] = grid.Runs().size();
    row["languages"] = grid.languages.size();
    row["core_hours"] = grid.core_hours;
    row["shows"] = grid.shows;
    presets.append(row);
  }
  return presets;
}

}  // namespace

void BindEngine(py::module_& module) {
  module.def("train", &Train);
  module.def("run_sweep", &RunSweepOf);
  module.def("presets", &PapersOfProgram);
}

}  // namespace flare::python
