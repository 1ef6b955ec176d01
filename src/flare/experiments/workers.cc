#include "flare/experiments/workers.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <thread>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/training/run.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// How the process of a run ends.
enum ChildExit : int {
  kRunFinished = 0,
  kRunStopped = 1,
  kRunFailed = 2,      // recorded in failure.json
  kMachineFailed = 3,  // disk, memory: said on stderr
  kNotClaimed = 4,     // somebody else has it
};

// A run that dies so often without having crashed by itself (killed for want of memory, say) is not
// tried again.
constexpr std::size_t kMostDeaths = 3;

constexpr auto kPollInterval = std::chrono::milliseconds(10);
constexpr auto kRescanInterval = std::chrono::seconds(2);

void RecordFailure(const OwnedRun& run, const std::string& reason) {
  run.Write(run.directory().failure(), JsonText({{"reason", reason}, {"time", UtcNow()}}));
}

RunRecord RecordOf(const Sweep& sweep, const Coordinates& run) {
  RunData data = IdentifyData(sweep.DatasetPath(run.language));
  RunConfig config = MakeRunConfig(sweep.grid.SettingsOf(run), data.alphabet.size());
  return {std::move(config), std::move(data)};
}

int ExecuteClaimed(const OwnedRun& owned, const Sweep& sweep, const Coordinates& run,
                   const RunOptions& how) {
  const RunDirectory& directory = owned.directory();
  if (directory.is_finished()) return kRunFinished;
  try {
    const RunRecord record = RecordOf(sweep, run);
    if (directory.is_begun()) {
      const std::string difference = RunDifference(directory.ReadRecord(), record);
      if (!difference.empty()) {
        throw InputError(directory.path(), fmt::format("is another run: its {}", difference));
      }
    }
    return ExecuteRun(owned, record, how).finished ? kRunFinished : kRunStopped;
  } catch (const InputError& error) {
    RecordFailure(owned, error.what());
    return kRunFailed;
  }
}

// In the process of the run.
int ExecuteInChild(const Sweep& sweep, const Coordinates& run, LockObserver& observer,
                   const RunOptions& how) {
  try {
    const auto owned = OwnedRun::TryOpen(sweep.RunPath(run), observer);
    if (owned == nullptr) return kNotClaimed;
    return ExecuteClaimed(*owned, sweep, run, how);
  } catch (const RunLost&) {
    return kNotClaimed;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "flare: {}: out of memory\n", run.Path());
  } catch (const std::exception& error) {
    fmt::print(stderr, "flare: {}\n", error.what());
  }
  return kMachineFailed;
}

