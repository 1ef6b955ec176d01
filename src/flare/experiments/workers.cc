#include "flare/experiments/workers.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/process.h"
#include "flare/base/text.h"
#include "flare/experiments/data_access.h"
#include "flare/experiments/run_process.h"
#include "flare/nn/target.h"
#include "flare/runs/run.h"
#include "flare/runs/run_directory.h"

namespace flare {

namespace fs = std::filesystem;

namespace {

// A worker gives up on a run that was killed this often in a row without progress, for lack of
// memory for example, and leaves it to larger machines.
constexpr std::size_t kMostDeaths = 3;

constexpr auto kPollInterval = std::chrono::milliseconds(10);
constexpr double kRescanSeconds = 2;

// Is it the signal of a crash, which is the run's own fault and would recur? Others come from
// outside.
bool IsCrash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGFPE ||
         signal == SIGILL || signal == SIGSYS || signal == SIGTRAP;
}

// A process that is killed while it writes into a run's directory leaves its draft there. The next
// process that opens the run removes the draft, unless the killed one was not quite gone by then.
bool HasDraft(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (DraftOf(entry.path().filename().string())) return true;
  }
  return false;
}

class Workers {
 public:
  Workers(const Sweep& sweep, const WorkOptions& options)
      : sweep_(sweep), options_(options), costs_(sweep.grid) {
    for (Coordinates& run : sweep_.grid.Runs()) {
      if (options.only.Matches(run)) {
        runs_.push_back({PlannedRun(sweep_, std::move(run))});
      } else {
        NoteProgram(run);
      }
    }
    for (Entry& entry : runs_) {
      const auto known = options.known.find(entry.run().Path());
      if (known == options.known.end()) {
        FirstLook(entry);
      } else {
        entry.phase = RunPhase::kFinished;
        costs_.Observe(entry.run(), known->second);
      }
    }
    CheckMachine();
    for (std::size_t i = 0; i < runs_.size(); ++i) order_.push_back(i);
    // Starts the longest runs first, since a long run that starts last would delay the end of the
    // sweep.
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return costs_.Expect(runs_[a].run()) > costs_.Expect(runs_[b].run());
    });
  }

  // After an exception, lets the runs that are still going save their state.
  ~Workers() {
    for (const Child& child : children_) child.process->Signal(SIGTERM);
    for (const Child& child : children_) child.process->Wait();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

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
      if (children_.empty()) {
        if (!HasRunIn(AwaitedPhases())) return End("");
        SayThatWeWait();
      }
      std::this_thread::sleep_for(kPollInterval);
    }
  }

 private:
  struct Entry {
    PlannedRun planned;
    RunPhase phase = RunPhase::kOpen;
    std::size_t deaths = 0;              // deaths in a row without progress
    fs::file_time_type last_progress{};  // when a file of the run last showed any

    const Coordinates& run() const { return planned.at(); }
  };
  struct Child {
    std::unique_ptr<Process> process;
    std::size_t entry;
    Stopwatch watch;
  };

  RunDirectory DirectoryOf(const Entry& entry) const {
    return RunDirectory(sweep_.RunPath(entry.run()));
  }

  static void Apply(RunEvent event, Entry& entry) { entry.phase = Next(entry.phase, event); }

  bool HasRunIn(unsigned phases) const {
    return std::any_of(runs_.begin(), runs_.end(),
                       [&](const Entry& entry) { return IsIn(entry.phase, phases); });
  }

  // A worker without processes waits for runs in these phases, which end without its doing.
  unsigned AwaitedPhases() const {
    const unsigned soon = Phases({RunPhase::kContested, RunPhase::kAwaiting});
    return options_.wait_for_others ? soon | Phases({RunPhase::kHeld}) : soon;
  }

  std::string StopReason() const {
    if (watch_.Seconds() >= options_.time_limit) return "time limit";
    return options_.stop ? options_.stop() : "";
  }

  // A worker is of no use on a machine that sees no data or cannot compute what the runs ask for.
  void CheckMachine() const {
    std::set<std::string> languages, targets;
    for (const Entry& entry : runs_) {
      if (entry.phase != RunPhase::kOpen) continue;
      languages.insert(entry.run().language);
      const SettingTexts settings = sweep_.grid.SettingsOf(entry.run());
      const auto target = settings.find("target");
      targets.insert(target == settings.end() ? RunSettings{}.target : target->second);
    }
    CheckSomeDataIsThere(sweep_, languages);
    for (const std::string& target : targets) CheckTarget(ParseTarget(target));
  }

  void FirstLook(Entry& entry) {
    if (options_.retry_failed) {
      const Run there = entry.planned.Read();
      std::error_code ignored;
      if (there.state == RunState::kFailed) fs::remove(DirectoryOf(entry).failure(), ignored);
    }
    LookInside(entry);
  }

  // Returns what the directory says about a run that none of our processes owns. Reads the run's
  // files only once it has ended.
  void Look(Entry& entry) {
    try {
      const RunDirectory directory = DirectoryOf(entry);
      const RunState state = directory.Look();
      if (state == RunState::kLeft) return Apply(RunEvent::kSeenOpen, entry);
      if (state == RunState::kRunning) return LookAtLock(directory, entry);
    } catch (...) {
      CaughtFault();  // LookInside reports it with the name of the file
    }
    LookInside(entry);
  }

  void LookAtLock(const RunDirectory& directory, Entry& entry) {
    try {
      const LockState lock = observer_.LookForTakeover(directory.lock());
      Apply(lock == LockState::kAlive       ? RunEvent::kSeenHeld
            : lock == LockState::kUndecided ? RunEvent::kSeenUndecided
                                            : RunEvent::kSeenOpen,
            entry);
    } catch (const InputError&) {
      SetDamaged(entry, CaughtFault());
    } catch (const IoError& error) {
      if (!ConcernsOnlyThisRun(error, sweep_, entry.run())) throw;
      SetDamaged(entry, error.what());
    }
  }

  // Reads and checks all files of the run. Returns its result, if it has one.
  std::optional<RunResult> LookInside(Entry& entry) {
    Run there = entry.planned.Read();
    switch (there.state) {
      case RunState::kLeft:
        Apply(RunEvent::kSeenOpen, entry);
        break;
      case RunState::kRunning:
        LookAtLock(DirectoryOf(entry), entry);
        break;
      case RunState::kFailed:
        Apply(RunEvent::kFailure, entry);
        break;
      case RunState::kDamaged:
        SetDamaged(entry, there.fault);
        break;
      case RunState::kFinished:
      case RunState::kDiverged:
        Apply(RunEvent::kResult, entry);
        NoteProgram(there);
        costs_.Observe(entry.run(), there.result->seconds);
        Tidy(DirectoryOf(entry));
    }
    return std::move(there.result);
  }

  // A process that was killed has left its lock, its checkpoint or a draft beside result.json,
  // which go when the run is opened. What is left in somebody else's directory does no harm.
  void Tidy(const RunDirectory& directory) {
    try {
      if (directory.HasStaleCheckpoint() || fs::exists(directory.lock()) ||
          HasDraft(directory.path())) {
        OwnedRun::TryOpen(directory.path(), observer_);
      }
    } catch (...) {
      CaughtFault();
    }
  }

  // The finished runs of a variant say which external program the others must use.
  void NoteProgram(const Run& run) {
    if (!run.result || !run.config->external || run.config->external->files.empty()) return;
    programs_.try_emplace(run.at.variant, run.config->external->files, run.at.Path());
  }

  // Does the same for a run that this worker leaves to others.
  void NoteProgram(const Coordinates& run) {
    if (FindExternal(sweep_.grid.externals, run.architecture()) == nullptr) return;
    NoteProgram(ReadRunAt(sweep_, run));
  }

  // Returns whether a run was started.
  bool StartNext() {
    if (children_.size() >= options_.jobs) return false;
    if (TryOpenRuns()) return true;
    // Others may have finished, failed or died meanwhile.
    if (since_scan_.Seconds() < kRescanSeconds) return false;
    since_scan_ = {};
    for (Entry& entry : runs_) {
      if (entry.phase != RunPhase::kOurs && IsIn(entry.phase, kUnfinalPhases)) Look(entry);
    }
    return TryOpenRuns();
  }

  bool TryOpenRuns() {
    for (const std::size_t i : order_) {
      if (runs_[i].phase == RunPhase::kOpen) Look(runs_[i]);
      if (runs_[i].phase != RunPhase::kOpen) continue;
      Start(i);
      return true;
    }
    return false;
  }

  void Start(std::size_t i) {
    const Coordinates& run = runs_[i].run();
    const auto program = programs_.find(run.variant);
    auto process =
        StartRunProcess(sweep_, run,
                        {.stop = options_.stop,
                         .complain = options_.complain,
                         .is_known_to_lack = patience_.IsKnown(run.language),
                         .program = program == programs_.end() ? nullptr : &program->second},
                        observer_);
    Apply(RunEvent::kStart, runs_[i]);
    children_.push_back({std::move(process), i, {}});
  }

  void Reap() {
    for (auto child = children_.begin(); child != children_.end();) {
      const std::optional<int> code = child->process->Poll();
      if (!code) {
        ++child;
        continue;
      }
      Entry& entry = runs_[child->entry];
      child = children_.erase(child);
      const bool was_killed = *code >= Process::kSignalBase;
      const auto end = static_cast<RunProcessEnd>(*code);
      if (was_killed || end != RunProcessEnd::kDataAway) patience_.NoteOther(entry.run().language);
      if (was_killed) {
        ConcludeDeath(entry, *code - Process::kSignalBase);
      } else {
        Conclude(entry, end);
      }
    }
  }

  void Conclude(Entry& entry, RunProcessEnd end) {
    switch (end) {
      case RunProcessEnd::kFinished:
        if (const auto result = LookInside(entry)) SayFinished(entry, *result);
        return;
      case RunProcessEnd::kFailed:
        Apply(RunEvent::kFailure, entry);
        return Say(entry, "failed: " + DirectoryOf(entry).ReasonOfFailure());
      case RunProcessEnd::kDamaged:
        return SetDamaged(entry, "its directory cannot be opened, or does not hold a run");
      case RunProcessEnd::kDataAway:
        return ConcludeDataAway(entry);
      case RunProcessEnd::kResumable:
        if (IsStuck(entry, DirectoryOf(entry).events())) {
          return Fail(entry, "its program stopped repeatedly without progress");
        }
        Apply(RunEvent::kRelease, entry);
        return Say(entry, "stopped; it will be resumed");
      case RunProcessEnd::kTaken:
        if (!IsStuck(entry, DirectoryOf(entry).events())) return Apply(RunEvent::kLoss, entry);
        Apply(RunEvent::kStuck, entry);
        return Say(entry, "lost its lock repeatedly; this worker leaves it to others");
      case RunProcessEnd::kMachineFailed:
        machine_failed_ = true;
        [[fallthrough]];
      case RunProcessEnd::kStopped:
        return Apply(RunEvent::kRelease, entry);
    }
  }

  void ConcludeDataAway(Entry& entry) {
    const std::string& language = entry.run().language;
    Apply(RunEvent::kLack, entry);
    for (Entry& other : runs_) {
      if (other.phase == RunPhase::kOpen && other.run().language == language) {
        Apply(RunEvent::kLack, other);
      }
    }
    patience_.NoteAway(language);
    const bool has_data = std::any_of(children_.begin(), children_.end(), [](const auto& child) {
      return child.watch.Seconds() > DataPatience::kStartOfARun;
    });
    if (patience_.IsOver() && !has_data) machine_failed_ = true;
  }

  void ConcludeDeath(Entry& entry, int signal) {
    if (IsCrash(signal)) {
      return Fail(entry, fmt::format("its process died: {}", ::strsignal(signal)));
    }
    const bool is_stuck = IsStuck(entry, DirectoryOf(entry).checkpoint());
    Apply(is_stuck ? RunEvent::kStuck : RunEvent::kRelease, entry);
    Say(entry, fmt::format("was killed ({}); {}", ::strsignal(signal),
                           is_stuck ? "this worker leaves it to others" : "it will be resumed"));
  }

  // Counts how often in a row a run ended too early, and returns whether the worker gives up on it.
  // `told` is a file that the run writes as it progresses.
  static bool IsStuck(Entry& entry, const fs::path& told) {
    std::error_code none;
    const auto progress = fs::last_write_time(told, none);
    if (progress != entry.last_progress) entry.deaths = 0;
    entry.last_progress = progress;
    return ++entry.deaths >= kMostDeaths;
  }

  void Fail(Entry& entry, const std::string& reason) {
    const auto owned = OwnedRun::TryOpen(sweep_.RunPath(entry.run()), observer_);
    if (owned != nullptr && !owned->directory().is_finished()) owned->RecordFailure(reason);
    Apply(RunEvent::kFailure, entry);
    Say(entry, "failed: " + reason);
  }

  void SetDamaged(Entry& entry, const std::string& reason) {
    Apply(RunEvent::kDamage, entry);
    Say(entry, "damaged: " + reason);
  }

  void SayFinished(const Entry& entry, const RunResult& result) {
    rate_sum_ += result.examples_per_second;
    ++rates_;
    const auto test = result.Metric("test", "accuracy");
    Say(entry, fmt::format("{} after {}, {}{}", result.outcome(), Counted(result.epochs, "epoch"),
                           FormatDuration(result.seconds),
                           test ? fmt::format("  test {:.4f}", *test) : ""));
  }

  // Reports the wait once, and only if it is long. Missing data was reported before.
  void SayThatWeWait() {
    if (announced_wait_ || patience_.IsWaiting()) return;
    if (!waiting_since_) waiting_since_.emplace();
    if (waiting_since_->Seconds() < 1) return;
    Say("waiting for runs that others hold");
    announced_wait_ = true;
  }

  void Say(const Entry& entry, const std::string& what) const {
    Say(fmt::format("{}  {}", entry.run().Path(), what));
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
    constexpr unsigned kOthers = Phases({RunPhase::kHeld, RunPhase::kContested});
    SweepView view;
    view.runs = runs_.size();
    double work_left = 0, longest = 0;
    for (const Entry& entry : runs_) {
      if (entry.phase == RunPhase::kOurs) continue;
      if (entry.phase == RunPhase::kFinished) ++view.finished;
      if (entry.phase == RunPhase::kFailed) ++view.failed;
      if (entry.phase == RunPhase::kDamaged) ++view.damaged;
      if (IsIn(entry.phase, kFinalPhases) && entry.phase != RunPhase::kGivenUp) continue;
      ++(IsIn(entry.phase, kOthers) ? view.held : view.left);
      const double expected = costs_.Expect(entry.run());
      work_left += expected;
      longest = std::max(longest, expected);
    }
    for (const Child& child : children_) {
      const Coordinates& run = runs_[child.entry].run();
      view.running.push_back({run.Path(), child.watch.Seconds()});
      const double rest = std::max(0.0, costs_.Expect(run) - child.watch.Seconds());
      work_left += rest;
      longest = std::max(longest, rest);
    }
    view.seconds_left = std::max(longest, work_left / static_cast<double>(options_.jobs));
    view.examples_per_second = rates_ > 0 ? rate_sum_ / static_cast<double>(rates_) : 0;
    return view;
  }

  void StopChildren() {
    for (const Child& child : children_) child.process->Signal(SIGTERM);
    while (!children_.empty()) {
      Reap();
      std::this_thread::sleep_for(kPollInterval);
    }
  }

  WorkEnd End(const std::string& reason) const {
    const SweepView view = View();
    const bool gave_up = HasRunIn(Phases({RunPhase::kGivenUp}));
    return {reason,       machine_failed_ || gave_up, view.finished, view.failed,
            view.damaged, view.left + view.held};
  }

  Sweep sweep_;
  const WorkOptions& options_;
  std::vector<Entry> runs_;
  std::vector<std::size_t> order_;
  std::vector<Child> children_;
  LockObserver observer_;
  CostModel costs_;
  Stopwatch watch_, since_scan_, since_show_;
  std::optional<Stopwatch> waiting_since_;
  bool announced_wait_ = false;
  bool machine_failed_ = false;
  DataPatience patience_;
  std::map<std::string, ProgramOfVariant> programs_;  // by variant
  double rate_sum_ = 0;
  std::size_t rates_ = 0;
};

}  // namespace

WorkEnd WorkThrough(const Sweep& sweep, const WorkOptions& options) {
  return Workers(sweep, options).Work();
}

}  // namespace flare
