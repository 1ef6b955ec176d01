// flare sweep plan|run|work|submit|status|list: a whole grid of runs.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <thread>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/stop_signals.h"
#include "flare/base/text.h"
#include "flare/cli/command.h"
#include "flare/cli/progress_bar.h"
#include "flare/cli/sweep_screen.h"
#include "flare/cli/tell.h"
#include "flare/experiments/slurm.h"
#include "flare/experiments/sweep_status.h"
#include "flare/experiments/workers.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::uint64_t Cores() { return std::max<std::uint64_t>(1, std::thread::hardware_concurrency()); }

// CONFIG or --preset, --data, --out: what plan and run are given.
struct PlanArguments {
  explicit PlanArguments(CLI::App& app) {
    app.add_option("CONFIG", config, "a grid, as TOML (docs/reproduce.md)")->type_name("FILE");
    app.add_option("--preset", preset, "a grid of ours: paper, paper-mini, model-size or demo");
    app.add_option("--data", data, "directory of the datasets; missing ones are made")
        ->required()
        ->type_name("DIR");
    app.add_option("--out", out, "directory of the sweep")->required()->type_name("OUT");
    app.add_flag("--extend", extend, "OUT may be of a smaller grid, whose runs are kept");
    AddCount(app, "--jobs", jobs, "processes, one core each")->default_str("all cores");
  }

  Sweep Plan() const {
    if (config.empty() == preset.empty()) {
      throw InputError("", "give a grid: either CONFIG or --preset");
    }
    if (jobs == 0) throw InputError("--jobs", "0 processes do nothing");
    const Grid grid = preset.empty() ? ParseGrid(ReadFile(config), config) : PresetGrid(preset);
    ProgressBar bar;
    const auto waiting = [this](const LockOwner& owner) {
      Tell("flare: {}: waiting for {}, which plans it\n", out, owner.Describe());
    };
    return PlanSweep(grid, data, out, {.jobs = jobs, .extend = extend, .waiting = waiting}, bar);
  }

  std::string config, preset, data, out;
  std::uint64_t jobs = Cores();
  bool extend = false;
};

void AddOnly(CLI::App& app, std::vector<std::string>& only) {
  app.add_option("--only", only,
                 "only runs with these coordinates, as language=parity,first; may be repeated")
      ->type_name("COORDINATE=VALUE,...")
      ->expected(1)
      ->take_all();
}

std::function<int()> PlanSubcommand(CLI::App& app) {
  const auto arguments = std::make_shared<PlanArguments>(app);
  return [arguments] {
    const Sweep sweep = arguments->Plan();
    Tell("flare: {}: {} planned\n", arguments->out, Counted(sweep.grid.Runs().size(), "run"));
    return static_cast<int>(kDone);
  };
}

// Works on a sweep until it is done or somebody stops it.
int Work(const Sweep& sweep, WorkOptions options, const std::vector<std::string>& only,
         const std::string& time_limit) {
  const StopSignals signals;
  options.only = RunFilter(only, sweep.grid);
  options.stop = [&] { return signals.Received(); };
  if (!time_limit.empty()) options.time_limit = ParseDuration(time_limit, "--time-limit");
  WorkEnd end;
  {
    SweepScreen screen;
    options.say = [&](const std::string& line) { screen.Say(line); };
    options.show = [&](const SweepView& view) { screen.Show(view); };
    options.complain = [](const std::string& line) { Tell("flare: {}\n", line); };
    end = WorkThrough(sweep, options);
  }
  Tell("flare: {}: {} finished, {} failed, {} left{}\n", sweep.out.string(), end.finished,
       end.failed, end.left, end.stopped.empty() ? "" : fmt::format(" (stopped: {})", end.stopped));
  if (end.machine_failed) return kMachine;
  if (end.failed > 0) {
    Tell("flare sweep status shows why; --retry-failed tries them again\n");
  }
  return !end.stopped.empty() || end.failed > 0 ? kNegativeAnswer : kDone;
}

