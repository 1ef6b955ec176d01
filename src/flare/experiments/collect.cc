#include "flare/experiments/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/lock_file.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/experiments/plan.h"
#include "flare/runs/external.h"
#include "flare/runs/records.h"
#include "flare/runs/run.h"
#include "flare/runs/run_settings.h"
#include "flare/runs/sweep_file.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";

std::set<std::string> PathsOf(const Grid& grid) {
  std::set<std::string> paths;
  for (const Coordinates& at : grid.Runs()) paths.insert(at.Path());
  return paths;
}

// Returns the sweep whose grid contains the other's. Throws InputError if neither does.
const Sweep& Larger(const Sweep& a, const Sweep& b) {
  const auto in_a = PathsOf(a.grid), in_b = PathsOf(b.grid);
  if (std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end())) return a;
  if (std::includes(in_b.begin(), in_b.end(), in_a.begin(), in_a.end())) return b;
  std::vector<std::string> foreign;
  std::set_difference(in_b.begin(), in_b.end(), in_a.begin(), in_a.end(),
                      std::back_inserter(foreign));
  throw InputError(b.out,
                   fmt::format("has the run {}, which the grid of {} lacks, and lacks some "
                               "of that grid's runs",
                               foreign[0], a.out.string()),
                   "collect different grids into different directories");
}

// Records of the runs of one grid from several sources, each run once. Sources that hold the same
// run must agree on its outcome.
class Collection {
 public:
  // The grid is the larger of those that were added. Throws InputError if none contains the others.
  void AddGrid(const Sweep& sweep);
  // Adds a record that was read from `from`; returns whether the run is new. Throws InputError if
  // the run is not of the grid, or differs from another source's. ReadRuns has compared a run of
  // `source` with its grid; a run without a source is compared here.
  bool Add(Run record, const std::string& from, const Sweep* source = nullptr);
  // Throws InputError if runs of one architecture have different arithmetics, since they are not
  // trials of one experiment.
  void CheckOneArithmetic() const;

  const Sweep& sweep() const { return *sweep_; }
  const Records& records() const { return records_; }
  // The hash of a language's data; nothing if there is no run of it.
  std::optional<std::string> DataOf(const std::string& language) const;

 private:
  void CheckBelongs(const Run& record, const std::string& from, const Sweep* source) const;

  std::optional<Sweep> sweep_;
  std::set<std::string> paths_;  // the paths of its runs
  Records records_;
  std::map<std::string, std::string> from_;  // by path: where the record came from
};

void Collection::AddGrid(const Sweep& sweep) {
  Sweep larger = sweep_ ? Larger(*sweep_, sweep) : sweep;
  if (sweep_) {
    larger.data_sha256 = sweep_->data_sha256;
    larger.data_of_recipe = sweep_->data_of_recipe;
    for (const auto& [language, hash] : sweep.data_sha256) {
      const auto& first = larger.data_sha256.try_emplace(language, hash).first->second;
      if (first == hash && sweep.data_of_recipe.contains(language)) {
        larger.data_of_recipe.insert(language);
      }
    }
  }
  sweep_ = std::move(larger);
  paths_ = PathsOf(sweep_->grid);
}

bool Collection::Add(Run record, const std::string& from, const Sweep* source) {
  const std::string path = record.at.Path();
  CheckBelongs(record, from, source);
  const auto found = records_.find(path);
  if (found == records_.end()) {
    records_.emplace(path, std::move(record));
    from_[path] = from;
    return true;
  }
  Run& there = found->second;
  const std::string difference = OutcomeDifference(record, there);
  if (!difference.empty()) {
    throw InputError(
        from, fmt::format("{} differs from the run in {}: its {}", path, from_[path], difference),
        "the same settings, seed and data must give the same result");
  }
  // What was imported from a table has no curves.
  const bool is_richer = !there.imported.empty() && record.imported.empty();
  if (is_richer) there = std::move(record);
  return is_richer;
}

// Returns the arithmetic that a run of these settings would have if it began now.
std::string TodaysArithmetic(const Run& record, const Sweep& sweep) {
  const std::string architecture = record.at.architecture();
  return FindExternal(sweep.grid.externals, architecture) != nullptr
             ? kExternalArithmetic
             : ArithmeticOf(architecture, record.config->settings.options);
}

void Collection::CheckOneArithmetic() const {
  // Options may have an arithmetic of their own, so the key is the architecture with today's
  // arithmetic.
  std::map<std::pair<std::string, std::string>, const Run*> first;
  for (const auto& [path, record] : records_) {
    const Run*& other =
        first.try_emplace({record.at.architecture(), TodaysArithmetic(record, *sweep_)}, &record)
            .first->second;
    const std::string& ours = record.config->settings.arithmetic;
    const std::string& theirs = other->config->settings.arithmetic;
    if (ours == theirs) continue;
    throw InputError(
        path, fmt::format("has the arithmetic {}, but {} has {}", ours, other->at.Path(), theirs),
        "collect them into different directories; --only architecture=... chooses");
  }
}

