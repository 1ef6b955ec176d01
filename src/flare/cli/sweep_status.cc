// flare sweep status and list: how far along a sweep is, and its runs.

#include "flare/experiments/sweep_status.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "flare/base/clock.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/cli/sweep_commands.h"
#include "flare/experiments/slurm.h"

namespace flare {
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

}  // namespace flare
