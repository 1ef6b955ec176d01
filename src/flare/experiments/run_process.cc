#include "flare/experiments/run_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/process.h"
#include "flare/base/sha256.h"
#include "flare/base/system.h"
#include "flare/base/text.h"
#include "flare/experiments/data_access.h"
#include "flare/runs/run_directory.h"
#include "flare/training/external_run.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"

namespace flare {

namespace fs = std::filesystem;

namespace {

RunPlan PlanOf(const Sweep& sweep, const Coordinates& run) {
  RunData data = OpenPlannedData(sweep, run.language);
  RunSettings settings = MakeSettings(sweep.grid.SettingsOf(run), data.alphabet.size());
  return {std::move(settings), std::move(data)};
}

// The exit code by which a program says that it can continue the run where it stopped.
constexpr int kExitResumable = 75;
// The time that a program has to save its state after it was asked to stop.
constexpr double kGraceSeconds = 60;
constexpr auto kLookInterval = std::chrono::milliseconds(20);
constexpr std::size_t kLogLines = 20, kLineBytes = 500;
constexpr std::size_t kLogBytes = std::size_t{1} << 16;  // how much of a log's end is read

// Makes numerical libraries use one thread, as our own runs do: each has one core to itself.
std::vector<std::pair<std::string, std::string>> OneThread() {
  return {{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}};
}

// The last lines of a log of any size, each cut to a length that people read.
std::string LastLines(const fs::path& file, std::size_t count) {
  const std::string text = ReadEnd(file, kLogBytes);
  const auto lines = Lines(text);
  std::string last;
  for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    last +=
        std::string(line.substr(0, kLineBytes)) + (line.size() > kLineBytes ? " ..." : "") + "\n";
  }
  return last;
}

// Waits for the program to end; nothing if we made it stop.
std::optional<int> Await(Process& program, const RunOptions& options) {
  const Stopwatch watch;
  std::optional<Stopwatch> asked;
  while (true) {
    if (const auto code = program.Poll()) {
      return asked && *code != 0 ? std::nullopt : code;
    }
    const bool stop =
        watch.Seconds() >= options.time_limit || (options.stop && !options.stop().empty());
    if (stop && !asked) {
      program.Signal(SIGTERM);
      asked.emplace();
    }
    if (asked && asked->Seconds() >= kGraceSeconds) program.Signal(SIGKILL);
    std::this_thread::sleep_for(kLookInterval);
  }
}

// The file of package.module, if it is in the working directory.
fs::path FileOfModule(std::string module) {
  std::replace(module.begin(), module.end(), '.', '/');
  const fs::path file = module + ".py";
  return fs::exists(file) ? file : fs::path(module) / "__init__.py";
}

// A run that another program began is removed and begins anew, since no other program may continue
// it. Runs of version 0.2 do not name the program that began them, and are continued.
void KeepToOneProgram(const OwnedRun& run, RunConfig& config) {
  const RunDirectory& directory = run.directory();
  if (!directory.is_begun()) return;
  RunConfig same = config;
  const RunConfig there = directory.ReadConfig();
  if (!there.external || there.external->files == config.external->files) return;
  same.external->files = there.external->files;
  CheckSameRun(directory, same);
  if (there.external->files.empty()) {
    config = std::move(same);
    return;
  }
  RestartExternal(run, config);
}

// The files that a command names, with their SHA-256: every word that is the path of one, and of
// MODULE:NAME, as flarelang.external takes it, the module's file in the working directory. What is
// looked up on the PATH (an interpreter) does not count.
std::map<std::string, std::string> FilesOfProgram(const std::vector<std::string>& command) {
  std::map<std::string, std::string> files;
  const auto add = [&](const fs::path& file) {
    std::error_code unseen;
    if (fs::is_regular_file(file, unseen)) files[file] = Sha256(ReadRegularFile(file));
  };
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (i > 0 || word.find('/') != std::string::npos) add(word);
    if (const auto colon = word.find(':'); colon != std::string::npos) {
      add(FileOfModule(word.substr(0, colon)));
    }
  }
  return files;
}

// Throws InputError, naming a file that differs: trials by different programs are not trials of
// one experiment.
void CheckSameProgram(const std::map<std::string, std::string>& files,
                      const ProgramOfVariant& wanted) {
  if (files == wanted.files) return;
  const auto is_same = [&](const auto& file) {
    const auto found = files.find(file.first);
    return found != files.end() && found->second == file.second;
  };
  const auto changed = std::find_if_not(wanted.files.begin(), wanted.files.end(), is_same);
  throw InputError(
      changed == wanted.files.end() ? "its program" : changed->first,
      fmt::format("has changed since {} was finished with it: restore it and give "
                  "--retry-failed, or plan a sweep for the new program with another --out",
                  wanted.run));
}

