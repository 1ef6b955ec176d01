// What a sweep does about data that is away: a dataset that is missing, has changed, or cannot be
// read on this machine now.
//
//   - A run never has other data than its sweep was planned with: OpenPlannedData.
//   - Data that is away is nobody's failure. A run that needs it stays open: CaughtDataAway.
//   - `sweep plan` refuses. `sweep run` on a sweep that was planned before goes on with the other
//     languages, if there are any: LanguagesAway. Baselines that cannot be measured then are left
//     out. A definition that has changed is no data that is away, and is always refused.
//   - A worker that sees no dataset at all does not start: CheckSomeDataIsThere. One that works
//     tries a run of each language again at every scan, complains once, and leaves when nothing
//     else has come for a minute: DataPatience.

#ifndef FLARE_EXPERIMENTS_DATA_ACCESS_H_
#define FLARE_EXPERIMENTS_DATA_ACCESS_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "flare/base/clock.h"
#include "flare/base/long_work.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/run_data.h"

namespace flare {

// Throws Unavailable if the data is not there, or is not what the sweep was planned with.
RunData OpenPlannedData(const Sweep& sweep, const std::string& language);

// Is the main file of the dataset there?
bool HasDataset(const std::filesystem::path& dataset);

// Called within a catch (...). Returns whether the exception comes from data that is away, or from
// something else that this machine lacks (Unavailable). Data that disappears while it is read
// causes errors of many kinds.
bool CaughtDataAway(const Sweep& sweep, const std::string& language);

// Returns if a dataset of at least one language is here. Otherwise throws Unavailable, or IoError
// if we cannot find out.
void CheckSomeDataIsThere(const Sweep& sweep, const std::set<std::string>& languages);

// Collects the languages of a planned sweep whose data is away.
class LanguagesAway {
 public:
  // `there` is the sweep as it was planned before. Without `may_wait` every fault is thrown.
  LanguagesAway(bool may_wait, const Sweep& there, const Sweep& wanted, ProgressObserver& observer)
      : may_wait_(may_wait), there_(there), wanted_(wanted), observer_(observer) {}

  // Calls look(), unless the language is known to be away. If look() throws, reports the fault when
  // the language's runs can wait while other languages go on, and rethrows it otherwise.
  void Try(const std::string& language, const std::function<void()>& look);
  bool Has(const std::string& language) const { return away_.contains(language); }

 private:
  bool MayWait(const std::string& language) const;

  const bool may_wait_;
  const Sweep& there_;
  const Sweep& wanted_;
  ProgressObserver& observer_;
  std::set<std::string> away_;
};

// Decides how long a worker waits for data that its machine lacks.
class DataPatience {
 public:
  // After this time a run has opened its data, or reported that it is away.
  static constexpr double kStartOfARun = 10;

  // Note how a process of a run of this language ended: because the data is away, or otherwise.
  void NoteAway(const std::string& language);
  void NoteOther(const std::string& language);
  bool IsWaiting() const { return !away_.empty(); }
  // Was a missing dataset of this language reported before?
  bool IsKnown(const std::string& language) const { return since_ || away_.contains(language); }
  // Has every process lacked its data for too long?
  bool IsOver() const { return since_ && since_->Seconds() > kLongest; }

 private:
  static constexpr double kLongest = 60;

  // Runs since the first of the latest processes, if all of them lacked their data.
  std::optional<Stopwatch> since_;
  std::set<std::string> away_;  // the languages whose last process lacked its data
};

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_DATA_ACCESS_H_
