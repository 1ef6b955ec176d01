#include "flare/experiments/external_program.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "flare/base/child_program.h"
#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/training/external_run.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// How long a program that was asked to stop has to save its state.
constexpr double kGraceSeconds = 60;
constexpr auto kLookInterval = std::chrono::milliseconds(20);
constexpr std::size_t kLogLines = 20, kLineBytes = 500;
constexpr std::size_t kLogBytes = std::size_t{1} << 16;  // looked at

// As our own runs, each of which has one core to itself.
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
std::optional<int> Await(ChildProgram& program, const RunOptions& options) {
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

}  // namespace

ExternalEnd ExecuteExternal(const OwnedRun& run, const RunConfig& config,
                            const RunOptions& options) {
  const RunDirectory& directory = run.directory();
  BeginExternal(run, config);
  std::vector<std::string> arguments = config.external->command;
  arguments.push_back(fs::absolute(directory.path()).string());
  std::optional<int> code;
  {
    CheckNoLinks(directory.path(), directory.log().filename());
    ChildProgram program(arguments, OneThread(), directory.log());
    code = Await(program, options);
  }
  run.CheckOwned();
  if (!code) return ExternalEnd::kStopped;
  if (*code == kExitResumable) return ExternalEnd::kResumable;
  if (*code == 0) {
    FinishExternal(run, config);
    return ExternalEnd::kFinished;
  }
  const std::string log = LastLines(directory.log(), kLogLines);
  std::string last = LastLines(directory.log(), 1);
  if (!last.empty()) last = ": " + last.substr(0, last.size() - 1);
  run.RecordFailure(fmt::format("its program ended with exit code {}{}", *code, last), log);
  return ExternalEnd::kFailed;
}

}  // namespace flare