std::optional<std::string> Collection::DataOf(const std::string& language) const {
  const auto found = records_.lower_bound(language + "/");  // a path begins with its language
  if (found == records_.end() || found->second.at.language != language) return std::nullopt;
  return found->second.config->data.Sha256OfAll();
}

void Collection::CheckBelongs(const Run& record, const std::string& from,
                              const Sweep* source) const {
  const std::string path = record.at.Path();
  if (!paths_.contains(path)) {
    throw InputError(from, fmt::format("the grid has no run {}", path));
  }
  if (source != nullptr && PlanTheSameRun(*source, *sweep_, record.at)) return;
  const std::string difference = PlannedRun(*sweep_, record.at).DifferenceFrom(*record.config);
  if (!difference.empty()) {
    throw InputError(from, fmt::format("{} is not the grid's: its {}", path, difference));
  }
}

// Do two sweeps have the same data, as far as both record its hash?
bool HaveSameData(const Sweep& a, const Sweep& b, const std::string& language) {
  const auto of_a = a.data_sha256.find(language), of_b = b.data_sha256.find(language);
  return of_a == a.data_sha256.end() || of_b == b.data_sha256.end() || of_a->second == of_b->second;
}

// Copies baselines without the path of their data, which means nothing elsewhere. Damaged baselines
// are only reported, since they can be made again.
void CopyBaselines(const Sweep& from, const Sweep& to, const std::string& language,
                   CollectSummary& summary) {
  if (!HaveSameData(from, to, language)) return;
  if (!ReadBaselines(to, language).splits.empty()) return;
  const BaselineFile there = ReadBaselines(from, language);
  if (!there.damage.empty()) {
    summary.unreadable.push_back(fmt::format("the baselines of {}: {}", language, there.damage));
  }
  if (there.splits.empty()) return;
  const fs::path file = from.BaselinesPath(language);
  Json baselines = ParseJson(ReadRegularFile(file), file);
  baselines.erase(kCheckMember);
  baselines[kFormatMember] = kBaselinesFormat;
  baselines["dataset"] = language;
  WriteInside(to.out, to.BaselinesPath(language).lexically_relative(to.out),
              CheckedText(baselines));
}

void WriteIfOther(const fs::path& to, const fs::path& file, const std::string& text) {
  if (fs::exists(to / file) && ReadRegularFile(to / file) == text) return;
  WriteInside(to, file, text);
}

// sweep.json is the first file that is written under the lock: a collection that was killed before
// leaves the lock and drafts of both.
bool MayPrecedeCollection(const std::string& name) {
  return IsLockName(name, kLock) || DraftOf(name) == SweepFile("").string();
}

void CheckRecordsOrEmpty(const fs::path& to) {
  if (!fs::exists(to)) return;
  if (fs::exists(SweepFile(to)) && ReadSweep(to).is_records) return;
  for (const auto& entry : fs::directory_iterator(to)) {
    const std::string name = entry.path().filename().string();
    if (MayPrecedeCollection(name)) continue;
    throw InputError(to, fmt::format("holds something other than records: {}", Quoted(name)),
                     "name a new or empty directory");
  }
}

// Throws InputError if one of our folders is a link, and removes what a collection that was killed
// has left in them.
void TidyFolders(const fs::path& to) {
  std::vector<fs::path> folders = {"baselines", "datasets"};
  for (const fs::path& folder : folders) CheckNoLinks(to, folder);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(to / "datasets", ignored)) {
    folders.push_back(fs::path("datasets") / entry.path().filename());
    CheckNoLinks(to, folders.back());
  }
  RemoveTemporaries(to);
  for (const fs::path& folder : folders) RemoveTemporaries(to / folder);
}

// Returns the text of a language's manifest, if the dataset is still the one that the runs had.
std::optional<std::string> ManifestOf(const fs::path& dataset, const std::string& data_sha256) {
  const auto manifest = ReadManifest(dataset);
  if (!manifest) return std::nullopt;
  PinnedData data;
  data.files = ColumnsOf(*manifest);
  if (data.Sha256OfAll() != data_sha256) return std::nullopt;
  return ReadRegularFile(dataset / kManifestFile);
}

// Is there a manifest of that data already? One that is damaged is as good as none.
bool HasManifest(const fs::path& dataset, const std::string& data_sha256) {
  try {
    return ManifestOf(dataset, data_sha256).has_value();
  } catch (...) {
    return false;
  }
}

// A manifest that cannot be read affects only its language.
void CopyManifest(const Sweep& from, const std::string& language, const std::string& data_sha256,
                  const fs::path& to, CollectSummary& summary) {
  const fs::path folder = fs::path("datasets") / language, file = folder / kManifestFile;
  if (HasManifest(to / folder, data_sha256)) return;
  std::optional<std::string> manifest;
  try {
    manifest = ManifestOf(from.DatasetPath(language), data_sha256);
  } catch (...) {
    summary.unreadable.push_back(
        fmt::format("what the data of {} was: {}", language, CaughtFault()));
  }
  if (manifest) WriteInside(to, file, *manifest);
}

