// flare sweep plan|run|work|submit|status|list|collect|extract: a whole grid of runs.

#include "flare/cli/cmd_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/base/long_work.h"
#include "flare/base/system.h"
#include "flare/base/text.h"
#include "flare/cli/run_arguments.h"
#include "flare/cli/terminal.h"
#include "flare/experiments/collect.h"
#include "flare/experiments/extract_runs.h"
#include "flare/experiments/run_process.h"
#include "flare/experiments/slurm.h"
#include "flare/experiments/sweep_status.h"

namespace flare {

void AddOnly(CLI::App& app, std::vector<std::string>& only) {
  app.add_option("--only", only,
                 "only runs with these coordinates, as language=parity,first; may be repeated")
      ->type_name("COORDINATE=VALUE,...")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

void AddYes(CLI::App& app, bool& yes) {
  app.add_flag("--yes", yes, "agree to the commands of somebody else's sweep, once and for all");
}

void CheckCommands(const Sweep& sweep, bool yes) {
  if (yes) {
    for (const std::string& line : AgreeToCommands(sweep)) Tell("flare: agreed to: {}\n", line);
  }
  CheckAgreedToCommands(sweep);
}

std::function<int()> SweepCommand(CLI::App& app) {
  struct Entry {
    const char* name;
    const char* summary;
    std::function<int()> (*add)(CLI::App&);
  };
  static constexpr Entry kEntries[] = {
      {"plan", "Make the sweep directory and the datasets that are missing", SweepPlan},
      {"run", "Plan, then work on this machine until all runs are done", SweepRun},
      {"work", "Work on a planned sweep, alongside other workers", SweepWork},
      {"submit", "Let a cluster work on a planned sweep", SweepSubmit},
      {"status", "How far along a sweep is", SweepStatusCommand},
      {"list", "The runs of a sweep", SweepList},
      {"collect", "Keep what reports need of finished runs, as lines of text", SweepCollect},
      {"extract", "What the networks of finished runs have learned", SweepExtract},
  };
  app.require_subcommand(1);
  const auto chosen = std::make_shared<std::function<int()>>();
  for (const Entry& entry : kEntries) {
    CLI::App* sub = app.add_subcommand(entry.name, entry.summary);
    sub->callback([chosen, run = entry.add(*sub)] { *chosen = run; });
  }
  return [chosen] { return (*chosen)(); };
}

// flare sweep status and list: how far along a sweep is, and its runs.

namespace {

bool HasFault(const Run& run) {
  return run.state == RunState::kFailed || run.state == RunState::kDamaged;
}

Json StatusToJson(const Sweep& sweep, const SweepStatus& status, const SlurmJobs& jobs) {
  Json failures = Json::array(), running = Json::array(), tasks = Json::array();
  for (const Run& run : status.runs) {
    if (HasFault(run)) failures.push_back(RunToJson(run));
    if (run.state == RunState::kRunning) running.push_back(RunToJson(run));
  }
  for (const SlurmTask& task : jobs.tasks) {
    tasks.push_back(
        {{"job", task.job}, {"task", task.task}, {"state", task.state}, {"reason", task.reason}});
  }
  Json slurm = {{"jobs", jobs.submitted}, {"reachable", jobs.reachable}, {"tasks", tasks}};
  if (!jobs.unreadable.empty()) slurm["unreadable"] = jobs.unreadable;
  return {{"name", sweep.grid.name},
          {"runs", status.runs.size()},
          {"finished", status.finished},
          {"diverged", status.diverged},
          {"failed", status.failed},
          {"damaged", status.damaged},
          {"running", status.running},
          {"left", status.left},
          {"core_seconds_spent", status.seconds_spent},
          {"core_seconds_left", status.seconds_left},
          {"running_runs", running},
          {"failures", failures},
          {"slurm", slurm}};
}

std::string StatusText(const Sweep& sweep, const SweepStatus& status, const SlurmJobs& jobs) {
  std::string text = fmt::format(
      "{}: {}: {} finished ({} diverged), {} running, {} failed, {}{} left\n",
      Visible(sweep.grid.name), Counted(status.runs.size(), "run"), status.finished,
      status.diverged, status.running, status.failed,
      status.damaged > 0 ? fmt::format("{} damaged, ", status.damaged) : "", status.left);
  text += fmt::format("{} of one core spent, about {} left\n", FormatDuration(status.seconds_spent),
                      FormatDuration(status.seconds_left));
  for (const Run& run : status.runs) {
    if (run.state == RunState::kRunning) {
      text += fmt::format("running  {}  {}\n", run.at.Path(), run.owner);
    }
  }
  for (const Run& run : status.runs) {
    if (HasFault(run)) {
      text += fmt::format("{:<8} {}  {}\n", Name(run.state), run.at.Path(), run.fault);
    }
  }
  if (!jobs.unreadable.empty()) text += fmt::format("slurm jobs: {}\n", jobs.unreadable);
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

}  // namespace

std::function<int()> SweepStatusCommand(CLI::App& app) {
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

std::function<int()> SweepList(CLI::App& app) {
  struct Options {
    std::string out;
    bool left = false, json = false;
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->out, "a sweep")->required();
  app.add_flag("--left", options->left,
               "only those that are neither finished nor failed nor damaged");
  app.add_flag("--json", options->json, "as JSON");
  AddOnly(app, options->only);
  return [options] {
    const Sweep sweep = ReadSweep(options->out);
    const SweepStatus status = StatusOf(sweep, RunFilter(options->only, sweep.grid));
    Json json = Json::array();
    std::string text = fmt::format("{:<8}  {:>6}  {}\n", "STATE", "TEST", "RUN");
    for (const Run& run : status.runs) {
      const bool to_do = run.state == RunState::kLeft || run.state == RunState::kRunning;
      if (options->left && !to_do) continue;
      json.push_back(RunToJson(run));
      const auto test = run.result ? run.result->Metric("test", "accuracy") : std::nullopt;
      const std::string accuracy = test ? fmt::format("{:.4f}", *test) : "-";
      text += fmt::format("{:<8}  {:>6}  {}\n", Name(run.state), accuracy, run.at.Path());
    }
    Print(options->json ? JsonText(json) : text);
    return static_cast<int>(kDone);
  };
}

// flare sweep submit: workers on a cluster.

namespace fs = std::filesystem;

namespace {

// PyTorch alone takes more than our own runs need.
constexpr const char* kMemoryOfPrograms = "2G";

std::string MemoryOfWorkers(const Sweep& sweep, const std::string& given) {
  if (!given.empty()) return given;
  if (sweep.grid.externals.empty()) return SlurmOptions{}.memory;
  std::vector<std::string> names;
  for (const External& external : sweep.grid.externals) names.push_back(external.name);
  Tell("flare: {}: {} of memory for each worker, as {} {} another program's; --mem chooses\n",
       sweep.out.string(), kMemoryOfPrograms, Listed(names, "and"),
       names.size() == 1 ? "is" : "are");
  return kMemoryOfPrograms;
}

}  // namespace

std::function<int()> SweepSubmit(CLI::App& app) {
  struct Options {
    std::string out;
    std::string memory;
    bool slurm = false, dry_run = false, yes = false;
    std::uint64_t tasks = SlurmOptions{}.tasks;
    SlurmOptions how;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->out, "a planned sweep")->required();
  app.add_flag("--slurm", options->slurm, "as a Slurm job array")->required();
  AddCount(app, "--tasks", options->tasks, "workers")->capture_default_str();
  app.add_option("--time", options->how.time, "limit of each worker; it is queued again if needed");
  app.add_option("--partition", options->how.partition, "where to run");
  app.add_option("--mem", options->memory, "memory of each worker")
      ->default_str(fmt::format("{}, or {} where a grid has programs of its own",
                                SlurmOptions{}.memory, kMemoryOfPrograms));
  app.add_option("--sbatch-args", options->how.sbatch_arguments,
                 "further arguments of sbatch, as --sbatch-args=--account=mine; may be repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--dry-run", options->dry_run, "only print the batch script and the command");
  AddYes(app, options->yes);
  return [options] {
    const Sweep sweep = ReadSweep(options->out);
    if (sweep.is_records)
      throw InputError(options->out, "holds records, which cannot be worked on");
    options->how.tasks = options->tasks;
    options->how.memory = MemoryOfWorkers(sweep, options->memory);
    const fs::path program = ProgramFile();
    if (options->dry_run) {
      Print(BatchScript(program, sweep.out, options->how));
      std::string command;
      for (const std::string& word : SubmitCommand(ScriptPath(sweep.out), options->how)) {
        command += " " + ShellQuoted(word);
      }
      Tell("flare: would run:{}\n", command);
      return static_cast<int>(kDone);
    }
    CheckCommands(sweep, options->yes);
    const std::string job = SubmitWorkers(sweep, program, options->how);
    Print(job + "\n");
    Tell("flare: job {} with {}; flare sweep status {} shows its progress\n", job,
         Counted(options->tasks, "worker"), options->out);
    return static_cast<int>(kDone);
  };
}

// flare sweep collect OUT… --to DIR: records of finished runs, small enough for a repository.

std::function<int()> SweepCollect(CLI::App& app) {
  struct Options {
    std::vector<std::string> sources, only;
    std::string to;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->sources, "directories of sweeps or of records")->required();
  app.add_option("--to", options->to, "the directory of records, new or to be added to")
      ->required()
      ->type_name("DIR");
  AddOnly(app, options->only);
  return [options] {
    const std::vector<std::filesystem::path> sources(options->sources.begin(),
                                                     options->sources.end());
    ProgressBar bar;
    const CollectSummary summary = CollectRuns(sources, options->only, options->to, bar);
    for (const std::string& line : summary.unreadable) Tell("flare: left out: {}\n", line);
    Tell("flare: {}: {} added, {} known, {} not finished; {} of {} there\n", options->to,
         Counted(summary.added, "run"), summary.known, summary.unfinished, summary.there,
         Counted(summary.runs, "run"));
    return static_cast<int>(summary.unreadable.empty() ? kDone : kNegativeAnswer);
  };
}

// flare sweep extract OUT: what the networks of all finished runs have learned.

std::function<int()> SweepExtract(CLI::App& app) {
  struct Options {
    explicit Options(CLI::App& a) : extraction(a) {
      a.add_option("OUT", out, "directory of a sweep")->required();
      AddCount(a, "--jobs", jobs, "threads, one run each")->default_str("all cores");
      AddOnly(a, only);
    }
    std::string out;
    ExtractionArguments extraction;
    std::uint64_t jobs = std::max<std::uint64_t>(1, std::thread::hardware_concurrency());
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>(app);
  return [options] {
    if (options->jobs == 0) throw InputError("--jobs", "expected at least 1 thread");
    const Sweep sweep = ReadSweep(options->out);
    if (sweep.is_records) throw InputError(options->out, "holds records, which have no networks");
    const StopSignals signals;
    ExtractSummary summary;
    {
      ProgressBar bar;
      summary = ExtractRuns(sweep,
                            {.extraction = options->extraction.Get(),
                             .only = RunFilter(options->only, sweep.grid),
                             .jobs = options->jobs,
                             .stop = [&] { return signals.Received(); }},
                            bar);
    }
    for (const std::string& line : summary.failed) Tell("flare: left out: {}\n", line);
    if (summary.external > 0) {
      Tell("flare: left out: {} of other programs, whose networks only they can ask\n",
           Counted(summary.external, "run"));
    }
    if (summary.without_model > 0) {
      Tell("flare: left out: {} that diverged before they had a model\n",
           Counted(summary.without_model, "run"));
    }
    Tell("flare: {}: {} extracted, {} known, {} not finished, {} held by others{}\n", options->out,
         summary.extracted, summary.known, summary.unfinished, summary.held,
         summary.stopped.empty() ? "" : " (stopped: " + summary.stopped + ")");
    const bool whole = summary.failed.empty() && summary.held == 0 && summary.stopped.empty();
    return static_cast<int>(whole ? kDone : kNegativeAnswer);
  };
}

}  // namespace flare
