#include "flare/experiments/collect.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "flare/base/draft.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/integrity.h"
#include "flare/base/json.h"
#include "flare/base/lock_file.h"
#include "flare/base/text.h"
#include "flare/base/wait_for_lock.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/experiments/collection.h"
#include "flare/experiments/format_errors.h"
#include "flare/runs/baseline_file.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/run_directory.h"
#include "flare/training/known_names.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";

RunRecord RecordOf(const Sweep& sweep, const PlacedRun& run, FormatJudge& format,
                   JsonReader& reader) {
  const RunDirectory directory(sweep.RunPath(run.at));
  RunRecord record{.at = run.at,
                   .config = *run.config,
                   .result = *run.result,
                   .curves = ReadCurves(directory, *run.result, reader),
                   .format_errors = format.Errors(sweep, run, reader),
                   .imported = {}};
  record.config.data = record.config.data.ByHash();
  record.result.evaluation_files.clear();  // what a record has of them has its own hash
  record.result.run_files.clear();
  return record;
}

// Are the baselines of one sweep those of the other's data, as far as both say what it is?
bool HaveSameData(const Sweep& a, const Sweep& b, const std::string& language) {
  const auto of_a = a.data_sha256.find(language), of_b = b.data_sha256.find(language);
  return of_a == a.data_sha256.end() || of_b == b.data_sha256.end() || of_a->second == of_b->second;
}

// Without the place where the data was, which means nothing elsewhere. What is damaged can be made
// again from the data.
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
bool IsOfAStartedCollection(const std::string& name) {
  return IsLockName(name, kLock) || DraftOf(name) == SweepFile("").string();
}

void CheckRecordsOrEmpty(const fs::path& to) {
  if (!fs::exists(to)) return;
  if (fs::exists(SweepFile(to)) && ReadSweep(to, KnownNames()).is_records) return;
  for (const auto& entry : fs::directory_iterator(to)) {
    const std::string name = entry.path().filename().string();
    if (IsOfAStartedCollection(name)) continue;
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

// What the data of a language was, as text, if the dataset there still is that of the runs.
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

// One that cannot be read stays with its language.
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

// What reports need besides the runs: what the data was, and how far trivial recognizers get.
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
void ForEachRecord(const Sweep& sweep, const RunFilter& filter, const Names& names,
                   ProgressObserver& observer, CollectSummary& summary, Use use) {
  const RecordsRead read = sweep.is_records ? ReadRecords(sweep, names) : RecordsRead();
  FormatJudge format;
  JsonReader reader;
  const std::vector<Coordinates> runs = sweep.grid.Runs();
  Progress progress(observer, runs.size(), "runs");
  for (const Coordinates& at : runs) {
    progress.Step("");
    if (!filter.Matches(at)) continue;
    const auto tell = [&](const std::string& why) {
      summary.unreadable.push_back(fmt::format("{}: {}", at.Path(), why));
    };
    std::optional<RunRecord> record;
    if (sweep.is_records) {
      const auto damage = read.damaged.find(at.Path());
      if (damage != read.damaged.end()) {
        tell(damage->second);
        continue;
      }
      const auto found = read.records.find(at.Path());
      if (found != read.records.end()) record = found->second;
    } else {
      const PlacedRun run = ReadPlacedRun(sweep, at, names);
      if (run.state == RunState::kDamaged) {
        tell(run.reason);
        continue;
      }
      try {
        if (run.result) record = RecordOf(sweep, run, format, reader);
      } catch (...) {
        tell(CaughtFault());
        continue;
      }
    }
    if (record) {
      use(std::move(*record));
    } else {
      ++summary.unfinished;
    }
  }
}

}  // namespace

CollectSummary CollectRuns(const std::vector<fs::path>& sources,
                           const std::vector<LooseRecords>& loose,
                           const std::vector<std::string>& only, const fs::path& to,
                           ProgressObserver& observer) {
  const Names& names = KnownNames();
  CheckRecordsOrEmpty(to);
  if (sources.empty() && !fs::exists(SweepFile(to))) {
    throw InputError(loose.empty() ? "" : loose.front().name,
                     "rows of a table do not say which grid they are from",
                     "name the sweep too, or a directory of its records");
  }
  std::vector<Sweep> sweeps;
  for (const fs::path& source : sources) sweeps.push_back(ReadSweep(source, names));
  MakeDirectories(to);
  LockObserver lock_observer;
  LockOwner owner;
  const auto lock = WhileUndecided([&](LockState& state) {
    return LockFile::TryAcquire(to / kLock, lock_observer, &owner, &state);
  });
  if (lock == nullptr) throw InputError(to, "is being written by " + owner.Describe());
  TidyFolders(to);

  CollectSummary summary;
  Collection collection(names);
  std::map<std::string, std::string> damaged;  // what was there and cannot be read, by path
  if (fs::exists(SweepFile(to))) {
    const Sweep there = ReadSweep(to, names);
    collection.AddGrid(there);
    RecordsRead read = ReadRecords(there, names);
    for (const auto& [language, why] : read.unreadable) {
      throw InputError("", why, "it would be overwritten: restore it, or remove it");
    }
    for (const auto& [path, record] : read.records) collection.Add(record, to.string());
    damaged = std::move(read.damaged);
  }
  for (const Sweep& sweep : sweeps) collection.AddGrid(sweep);
  const auto add = [&](RunRecord record, const std::string& from) {
    ++(collection.Add(std::move(record), from) ? summary.added : summary.known);
  };
  for (const Sweep& sweep : sweeps) {
    const RunFilter filter(only, sweep.grid);
    ForEachRecord(sweep, filter, names, observer, summary,
                  [&](RunRecord record) { add(std::move(record), sweep.out); });
  }
  for (const LooseRecords& one : loose) {
    const RunFilter filter(only, collection.sweep().grid);
    for (const RunRecord& record : one.records) {
      if (filter.Matches(record.at)) add(record, one.name);
    }
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
    const std::string text = FormatRecords(collection.records(), language.name, names);
    if (!text.empty()) WriteIfOther(to, RecordsFile("", language.name), text);
  }
  summary.there = collection.records().size();
  summary.runs = records.grid.Runs().size();
  return summary;
}

}  // namespace flare
