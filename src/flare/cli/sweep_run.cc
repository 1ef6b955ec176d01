// flare sweep plan, run and work: from a grid to finished runs, on this machine.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/long_work.h"
#include "flare/base/text.h"
#include "flare/cli/cmd_sweep.h"
#include "flare/cli/screen.h"
#include "flare/cli/terminal.h"
#include "flare/experiments/collect.h"
#include "flare/experiments/plan.h"
#include "flare/experiments/run_process.h"
#include "flare/experiments/workers.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::uint64_t Cores() { return std::max<std::uint64_t>(1, std::thread::hardware_concurrency()); }

// The target of a grid that names none is the usual one, unless the machine that planned it lacks
// that.
void TellUnusualTarget(const Grid& grid, const Sweep& sweep) {
  const auto target = sweep.grid.settings.find("target");
  if (grid.settings.contains("target") || target == sweep.grid.settings.end() ||
      target->second == RunSettings{}.target) {
    return;
  }
  Tell("flare: {}: its runs have the target {}: it was planned on a CPU without AVX2\n",
       sweep.out.string(), target->second);
}

// The grid of a file. A newcomer may give the name of a preset.
Grid GridOf(const std::string& config) {
  const std::vector<std::string> presets = PresetNames();
  if (!fs::exists(config) && std::find(presets.begin(), presets.end(), config) != presets.end()) {
    throw InputError(config, "no such file", fmt::format("did you mean --preset {}?", config));
  }
  return ParseGrid(ReadFile(config), config);
}

// CONFIG or --preset, --data, --out: what plan and run are given.
struct PlanArguments {
  explicit PlanArguments(CLI::App& app) {
    app.add_option("CONFIG", config, "a grid, as TOML (docs/how-to/grids.md)")->type_name("FILE");
    app.add_option("--preset", preset, "a grid of the program (flare papers lists them)");
    app.add_option("--data", data, "directory of the datasets; missing ones are made")
        ->required()
        ->type_name("DIR");
    app.add_option("--out", out, "directory of the sweep")->required()->type_name("OUT");
    app.add_flag("--extend", extend, "OUT may hold a smaller grid, whose runs are kept");
    app.add_flag("--repair", repair, "restore what is missing or has changed in its datasets");
    AddCount(app, "--jobs", jobs, "processes, one core each")->default_str("all cores");
  }

  // Returns nothing if `stop` said so while another process planned the sweep. If
  // `may_wait_for_data` is set, a worker that follows may wait for some of the data.
  std::optional<Sweep> Plan(const std::function<bool()>& stop, bool may_wait_for_data) const {
    if (config.empty() == preset.empty()) {
      throw InputError("", "give a grid: either CONFIG or --preset");
    }
    if (jobs == 0) throw InputError("--jobs", "expected at least 1 process");
    const Grid grid = preset.empty() ? GridOf(config) : PresetGrid(preset);
    ProgressBar bar;
    const LockWait wait{stop, [this](const LockOwner& owner) {
                          Tell("flare: {}: waiting for {}, which is planning it\n", out,
                               owner.Describe());
                        }};
    try {
      const PlanOptions how{.jobs = jobs,
                            .extend = extend,
                            .repair = repair,
                            .may_wait_for_data = may_wait_for_data,
                            .wait = wait};
      Sweep sweep = PlanSweep(grid, data, out, how, bar);
      AgreeToCommands(sweep);  // whoever gives a grid has chosen them
      TellUnusualTarget(grid, sweep);
      return sweep;
    } catch (const PlanningStopped&) {
      Tell("flare: {}: stopped (time limit) while waiting\n", out);
      return std::nullopt;
    }
  }

  std::string config, preset, data, out;
  std::uint64_t jobs = Cores();
  bool extend = false, repair = false;
};

// --known: records of runs that need not be done again.
void AddKnown(CLI::App& app, std::string& known) {
  app.add_option("--known", known, "leave out the runs that these records hold")->type_name("DIR");
}

std::map<std::string, double> Known(const std::string& records, const Sweep& sweep) {
  if (records.empty()) return {};
  KnownRuns known = FindKnownRuns(records, sweep);
  Tell("flare: {}: {} known\n", records, Counted(known.seconds.size(), "run"));
  for (const std::string& file : known.unreadable)
    Tell("flare: none of its runs is known: {}\n", file);
  if (known.others > 0) {
    Tell("flare: {}: {} of other runs not used: {}\n", records, Counted(known.others, "record"),
         known.difference);
  }
  return std::move(known.seconds);
}