// Begins the run if need be, or over again if another program began it, starts the program with the
// run's directory as its last argument, and scores what it leaves. Throws InputError, IoError,
// RunLost.
RunProcessEnd ExecuteProgram(const OwnedRun& run, RunConfig config, const RunOptions& options) {
  const RunDirectory& directory = run.directory();
  KeepToOneProgram(run, config);
  BeginExternal(run, config);
  std::vector<std::string> arguments = config.external->command;
  arguments.push_back(fs::absolute(directory.path()).string());
  std::optional<int> code;
  {
    CheckNoLinks(directory.path(), directory.log().filename());
    const auto program = StartLogged(arguments, OneThread(), directory.log());
    code = Await(*program, options);
  }
  run.CheckOwned();
  if (!code) return RunProcessEnd::kStopped;
  if (*code == kExitResumable) return RunProcessEnd::kResumable;
  if (*code == 0) {
    FinishExternal(run, config);
    return RunProcessEnd::kFinished;
  }
  const std::string log = LastLines(directory.log(), kLogLines);
  std::string last = LastLines(directory.log(), 1);
  if (!last.empty()) last = ": " + last.substr(0, last.size() - 1);
  run.RecordFailure(fmt::format("its program ended with exit code {}{}", *code, last), log);
  return RunProcessEnd::kFailed;
}

RunProcessEnd ExecuteExternally(const OwnedRun& owned, const External& external, const Sweep& sweep,
                                const Coordinates& run, const ProgramOfVariant* program,
                                const RunOptions& how) {
  RunConfig config = MakeExternalConfig(external, sweep.grid.SettingsOf(run),
                                        OpenPlannedData(sweep, run.language));
  config.external->files = FilesOfProgram(external.command);
  if (program != nullptr) CheckSameProgram(config.external->files, *program);
  const RunProcessEnd end = ExecuteProgram(owned, config, how);
  const fs::path dataset = sweep.DatasetPath(run.language);
  if (end != RunProcessEnd::kFailed || HasDataset(dataset)) return end;
  // Whatever the program reports, it cannot continue without its data.
  owned.RemoveFailure();
  throw Unavailable(dataset, "disappeared while the run was using it");
}

RunProcessEnd ExecuteClaimed(const OwnedRun& owned, const Sweep& sweep, const Coordinates& run,
                             const RunProcessOptions& options) {
  const RunDirectory& directory = owned.directory();
  if (directory.is_finished()) return RunProcessEnd::kFinished;
  RunOptions how;
  how.stop = options.stop;
  try {
    if (const External* external = FindExternal(sweep.grid.externals, run.architecture())) {
      return ExecuteExternally(owned, *external, sweep, run, options.program, how);
    }
    const RunPlan plan = PlanOf(sweep, run);
    if (directory.is_begun()) CheckSameRun(directory, plan.config());
    return ExecuteRun(owned, plan, how).finished ? RunProcessEnd::kFinished
                                                 : RunProcessEnd::kStopped;
  } catch (const InputError& error) {
    if (CaughtDataAway(sweep, run.language)) throw;
    owned.RecordFailure(error.what());
    return RunProcessEnd::kFailed;
  }
}

// Opens a run of a sweep whose directory is still there: no second sweep may grow where the first
// was. It may be moved while we make the run's directory, which then goes again. Null if somebody
// else has the run.
std::unique_ptr<OwnedRun> OpenRunOf(const Sweep& sweep, const Coordinates& run,
                                    LockObserver& observer) {
  const fs::path file = SweepFile(sweep.out);
  const auto check = [&] {
    if (!fs::exists(file)) throw IoError(file, "find", ENOENT);
  };
  check();
  auto owned = OwnedRun::TryOpen(sweep.RunPath(run), observer);
  try {
    check();
  } catch (const IoError&) {
    owned.reset();
    std::error_code is_not_empty;
    for (fs::path path = sweep.RunPath(run); path != sweep.out && !is_not_empty;
         path = path.parent_path()) {
      fs::remove(path, is_not_empty);
    }
    throw;
  }
  return owned;
}

