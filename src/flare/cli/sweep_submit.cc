// flare sweep submit: workers on a cluster.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "flare/base/error.h"
#include "flare/base/system.h"
#include "flare/base/text.h"
#include "flare/cli/sweep_commands.h"
#include "flare/cli/tell.h"
#include "flare/experiments/slurm.h"

namespace flare {
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

}  // namespace flare