// Copies what reports need besides the runs: manifests and baselines.
void CopyContext(const Sweep& from, const Collection& collection, const Sweep& to,
                 CollectSummary& summary) {
  for (const Grid::GridLanguage& language : from.grid.languages) {
    const std::string& name = language.name;
    if (const auto sha256 = collection.DataOf(name)) {
      CopyManifest(from, name, *sha256, to.out, summary);
    }
    CopyBaselines(from, to, name, summary);
  }
}

// Calls use(record) for every finished run of a sweep, or of records; a damaged run affects no
// other.
template <class Use>
void ForEachRecord(const Sweep& sweep, const RunFilter& filter, ProgressObserver& observer,
                   CollectSummary& summary, Use use) {
  JsonReader reader;
  const std::vector<Run> runs = ReadRuns(sweep, filter);
  Progress progress(observer, runs.size(), "runs");
  for (const Run& run : runs) {
    progress.Step("");
    const auto tell = [&](const std::string& why) {
      summary.unreadable.push_back(fmt::format("{}: {}", run.at.Path(), why));
    };
    if (run.state == RunState::kDamaged) {
      tell(run.fault);
    } else if (!run.result) {
      ++summary.unfinished;
    } else {
      std::optional<Run> record;
      try {
        record = RecordOf(run, reader);
      } catch (...) {
        tell(CaughtFault());
      }
      if (record) use(std::move(*record));
    }
  }
}

std::string DifferenceOf(const Run& record, const Sweep& sweep) {
  const std::string difference = PlannedRun(sweep, record.at).DifferenceFrom(*record.config);
  if (!difference.empty()) return difference;
  const std::string& there = record.config->settings.arithmetic;
  const std::string ours = TodaysArithmetic(record, sweep);
  return there == ours ? "" : fmt::format("arithmetic is {}, not {}", there, ours);
}

}  // namespace

CollectSummary CollectRuns(const std::vector<fs::path>& sources,
                           const std::vector<std::string>& only, const fs::path& to,
                           ProgressObserver& observer) {
  CheckRecordsOrEmpty(to);
  std::vector<Sweep> sweeps;
  for (const fs::path& source : sources) sweeps.push_back(ReadSweep(source));
  const NewDirectory directory(to);
  LockObserver lock_observer;
  LockOwner owner;
  const auto lock = WhileUndecided([&](LockState& state) {
    return LockFile::TryAcquire(to / kLock, lock_observer, &owner, &state);
  });
  if (lock == nullptr) throw InputError(to, "is being written by " + owner.Describe());
  TidyFolders(to);

  CollectSummary summary;
  Collection collection;
  std::map<std::string, std::string> damaged;  // what was there and cannot be read, by path
  if (fs::exists(SweepFile(to))) {
    const Sweep there = ReadSweep(to);
    collection.AddGrid(there);
    RecordsRead read = ReadRecords(there);
    for (const auto& [language, why] : read.unreadable) {
      throw InputError("", why, "it would be overwritten: restore it, or remove it");
    }
    for (const auto& [path, record] : read.records) collection.Add(record, to.string());
    damaged = std::move(read.damaged);
  }
  for (const Sweep& sweep : sweeps) collection.AddGrid(sweep);
  for (const Sweep& sweep : sweeps) {
    const RunFilter filter(only, sweep.grid);
    ForEachRecord(sweep, filter, observer, summary, [&](Run record) {
      const bool is_new = collection.Add(std::move(record), sweep.out, &sweep);
      ++(is_new ? summary.added : summary.known);
    });
  }
  collection.CheckOneArithmetic();
  for (const auto& [path, why] : damaged) {
    if (collection.records().contains(path)) continue;
    throw InputError("", why, "none of the sources has the run: remove the line");
  }
  Sweep records = collection.sweep();
  records.out = to;
  records.data = "datasets";
  records.is_records = true;
  WriteIfOther(to, SweepFile(""), SweepText(records));
  for (const Sweep& sweep : sweeps) CopyContext(sweep, collection, records, summary);
  for (const Grid::GridLanguage& language : records.grid.languages) {
    const std::string text = FormatRecords(collection.records(), language.name);
    if (!text.empty()) WriteIfOther(to, RecordsFile("", language.name), text);
  }
  summary.there = collection.records().size();
  summary.runs = records.grid.Runs().size();
  return summary;
}

KnownRuns FindKnownRuns(const std::filesystem::path& records, const Sweep& sweep) {
  const Sweep there = ReadSweep(records);
  if (!there.is_records) {
    throw InputError(records, "has no records", "flare sweep collect makes them from a sweep");
  }
  const RecordsRead read = ReadRecords(there);
  const Records& all = read.records;
  KnownRuns known;
  for (const auto& [language, why] : read.unreadable) known.unreadable.push_back(why);
  for (const Coordinates& at : sweep.grid.Runs()) {
    const auto found = all.find(at.Path());
    if (found == all.end()) continue;
    const std::string difference = DifferenceOf(found->second, sweep);
    if (difference.empty()) {
      known.seconds[at.Path()] = found->second.result->core_seconds();
    } else if (++known.others == 1) {
      known.difference = fmt::format("{}: its {}", at.Path(), difference);
    }
  }
  return known;
}

}  // namespace flare
