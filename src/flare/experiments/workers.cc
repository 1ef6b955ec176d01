#include "flare/experiments/workers.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/base/unavailable.h"
#include "flare/experiments/run_process.h"
#include "flare/nn/target.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/run_directory.h"
#include "flare/training/known_names.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// A run that is killed this often in a row without progress (for lack of memory, say) is left to
// more capable machines.
constexpr std::size_t kMostDeaths = 3;

// A worker waits this long for what its machine lacks; then it leaves.
constexpr double kPatienceWithMachine = 60;
// By then a run has opened its data.
constexpr double kStartOfARun = 10;

constexpr auto kPollInterval = std::chrono::milliseconds(10);
constexpr auto kRescanInterval = std::chrono::seconds(2);

// Is the run not to be tried again, by this worker at least?
bool IsGivenUp(RunState state) { return state == RunState::kFailed || state == RunState::kDamaged; }

class Workers {
 public:
  Workers(const Sweep& sweep, const WorkOptions& options)
      : sweep_(sweep), options_(options), costs_(sweep.grid) {
    PinDataOfRuns(sweep_, KnownNames());
    for (Coordinates& run : sweep.grid.Runs()) {
      if (options.only.Matches(run)) runs_.push_back({std::move(run)});
    }
    for (Entry& entry : runs_) {
      const auto known = options.known.find(entry.run.Path());
      if (known == options.known.end()) {
        Look(entry, true);
      } else {
        entry.state = RunState::kFinished;
        costs_.Observe(entry.run, known->second);
      }
    }
    CheckMachine();
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
      if (children_.empty()) SayThatWeWait();
      std::this_thread::sleep_for(kPollInterval);
    }
  }

 private:
  struct Entry {
    Coordinates run;
    RunState state = RunState::kLeft;
    bool ours = false;  // in one of our processes
    LockState lock = LockState::kFree;
    std::size_t deaths = 0;              // in a row, without progress
    bool given_up = false;               // this machine has killed it too often
    fs::file_time_type last_progress{};  // when a file of the run last showed any
    bool refused = false;  // we tried, and somebody else has it: not again before the next scan
  };
  struct Child {
    std::size_t entry;
    Stopwatch watch;
  };

  std::string StopReason() const {
    if (watch_.Seconds() >= options_.time_limit) return "time limit";
    return options_.stop ? options_.stop() : "";
  }

  // A machine that sees no data, or cannot compute as it should, has no use for a worker. Runs
  // whose data alone is away wait for it while others go on.
  void CheckMachine() const {
    std::set<std::string> languages, targets;
    for (const Entry& entry : runs_) {
      if (!Claimable(entry)) continue;
      languages.insert(entry.run.language);
      const SettingTexts settings = sweep_.grid.SettingsOf(entry.run);
      const auto target = settings.find("target");
      targets.insert(target == settings.end() ? RunSettings{}.target : target->second);
    }
    const auto sees = [&](const std::string& language) {
      std::error_code unseen;
      return fs::exists(sweep_.DatasetPath(language), unseen);
    };
    if (!languages.empty() && std::none_of(languages.begin(), languages.end(), sees)) {
      const fs::path dataset = sweep_.DatasetPath(*languages.begin());
      std::error_code unseen;
      if (!fs::exists(dataset, unseen) && unseen) throw IoError(dataset, "look at", unseen.value());
      throw Unavailable(dataset, "no such dataset",
                        "sweep.json says that the data is there; flare sweep plan makes it again");
    }
    for (const std::string& target : targets) CheckTarget(ParseTarget(target));
  }

  // What the directory says about a run that is not ours.
  void Look(Entry& entry, bool first) {
    if (entry.state == RunState::kFinished || entry.ours) return;
    const RunDirectory directory(sweep_.RunPath(entry.run));
    if (IsGivenUp(entry.state) && !first) return;
    PlacedRun there = ReadPlacedRun(sweep_, entry.run, KnownNames());
    if (first && options_.retry_failed && there.state == RunState::kFailed) {
      std::error_code ignored;
      fs::remove(directory.failure(), ignored);
      there = ReadPlacedRun(sweep_, entry.run, KnownNames());
    }
    entry.state = there.result ? RunState::kFinished : there.state;
    if (there.state == RunState::kDamaged) return SayDamaged(entry, there.reason);
    try {
      if (entry.state == RunState::kRunning) {
        entry.lock = observer_.LookForTakeover(directory.lock());
      }
      if (there.result) {
        costs_.Observe(entry.run, there.result->seconds);
        Tidy(directory);
      }
    } catch (const InputError&) {
      entry.state = RunState::kDamaged;
      SayDamaged(entry, CaughtFault());
    } catch (const IoError& error) {
      // What is left of a finished run in somebody else's directory does no harm.
      if (there.result) return;
      if (!IsOfRunAlone(error, sweep_, entry.run)) throw;
      entry.state = RunState::kDamaged;
      SayDamaged(entry, error.what());
    }
  }

  void SayDamaged(const Entry& entry, const std::string& reason) const {
    Say(fmt::format("{}  damaged: {}", entry.run.Path(), reason));
  }

  // A process that was killed after writing result.json has left its lock and its checkpoint, which
  // go when the run is opened.
  void Tidy(const RunDirectory& directory) {
    if (directory.HasNeedlessCheckpoint() || fs::exists(directory.lock())) {
      OwnedRun::TryOpen(directory.path(), observer_);
    }
  }

  bool Claimable(const Entry& entry) const {
    if (entry.ours || entry.refused || entry.given_up) return false;
    if (entry.state == RunState::kLeft) return true;
    return entry.state == RunState::kRunning &&
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
    for (Entry& entry : runs_) {
      entry.refused = false;
      Look(entry, false);
    }
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
    const pid_t child = StartRunProcess(sweep_, runs_[i].run,
                                        {.stop = options_.stop,
                                         .complain = options_.complain,
                                         .is_known_to_lack = IsKnownToLack(runs_[i].run)},
                                        observer_);
    runs_[i].ours = true;
    children_.emplace(child, Child{i, {}});
  }

  // Has it been said what the machine, or the run's language, lacks?
  bool IsKnownToLack(const Coordinates& run) const {
    return lacking_since_.has_value() || lacking_.contains(run.language);
  }

  void Reap() {
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto child = children_.find(pid);
      if (child == children_.end()) continue;
      Entry& entry = runs_[child->second.entry];
      children_.erase(child);
      entry.ours = false;
      if (EndOfRunProcess(status) != RunProcessEnd::kUnavailable) {
        lacking_since_.reset();
        lacking_.erase(entry.run.language);
      }
      Conclude(entry, status);
    }
  }

  void Conclude(Entry& entry, int status) {
    const std::optional<RunProcessEnd> end = EndOfRunProcess(status);
    if (!end) return ConcludeDeath(entry, WTERMSIG(status));
    switch (*end) {
      case RunProcessEnd::kFinished:
        Look(entry, false);
        if (entry.state == RunState::kFinished) SayFinished(entry);
        return;
      case RunProcessEnd::kFailed:
        entry.state = RunState::kFailed;
        return Say(fmt::format("{}  failed: {}", entry.run.Path(),
                               RunDirectory(sweep_.RunPath(entry.run)).ReasonOfFailure()));
      case RunProcessEnd::kNotARun:
        entry.state = RunState::kDamaged;
        return SayDamaged(entry, "its directory cannot be opened, or does not hold a run");
      case RunProcessEnd::kUnavailable:
        entry.state = RunState::kLeft;
        // Others of its language would fare no better.
        for (Entry& other : runs_) {
          if (other.run.language == entry.run.language) other.refused = true;
        }
        lacking_.insert(entry.run.language);
        if (!lacking_since_) lacking_since_.emplace();
        machine_failed_ =
            lacking_since_->Seconds() > kPatienceWithMachine && !SomeRunLacksNothing();
        return;
      case RunProcessEnd::kResumable:
        return ConcludeResumable(entry);
      case RunProcessEnd::kLost:
        return ConcludeLoss(entry);
      case RunProcessEnd::kMachineFailed:
        machine_failed_ = true;
        [[fallthrough]];
      case RunProcessEnd::kStopped:
        entry.state = RunState::kLeft;
        return;
      case RunProcessEnd::kNotClaimed:
        break;
    }
    entry.refused = true;
    Look(entry, false);
  }

  // A process that lacks something says so as it starts.
  bool SomeRunLacksNothing() const {
    return std::any_of(children_.begin(), children_.end(), [](const auto& child) {
      return child.second.watch.Seconds() > kStartOfARun;
    });
  }

  // A crash is the run's fault, and would recur; other signals come from outside.
  static bool IsCrash(int signal) {
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGFPE ||
           signal == SIGILL || signal == SIGSYS || signal == SIGTRAP;
  }

  // Counts how often in a row a run ended prematurely; true if that is too often. `told` is a file
  // that the run writes as it progresses.
  static bool IsStuck(Entry& entry, const fs::path& told) {
    std::error_code none;
    const auto progress = fs::last_write_time(told, none);
    if (progress != entry.last_progress) entry.deaths = 0;
    entry.last_progress = progress;
    return ++entry.deaths >= kMostDeaths;
  }

  void ConcludeDeath(Entry& entry, int signal) {
    if (!IsCrash(signal)) {
      entry.state = RunState::kLeft;
      entry.given_up = IsStuck(entry, RunDirectory(sweep_.RunPath(entry.run)).checkpoint());
      return Say(
          fmt::format("{}  was killed ({}); {}", entry.run.Path(), ::strsignal(signal),
                      entry.given_up ? "this worker leaves it to others" : "it will be resumed"));
    }
    Fail(entry, fmt::format("its process died: {}", ::strsignal(signal)));
  }

  // An external program that stopped by itself; not over and over without a new event.
  void ConcludeResumable(Entry& entry) {
    if (IsStuck(entry, RunDirectory(sweep_.RunPath(entry.run)).events())) {
      return Fail(entry, "its program stopped again and again, and got no further");
    }
    entry.state = RunState::kLeft;
    Say(fmt::format("{}  stopped; it will be resumed", entry.run.Path()));
  }

  // Others took us for dead, and continue with it; or somebody removes locks, perhaps its own
  // program.
  void ConcludeLoss(Entry& entry) {
    entry.given_up = IsStuck(entry, RunDirectory(sweep_.RunPath(entry.run)).events());
    if (entry.given_up) {
      Say(fmt::format("{}  lost its lock again and again; this worker leaves it to others",
                      entry.run.Path()));
    }
    entry.refused = true;
    Look(entry, false);
  }

  void Fail(Entry& entry, const std::string& reason) {
    const auto owned = OwnedRun::TryOpen(sweep_.RunPath(entry.run), observer_);
    if (owned != nullptr && !owned->directory().is_finished()) owned->RecordFailure(reason);
    entry.state = RunState::kFailed;
    Say(fmt::format("{}  failed: {}", entry.run.Path(), reason));
  }

  void SayFinished(const Entry& entry) {
    const RunResult result = RunDirectory(sweep_.RunPath(entry.run)).ReadResult();
    rate_sum_ += result.examples_per_second;
    ++rates_;
    const auto test = result.Metric("test", "accuracy");
    const std::string accuracy = test ? fmt::format("  test {:.4f}", *test) : "";
    Say(fmt::format("{}  {} after {}, {}{}", entry.run.Path(), result.outcome(),
                    Counted(result.epochs, "epoch"), FormatDuration(result.seconds), accuracy));
  }

  // Once, and not for a short wait; what this machine lacks has been said.
  void SayThatWeWait() {
    if (told_that_we_wait_ || !lacking_.empty()) return;
    if (!waiting_since_) waiting_since_.emplace();
    if (waiting_since_->Seconds() < 1) return;
    Say("waiting for runs that others hold");
    told_that_we_wait_ = true;
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
        case RunState::kDamaged:
          ++view.damaged;
          continue;
        default:
          break;
      }
      if (entry.ours) continue;
      const double expected = costs_.Expect(entry.run);
      ++(entry.state == RunState::kRunning && !Claimable(entry) ? view.held : view.left);
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
      const bool open = entry.state == RunState::kLeft || entry.state == RunState::kRunning;
      if (open && entry.refused) return true;
      return entry.state == RunState::kRunning &&
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
    const bool gave_up =
        std::any_of(runs_.begin(), runs_.end(), [](const Entry& entry) { return entry.given_up; });
    return {reason,       machine_failed_ || gave_up, view.finished, view.failed,
            view.damaged, view.left + view.held};
  }

  Sweep sweep_;
  const WorkOptions& options_;
  std::vector<Entry> runs_;
  std::vector<std::size_t> order_;
  std::map<pid_t, Child> children_;
  LockObserver observer_;
  CostModel costs_;
  Stopwatch watch_, since_scan_, since_show_;
  std::optional<Stopwatch> waiting_since_;
  bool told_that_we_wait_ = false;
  bool machine_failed_ = false;
  std::optional<Stopwatch> lacking_since_;  // since then nothing but kUnavailable has come
  std::set<std::string> lacking_;           // languages whose last process said kUnavailable
  double rate_sum_ = 0;
  std::size_t rates_ = 0;
};

}  // namespace

WorkEnd WorkThrough(const Sweep& sweep, const WorkOptions& options) {
  return Workers(sweep, options).Work();
}

}  // namespace flare
