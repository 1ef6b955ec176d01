// Data that is away: a dataset that is missing, has changed, or cannot be read on this machine now.
// What a sweep does about it, all of it:
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
#include "flare/base/progress.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/run_data.h"

namespace flare {

// Throws Unavailable if the data is not there, or is not what the sweep was planned with.
RunData OpenPlannedData(const Sweep& sweep, const std::string& language);

// Is the main file of the dataset there?
bool HasDataset(const std::filesystem::path& dataset);

// Within a catch (...): is it because the language's data is away, or something else that this
// machine lacks (Unavailable)? Data that disappears while it is read looks wrong in many ways.
bool CaughtDataAway(const Sweep& sweep, const std::string& language);

// Throws Unavailable, or IoError if it cannot be told, unless one of them has a dataset here.
void CheckSomeDataIsThere(const Sweep& sweep, const std::set<std::string>& languages);

// Which languages of a sweep that is planned have their data away.
class LanguagesAway {
 public:
  // `there`: the sweep as it was planned before. Without `may_wait` every fault is thrown.
  LanguagesAway(bool may_wait, const Sweep& there, const Sweep& wanted, ProgressObserver& observer)
      : may_wait_(may_wait), there_(there), wanted_(wanted), observer_(observer) {}

  // Calls look(), unless the language is away already. What it throws is told if the language's
  // runs can wait, while those of others go on; else it is thrown.
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

// How long a worker waits for what its machine lacks.
class DataPatience {
 public:
  // By then a run has opened its data, or said that it lacks it.
  static constexpr double kStartOfARun = 10;

  // How a process of a run of this language ended: because its data is away, or otherwise.
  void NoteAway(const std::string& language);
  void NoteOther(const std::string& language);
  bool IsWaiting() const { return !away_.empty(); }
  // Was a missing dataset of this language reported before?
  bool IsKnown(const std::string& language) const { return since_ || away_.contains(language); }
  // Has every process lacked its data for too long?
  bool IsOver() const { return since_ && since_->Seconds() > kLongest; }

 private:
  static constexpr double kLongest = 60;

  std::optional<Stopwatch> since_;  // nothing but NoteAway has come since
  std::set<std::string> away_;      // languages by their last process
};

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_DATA_ACCESS_H_