std::function<int()> RunSubcommand(CLI::App& app) {
  struct Options {
    explicit Options(CLI::App& a) : plan(a) {
      a.add_flag("--retry-failed", retry_failed, "try failed runs again");
      a.add_option("--time-limit", time_limit, "stop, resumably, after this time: 90s, 15m, 2h");
      AddOnly(a, only);
    }
    PlanArguments plan;
    bool retry_failed = false;
    std::string time_limit;
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>(app);
  return [options] {
    const Sweep sweep = options->plan.Plan();
    WorkOptions work;
    work.jobs = options->plan.jobs;
    work.wait_for_others = true;
    work.retry_failed = options->retry_failed;
    return Work(sweep, work, options->only, options->time_limit);
  };
}

std::function<int()> WorkSubcommand(CLI::App& app) {
  struct Options {
    std::string out, time_limit;
    std::uint64_t jobs = 1;
    bool retry_failed = false;
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->out, "a planned sweep")->required();
  AddCount(app, "--jobs", options->jobs, "processes, one core each")->default_str("1");
  app.add_flag("--retry-failed", options->retry_failed, "try failed runs again");
  app.add_option("--time-limit", options->time_limit, "stop, resumably, after this time");
  AddOnly(app, options->only);
  return [options] {
    if (options->jobs == 0) throw InputError("--jobs", "0 processes do nothing");
    WorkOptions work;
    work.jobs = options->jobs;
    work.retry_failed = options->retry_failed;
    return Work(ReadSweep(options->out), work, options->only, options->time_limit);
  };
}

std::function<int()> SubmitSubcommand(CLI::App& app) {
  struct Options {
    std::string out;
    bool slurm = false, dry_run = false;
    std::uint64_t tasks = SlurmOptions{}.tasks;
    SlurmOptions how;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->out, "a planned sweep")->required();
  app.add_flag("--slurm", options->slurm, "as a Slurm job array")->required();
  AddCount(app, "--tasks", options->tasks, "workers")->capture_default_str();
  app.add_option("--time", options->how.time, "limit of each worker; it is queued again if needed");
  app.add_option("--partition", options->how.partition, "where to run");
  app.add_option("--mem", options->how.memory, "memory of each worker")->capture_default_str();
  app.add_option("--sbatch-args", options->how.sbatch_arguments,
                 "further arguments of sbatch, as --sbatch-args=--account=mine; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_flag("--dry-run", options->dry_run, "print the batch script and the command, no more");
  return [options] {
    const Sweep sweep = ReadSweep(options->out);
    options->how.tasks = options->tasks;
    const fs::path program = fs::read_symlink("/proc/self/exe");
    if (options->dry_run) {
      Print(BatchScript(program, sweep.out, options->how));
      Tell("flare: would run: {}\n",
           fmt::join(SubmitCommand(ScriptPath(sweep.out), options->how), " "));
      return static_cast<int>(kDone);
    }
    const std::string job = SubmitWorkers(sweep, program, options->how);
    Print(job + "\n");
    Tell("flare: job {} with {}; flare sweep status {} shows how far it is\n", job,
         Counted(options->tasks, "worker"), options->out);
    return static_cast<int>(kDone);
  };
}

Json StatusToJson(const Sweep& sweep, const SweepStatus& status, const SlurmJobs& jobs) {
  Json failures = Json::array(), running = Json::array(), tasks = Json::array();
  for (const RunStatus& one : status.runs) {
    if (one.state == RunState::kFailed) failures.push_back(RunStatusToJson(one));
    if (one.state == RunState::kHeld) running.push_back(RunStatusToJson(one));
  }
  for (const SlurmTask& task : jobs.tasks) {
    tasks.push_back(
        {{"job", task.job}, {"task", task.task}, {"state", task.state}, {"reason", task.reason}});
  }
  return {{"name", sweep.grid.name},
          {"runs", status.runs.size()},
          {"finished", status.finished},
          {"diverged", status.diverged},
          {"failed", status.failed},
          {"running", status.held},
          {"left", status.left},
          {"core_seconds_spent", status.seconds_spent},
          {"core_seconds_left", status.seconds_left},
          {"running_runs", running},
          {"failures", failures},
          {"slurm", {{"jobs", jobs.submitted}, {"reachable", jobs.reachable}, {"tasks", tasks}}}};
}

std::string StatusText(const Sweep& sweep, const SweepStatus& status, const SlurmJobs& jobs) {
  std::string text =
      fmt::format("{}: {}: {} finished ({} diverged), {} running, {} failed, {} left\n",
                  sweep.grid.name, Counted(status.runs.size(), "run"), status.finished,
                  status.diverged, status.held, status.failed, status.left);
  text += fmt::format("{} of one core spent, about {} left\n", FormatDuration(status.seconds_spent),
                      FormatDuration(status.seconds_left));
  for (const RunStatus& one : status.runs) {
    if (one.state == RunState::kHeld) {
      text += fmt::format("running  {}  {}\n", one.run.Path(), one.owner);
    }
  }
  for (const RunStatus& one : status.runs) {
    if (one.state == RunState::kFailed) {
      text += fmt::format("failed   {}  {}\n", one.run.Path(), one.failure);
    }
  }
  std::map<std::string, std::map<std::string, std::size_t>> by_job;
  for (const SlurmTask& task : jobs.tasks) ++by_job[task.job][task.state];
  for (const std::string& job : jobs.submitted) {
    text += fmt::format("slurm job {}:", job);
    if (!jobs.reachable) text += " squeue does not answer here";
    if (jobs.reachable && by_job[job].empty()) text += " no longer in the queue";
    for (const auto& [state, count] : by_job[job]) text += fmt::format(" {} {}", count, state);
    text += "\n";
  }
  return text;
}

std::function<int()> StatusSubcommand(CLI::App& app) {
  struct Options {
    std::string out;
    bool json = false;
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->out, "a sweep")->required();
  app.add_flag("--json", options->json, "as JSON");
  AddOnly(app, options->only);
  return [options] {
    const Sweep sweep = ReadSweep(options->out);
    const SweepStatus status = StatusOf(sweep, RunFilter(options->only, sweep.grid));
    const SlurmJobs jobs = JobsOf(sweep.out);
    Print(options->json ? JsonText(StatusToJson(sweep, status, jobs))
                        : StatusText(sweep, status, jobs));
    return static_cast<int>(kDone);
  };
}

std::function<int()> ListSubcommand(CLI::App& app) {
  struct Options {
    std::string out;
    bool left = false, json = false;
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->out, "a sweep")->required();
  app.add_flag("--left", options->left, "only those that are neither finished nor failed");
  app.add_flag("--json", options->json, "as JSON");
  AddOnly(app, options->only);
  return [options] {
    const Sweep sweep = ReadSweep(options->out);
    const SweepStatus status = StatusOf(sweep, RunFilter(options->only, sweep.grid));
    Json json = Json::array();
    std::string text;
    for (const RunStatus& one : status.runs) {
      const bool to_do = one.state == RunState::kLeft || one.state == RunState::kHeld;
      if (options->left && !to_do) continue;
      json.push_back(RunStatusToJson(one));
      const std::string accuracy =
          one.test_accuracy ? fmt::format("{:.4f}", *one.test_accuracy) : "-";
      text += fmt::format("{:<8}  {:>6}  {}\n", one.outcome.empty() ? Name(one.state) : one.outcome,
                          accuracy, one.run.Path());
    }
    Print(options->json ? JsonText(json) : text);
    return static_cast<int>(kDone);
  };
}

}  // namespace

std::function<int()> SweepCommand(CLI::App& app) {
  struct Entry {
    const char* name;
    const char* summary;
    std::function<int()> (*add)(CLI::App&);
  };
  static constexpr Entry kEntries[] = {
      {"plan", "Make the sweep directory and the datasets that are missing", PlanSubcommand},
      {"run", "Plan, then work on this machine until all runs are done", RunSubcommand},
      {"work", "Work on a planned sweep, beside other workers", WorkSubcommand},
      {"submit", "Let a cluster work on a planned sweep", SubmitSubcommand},
      {"status", "How far a sweep is", StatusSubcommand},
      {"list", "The runs of a sweep", ListSubcommand},
  };
  app.require_subcommand(1);
  const auto chosen = std::make_shared<std::function<int()>>();
  for (const Entry& entry : kEntries) {
    CLI::App* sub = app.add_subcommand(entry.name, entry.summary);
    sub->callback([chosen, run = entry.add(*sub)] { *chosen = run; });
  }
  return [chosen] { return (*chosen)(); };
}

}  // namespace flare