double TimeLimit(const std::string& text) {
  return text.empty() ? WorkOptions{}.time_limit : ParseDuration(text, "--time-limit");
}

// Says, before long work, how long it may take.
void TellExpectedTime(const Sweep& sweep, const SweepView& view, std::size_t jobs) {
  constexpr double kLong = 60;
  if (view.seconds_left < kLong) return;
  Tell("flare: {}: {}, about {} on {}; Ctrl-C stops, the same command continues\n",
       sweep.out.string(), Counted(view.runs - view.finished - view.failed - view.damaged, "run"),
       FormatDuration(view.seconds_left), Counted(jobs, "core"));
}

// Works on a sweep until it is done or somebody stops it.
int Work(const Sweep& sweep, WorkOptions options, const std::vector<std::string>& only) {
  const StopSignals signals;
  options.only = RunFilter(only, sweep.grid);
  options.stop = [&] { return signals.Received(); };
  WorkEnd end;
  {
    SweepScreen screen;
    options.say = [&](const std::string& line) { screen.Say(line); };
    options.show = [&, told = false](const SweepView& view) mutable {
      if (!told) TellExpectedTime(sweep, view, options.jobs);
      told = true;
      screen.Show(view);
    };
    options.complain = [](const std::string& line) { Tell("flare: {}\n", line); };
    end = WorkThrough(sweep, options);
  }
  Tell("flare: {}: {} finished, {} failed, {}{} left{}\n", sweep.out.string(), end.finished,
       end.failed, end.damaged > 0 ? fmt::format("{} damaged, ", end.damaged) : "", end.left,
       end.stopped.empty() ? "" : fmt::format(" (stopped: {})", end.stopped));
  if (end.machine_failed) return kMachine;
  if (end.failed > 0) {
    Tell("flare sweep status shows why; --retry-failed tries them again\n");
  }
  return !end.stopped.empty() || end.failed + end.damaged > 0 ? kNegativeAnswer : kDone;
}

}  // namespace

std::function<int()> SweepPlan(CLI::App& app) {
  const auto arguments = std::make_shared<PlanArguments>(app);
  return [arguments] {
    const Sweep sweep = *arguments->Plan(nullptr, false);
    Tell("flare: {}: {} planned\n", arguments->out, Counted(sweep.grid.Runs().size(), "run"));
    return static_cast<int>(kDone);
  };
}

std::function<int()> SweepRun(CLI::App& app) {
  struct Options {
    explicit Options(CLI::App& a) : plan(a) {
      a.add_flag("--retry-failed", retry_failed, "try failed runs again");
      a.add_option("--time-limit", time_limit, "stop, resumably, after this time: 90s, 15m, 2h");
      AddKnown(a, known);
      AddOnly(a, only);
    }
    PlanArguments plan;
    bool retry_failed = false;
    std::string time_limit, known;
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>(app);
  return [options] {
    const Stopwatch watch;
    const double limit = TimeLimit(options->time_limit);
    const auto sweep = options->plan.Plan([&] { return watch.Seconds() >= limit; }, true);
    if (!sweep) return static_cast<int>(kNegativeAnswer);
    WorkOptions work;
    work.time_limit = limit - watch.Seconds();
    work.jobs = options->plan.jobs;
    work.wait_for_others = true;
    work.retry_failed = options->retry_failed;
    work.known = Known(options->known, *sweep);
    return Work(*sweep, work, options->only);
  };
}

std::function<int()> SweepWork(CLI::App& app) {
  struct Options {
    std::string out, time_limit, known;
    std::uint64_t jobs = 1;
    bool retry_failed = false, yes = false;
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->out, "a planned sweep")->required();
  AddCount(app, "--jobs", options->jobs, "processes, one core each")->default_str("1");
  app.add_flag("--retry-failed", options->retry_failed, "try failed runs again");
  app.add_option("--time-limit", options->time_limit, "stop, resumably, after this time");
  AddYes(app, options->yes);
  AddKnown(app, options->known);
  AddOnly(app, options->only);
  return [options] {
    if (options->jobs == 0) throw InputError("--jobs", "expected at least 1 process");
    WorkOptions work;
    work.jobs = options->jobs;
    work.retry_failed = options->retry_failed;
    work.time_limit = TimeLimit(options->time_limit);
    const Sweep sweep = ReadSweep(options->out);
    if (sweep.is_records)
      throw InputError(options->out, "holds records, which cannot be worked on");
    CheckCommands(sweep, options->yes);
    work.known = Known(options->known, sweep);
    return Work(sweep, work, options->only);
  };
}

}  // namespace flare
