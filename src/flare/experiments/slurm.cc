#include "flare/experiments/slurm.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/lock_file.h"
#include "flare/base/process.h"
#include "flare/base/text.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// Slurm sends the signal this long before the limit, or up to a minute earlier.
constexpr int kSignalLead = 120;
constexpr double kLeastTime = 300;

constexpr const char* kScript = "slurm/worker.sh";
constexpr const char* kJobs = "slurm/jobs.jsonl";

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// Reads a duration as Slurm does: a bare number is minutes.
double SecondsOf(const std::string& time) {
  const bool bare = time.find_first_not_of("0123456789") == std::string::npos;
  return ParseDuration(time, "--time") * (bare ? 60 : 1);
}

// Writes a duration as days-hours:minutes:seconds.
std::string SlurmTime(double seconds) {
  const auto s = static_cast<long long>(seconds);
  return fmt::format("{}-{:02}:{:02}:{:02}", s / 86400, s / 3600 % 24, s / 60 % 60, s % 60);
}

// Escapes the name of a file for Slurm, which replaces % and the letter after it.
std::string WithoutPatterns(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

void Check(const SlurmOptions& options) {
  if (options.tasks == 0 || options.tasks > 100'000) {
    throw InputError("--tasks", fmt::format("{} is not from 1 to 100000", options.tasks));
  }
  if (!options.time.empty() && SecondsOf(options.time) < kLeastTime) {
    throw InputError("--time", fmt::format("{} leaves no time to work", Quoted(options.time)),
                     fmt::format("a task stops up to {} s before its limit; give at least {} min",
                                 kSignalLead + 60, kLeastTime / 60));
  }
  const std::pair<const char*, const std::string&> texts[] = {{"--partition", options.partition},
                                                              {"--mem", options.memory}};
  for (const auto& [option, text] : texts) {
    if (text.find_first_of(" \n\t") != std::string::npos) {
      throw InputError(option, fmt::format("{} has spaces", Quoted(text)));
    }
  }
}

}  // namespace

std::string BatchScript(const fs::path& program, const fs::path& out, const SlurmOptions& options) {
  Check(options);
  const fs::path absolute = fs::absolute(out).lexically_normal();
  std::string script = "#!/bin/bash\n#SBATCH --job-name=flare\n";
  script += fmt::format("#SBATCH --array=1-{}\n", options.tasks);
  script += "#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n";
  script += fmt::format("#SBATCH --mem={}\n", options.memory);
  if (!options.time.empty()) {
    script += fmt::format("#SBATCH --time={}\n", SlurmTime(SecondsOf(options.time)));
  }
  if (!options.partition.empty()) {
    script += fmt::format("#SBATCH --partition={}\n", options.partition);
  }
  // Appended to, since a task that is queued again opens its log again.
  script += fmt::format("#SBATCH --requeue\n#SBATCH --open-mode=append\n");
  script += fmt::format("#SBATCH --signal=B:USR1@{}\n", kSignalLead);
  script += fmt::format(R"(
# One worker of a sweep: it claims runs and trains them until none is left.
time_is_up=
trap 'time_is_up=yes; kill -USR1 $worker' USR1
trap 'time_is_up=; kill -TERM $worker' TERM
{} sweep work {} &
worker=$!
# A trap interrupts wait.
while kill -0 $worker 2>/dev/null; do wait $worker; done
wait $worker
code=$?
# Stopped by the time limit, not by scancel: the task goes back to the queue. It is named by the
# array's id and its index, because the plain job id may mean the whole array.
if [[ $code -eq 1 && -n $time_is_up ]]; then
  trap '' USR1 TERM
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID" && exit 0
fi
exit $code
)",
                        ShellQuoted(program), ShellQuoted(absolute));
  return script;
}

fs::path ScriptPath(const fs::path& out) { return fs::absolute(out).lexically_normal() / kScript; }

std::vector<std::string> SubmitCommand(const fs::path& script, const SlurmOptions& options) {
  const std::string logs = WithoutPatterns(script.parent_path());
  std::vector<std::string> command = {"sbatch", "--parsable", "--output=" + logs + "/%A_%a.log"};
  command.insert(command.end(), options.sbatch_arguments.begin(), options.sbatch_arguments.end());
  command.push_back(script.string());
  return command;
}

std::string SubmitWorkers(const Sweep& sweep, const fs::path& program,
                          const SlurmOptions& options) {
  const fs::path script = ScriptPath(sweep.out);
  WriteInside(sweep.out, kScript, BatchScript(program, sweep.out, options));
  // Others may submit at the same time.
  const auto lock = WaitForLock(script.parent_path() / "lock");
  RemoveTemporaries(script.parent_path());
  // A job whose id cannot be kept is not submitted.
  const fs::path jobs = sweep.out / kJobs;
  std::string lines = fs::exists(jobs) ? ReadRegularFile(jobs) : "";
  WriteInside(sweep.out, kJobs, lines);
  const auto result = RunProgram(SubmitCommand(script, options));
  if (!result) {
    throw InputError("sbatch", "no such program: this is not a Slurm machine",
                     "flare sweep run works on any machine");
  }
  // "123" or "123;cluster".
  std::string id = FirstLine(result->output).substr(0, result->output.find(';'));
  if (result->exit_code != 0 || id.empty() ||
      id.find_first_not_of("0123456789") != std::string::npos) {
    const std::string said = FirstLine(result->errors + result->output);
    constexpr std::string_view kName = "sbatch: ";
    throw InputError("sbatch", said.starts_with(kName) ? said.substr(kName.size()) : said);
  }
  lines += Json({{"job", id}, {"tasks", options.tasks}, {"time", UtcNow()}}).dump() + "\n";
  WriteInside(sweep.out, kJobs, lines);
  return id;
}

SlurmJobs JobsOf(const fs::path& out) {
  SlurmJobs jobs;
  const fs::path file = out / kJobs;
  std::string text;
  try {
    if (!fs::exists(file)) return jobs;
    text = ReadRegularFile(file);
  } catch (...) {
    jobs.unreadable = CaughtFault();
    return jobs;
  }
  for (const std::string_view line : Lines(text)) {
    const Json json = Json::parse(line, nullptr, false);
    if (auto job = Member<std::string>(json, "job")) jobs.submitted.push_back(*job);
  }
  for (const std::string& id : jobs.submitted) {
    // --array: a line per task, also for those that wait.
    const auto result = RunProgram(
        {"squeue", "--noheader", "--array", "--states=all", "--format=%K %T %r", "--jobs=" + id});
    if (!result) return jobs;
    jobs.reachable = jobs.reachable || result->exit_code == 0 ||
                     result->errors.find("Invalid job id") != std::string::npos;
    if (result->exit_code != 0) continue;  // Slurm forgets jobs some minutes after their end
    for (const std::string_view line : Lines(result->output)) {
      std::istringstream fields{std::string(line)};
      SlurmTask task{id, "", "", ""};
      fields >> task.task >> task.state >> task.reason;
      jobs.tasks.push_back(std::move(task));
    }
  }
  return jobs;
}

}  // namespace flare