class Workers {
 public:
  Workers(const Sweep& sweep, const WorkOptions& options) : sweep_(sweep), options_(options) {
    for (Coordinates& run : sweep.grid.Runs()) {
      if (options.only.Matches(run)) runs_.push_back({std::move(run)});
    }
    for (Entry& entry : runs_) Look(entry, true);
    for (std::size_t i = 0; i < runs_.size(); ++i) order_.push_back(i);
    // Longest first: otherwise the last one to start decides when all is done.
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return costs_.Expect(runs_[a].run) > costs_.Expect(runs_[b].run);
    });
  }

  WorkEnd Work() {
    while (true) {
      Reap();
      const std::string reason = StopReason();
      if (!reason.empty() || machine_failed_) {
        StopChildren();
        return End(reason);
      }
      const bool started = StartNext();
      Show();
      if (started) continue;
      if (children_.empty() && !WorthWaiting()) return End("");
      std::this_thread::sleep_for(kPollInterval);
    }
  }

 private:
  struct Entry {
    Coordinates run;
    RunState state = RunState::kLeft;
    bool ours = false;  // in one of our processes
    LockState lock = LockState::kFree;
    std::size_t deaths = 0;
  };
  struct Child {
    std::size_t entry;
    Stopwatch watch;
  };

  std::string StopReason() const {
    if (watch_.Seconds() >= options_.time_limit) return "time limit";
    return options_.stop ? options_.stop() : "";
  }

  // What the directory says about a run that is not ours.
  void Look(Entry& entry, bool first) {
    if (entry.state == RunState::kFinished || entry.ours) return;
    const RunDirectory directory(sweep_.RunPath(entry.run));
    if (first && options_.retry_failed && fs::exists(directory.failure())) {
      std::error_code ignored;
      fs::remove(directory.failure(), ignored);
    }
    entry.state = LookAtRun(directory);
    if (entry.state == RunState::kHeld) {
      entry.lock = observer_.Look(directory.lock());
    }
    if (entry.state == RunState::kFinished) LearnFrom(entry);
  }

  void LearnFrom(const Entry& entry) {
    try {
      const Json result = RunDirectory(sweep_.RunPath(entry.run)).ReadResult();
      costs_.Observe(entry.run, result.value("seconds", 0.0));
    } catch (const std::exception&) {
      // An estimate is not worth failing for; whoever reads the result will say what is wrong.
    }
  }

  bool Claimable(const Entry& entry) const {
    if (entry.ours) return false;
    if (entry.state == RunState::kLeft) return true;
    return entry.state == RunState::kHeld &&
           (entry.lock == LockState::kDead || entry.lock == LockState::kFree);
  }

  // True if a run was started.
  bool StartNext() {
    if (children_.size() >= options_.jobs) return false;
    if (Try()) return true;
    // Others may have finished, failed or died meanwhile.
    if (since_scan_.Seconds() < std::chrono::duration<double>(kRescanInterval).count())
      return false;
    since_scan_ = {};
    for (Entry& entry : runs_) Look(entry, false);
    return Try();
  }

  bool Try() {
    for (const std::size_t i : order_) {
      if (!Claimable(runs_[i])) continue;
      Look(runs_[i], false);
      if (!Claimable(runs_[i])) continue;
      Start(i);
      return true;
    }
    return false;
  }

  void Start(std::size_t i) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) throw IoError("a process for a run", "start", errno);
    if (child == 0) {
      // If this worker dies, its runs save their state and stop; the next worker goes on with them.
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) ::_exit(kRunStopped);
      RunOptions how;
      how.stop = options_.stop;
      const int code = ExecuteInChild(sweep_, runs_[i].run, observer_, how);
      std::fflush(nullptr);
      ::_exit(code);
    }
    runs_[i].ours = true;
    children_.emplace(child, Child{i, {}});
  }

  void Reap() {
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto child = children_.find(pid);
      if (child == children_.end()) continue;
      const auto [i, watch] = child->second;
      children_.erase(child);
      runs_[i].ours = false;
      Conclude(runs_[i], status, watch.Seconds());
    }
  }

  void Conclude(Entry& entry, int status, double seconds) {
    if (WIFSIGNALED(status)) return ConcludeDeath(entry, WTERMSIG(status));
    switch (WEXITSTATUS(status)) {
      case kRunFinished:
        Look(entry, false);
        if (entry.state == RunState::kFinished) SayFinished(entry, seconds);
        return;
      case kRunFailed:
        Look(entry, false);
        return Say(fmt::format("{}  failed: {}", entry.run.Path(), ReasonOf(entry)));
      case kMachineFailed:
        machine_failed_ = true;
        [[fallthrough]];
      case kRunStopped:
        entry.state = RunState::kLeft;
        return;
      default:
        Look(entry, false);
    }
  }

  // A crash is the run's fault, and would come again; SIGKILL and SIGTERM come from outside.
  void ConcludeDeath(Entry& entry, int signal) {
    const bool crash = signal != SIGKILL && signal != SIGTERM && signal != SIGINT;
    if (!crash && ++entry.deaths < kMostDeaths) {
      entry.state = RunState::kLeft;
      return Say(fmt::format("{}  was killed ({}); it will be resumed", entry.run.Path(),
                             ::strsignal(signal)));
    }
    const std::string reason = fmt::format("its process died: {}", ::strsignal(signal));
    const auto owned = OwnedRun::TryOpen(sweep_.RunPath(entry.run), observer_);
    if (owned != nullptr && !owned->directory().is_finished()) RecordFailure(*owned, reason);
    entry.state = RunState::kFailed;
    Say(fmt::format("{}  failed: {}", entry.run.Path(), reason));
  }

  std::string ReasonOf(const Entry& entry) const {
    try {
      return Json::parse(ReadFile(RunDirectory(sweep_.RunPath(entry.run)).failure()))
          .value("reason", "?");
    } catch (const std::exception&) {
      return "?";
    }
  }

  void SayFinished(const Entry& entry, double) {
    const Json result = RunDirectory(sweep_.RunPath(entry.run)).ReadResult();
    rate_sum_ += result.value("examples_per_second", 0.0);
    ++rates_;
    std::string accuracy;
    const Json& splits = result["splits"];
    if (splits.contains("test") && splits["test"].is_object()) {
      accuracy = fmt::format("  test {:.4f}", splits["test"].value("accuracy", 0.0));
    }
    Say(fmt::format("{}  {} after {} epochs, {}{}", entry.run.Path(), result.value("outcome", "?"),
                    result.value("epochs", 0), FormatDuration(result.value("seconds", 0.0)),
                    accuracy));
  }

  void Say(const std::string& line) const {
    if (options_.say) options_.say(line);
  }

  void Show() {
    if (!options_.show || since_show_.Seconds() < 0.25) return;
    since_show_ = {};
    options_.show(View());
  }

  SweepView View() const {
    SweepView view;
    view.runs = runs_.size();
    double work_left = 0, longest = 0;
    for (const Entry& entry : runs_) {
      switch (entry.state) {
        case RunState::kFinished:
          ++view.finished;
          continue;
        case RunState::kFailed:
          ++view.failed;
          continue;
        default:
          break;
      }
      const double expected = costs_.Expect(entry.run);
      if (entry.ours) continue;
      ++(entry.state == RunState::kHeld && !Claimable(entry) ? view.held : view.left);
      work_left += expected;
      longest = std::max(longest, expected);
    }
    for (const auto& [pid, child] : children_) {
      const Coordinates& run = runs_[child.entry].run;
      view.running.push_back({run.Path(), child.watch.Seconds()});
      const double rest = std::max(0.0, costs_.Expect(run) - child.watch.Seconds());
      work_left += rest;
      longest = std::max(longest, rest);
    }
    view.seconds_left = std::max(longest, work_left / static_cast<double>(options_.jobs));
    view.examples_per_second = rates_ > 0 ? rate_sum_ / static_cast<double>(rates_) : 0;
    return view;
  }

  // Is there a run that may yet become ours, or that we are to wait for?
  bool WorthWaiting() const {
    return std::any_of(runs_.begin(), runs_.end(), [&](const Entry& entry) {
      if (Claimable(entry)) return true;
      return entry.state == RunState::kHeld &&
             (entry.lock == LockState::kUndecided || options_.wait_for_others);
    });
  }

  void StopChildren() {
    for (const auto& [pid, child] : children_) ::kill(pid, SIGTERM);
    while (!children_.empty()) {
      Reap();
      std::this_thread::sleep_for(kPollInterval);
    }
  }

  WorkEnd End(const std::string& reason) const {
    const SweepView view = View();
    return {reason, machine_failed_, view.finished, view.failed, view.left + view.held};
  }

  const Sweep& sweep_;
  const WorkOptions& options_;
  std::vector<Entry> runs_;
  std::vector<std::size_t> order_;
  std::map<pid_t, Child> children_;
  LockObserver observer_;
  CostModel costs_;
  Stopwatch watch_, since_scan_, since_show_;
  bool machine_failed_ = false;
  double rate_sum_ = 0;
  std::size_t rates_ = 0;
};

}  // namespace

WorkEnd WorkThrough(const Sweep& sweep, const WorkOptions& options) {
  return Workers(sweep, options).Work();
}

}  // namespace flare