// Runs in the process that executes the run.
RunProcessEnd ExecuteInChild(const Sweep& sweep, const Coordinates& run,
                             const RunProcessOptions& options, LockObserver& observer) {
  const auto tell = [&](const std::string& line) {
    if (options.complain) options.complain(line);
  };
  try {
    try {
      const auto owned = OpenRunOf(sweep, run, observer);
      if (owned == nullptr) return RunProcessEnd::kTaken;
      return ExecuteClaimed(*owned, sweep, run, options);
    } catch (...) {
      if (!CaughtDataAway(sweep, run.language)) throw;
      if (!options.is_known_to_lack) tell(CaughtFault() + "; waiting for it");
      return RunProcessEnd::kDataAway;
    }
  } catch (const RunLost&) {
    return RunProcessEnd::kTaken;
  } catch (const InputError& error) {
    // The directory does not hold a run of ours, so nothing is written into it.
    tell(error.what());
    return RunProcessEnd::kDamaged;
  } catch (const IoError& error) {
    tell(error.what());
    if (ConcernsOnlyThisRun(error, sweep, run)) return RunProcessEnd::kDamaged;
  } catch (const CheckError& error) {
    // The worker that waits for this process records the crash.
    tell(error.what());
    std::abort();
  } catch (const std::bad_alloc&) {
    tell(run.Path() + ": out of memory");
  } catch (const fs::filesystem_error&) {
    tell(CaughtFault());
  } catch (const std::exception& error) {
    tell(error.what());
  }
  return RunProcessEnd::kMachineFailed;
}

}  // namespace

bool ConcernsOnlyThisRun(const IoError& error, const Sweep& sweep, const Coordinates& run) {
  const std::string directory = sweep.RunPath(run).string(), path = error.path();
  if (!path.starts_with(directory) && !directory.starts_with(path)) return false;
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(sweep.out / "runs" / run.language, unknown))) return false;
  switch (error.error_number()) {
    case EACCES:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENOENT:
    case EEXIST:
      return true;
    default:
      return false;
  }
}

std::unique_ptr<Process> StartRunProcess(const Sweep& sweep, const Coordinates& run,
                                         const RunProcessOptions& options, LockObserver& observer) {
  return std::make_unique<Process>(
      [&] { return static_cast<int>(ExecuteInChild(sweep, run, options, observer)); });
}

namespace {

bool IsOwn(const Sweep& sweep) {
  const fs::path file = SweepFile(sweep.out);
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw IoError(file, "look at", errno);
  return status.st_uid == ::geteuid();
}

// Empty if this user has none.
fs::path NotesFolder() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && fs::path(config).is_absolute()) {
    return fs::path(config) / "flare" / "commands";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || !fs::path(home).is_absolute()) return {};
  return fs::path(home) / ".config" / "flare" / "commands";
}

std::string TextOf(const External& external) { return Json(external.command).dump() + "\n"; }

// The command as a person would type it.
std::string LineOf(const External& external) {
  std::string line;
  for (const std::string& word : external.command) {
    line += (line.empty() ? "" : " ") + Visible(ShellQuoted(word));
  }
  return line;
}

// The commands of somebody else's sweep that this user has not agreed to.
std::vector<const External*> NewCommands(const Sweep& sweep) {
  std::vector<const External*> commands;
  if (sweep.grid.externals.empty() || IsOwn(sweep)) return commands;
  const fs::path folder = NotesFolder();
  for (const External& external : sweep.grid.externals) {
    std::error_code unseen;
    const bool is_noted = !folder.empty() && fs::exists(folder / Sha256(TextOf(external)), unseen);
    if (!is_noted) commands.push_back(&external);
  }
  return commands;
}

}  // namespace

std::vector<std::string> AgreeToCommands(const Sweep& sweep) {
  std::vector<std::string> lines;
  const fs::path folder = NotesFolder();
  for (const External* external : NewCommands(sweep)) {
    if (folder.empty()) {
      throw InputError("HOME", "is not set: there is no place to note what you agree to",
                       "set HOME or XDG_CONFIG_HOME");
    }
    MakeDirectories(folder);
    const std::string text = TextOf(*external);
    WriteFileAtomically(folder / Sha256(text), text);
    lines.push_back(LineOf(*external));
  }
  return lines;
}

void CheckAgreedToCommands(const Sweep& sweep) {
  std::string commands;
  for (const External* external : NewCommands(sweep)) commands += "\n  " + LineOf(*external);
  if (commands.empty()) return;
  throw InputError(sweep.out,
                   "is somebody else's sweep, whose runs start these commands:" + commands,
                   "if you agree to that, say so once: give --yes");
}

}  // namespace flare
