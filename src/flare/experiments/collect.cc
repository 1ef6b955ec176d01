#include "flare/experiments/collect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/lock_file.h"
#include "flare/data/flare_files.h"
#include "flare/experiments/format_errors.h"
#include "flare/runs/baseline_file.h"
#include "flare/runs/integrity.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/run_directory.h"
#include "flare/training/known_names.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::set<std::string> PathsOf(const Grid& grid) {
  std::set<std::string> paths;
  for (const Coordinates& at : grid.Runs()) paths.insert(at.Path());
  return paths;
}

// Of two grids the one that contains the other.
const Sweep& Larger(const Sweep& a, const Sweep& b) {
  const auto in_a = PathsOf(a.grid), in_b = PathsOf(b.grid);
  if (std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end())) return a;
  if (std::includes(in_b.begin(), in_b.end(), in_a.begin(), in_a.end())) return b;
  std::vector<std::string> foreign;
  std::set_difference(in_b.begin(), in_b.end(), in_a.begin(), in_a.end(),
                      std::back_inserter(foreign));
  throw InputError(b.out,
                   fmt::format("has the run {}, which the grid of {} lacks, and not all of "
                               "that grid's",
                               foreign[0], a.out.string()),
                   "collect different grids into different directories");
}

RunRecord RecordOf(const Sweep& sweep, const PlacedRun& run, FormatJudge& format,
                   JsonReader& reader) {
  const RunDirectory directory(sweep.RunPath(run.at));
  RunRecord record{.at = run.at,
                   .config = *run.config,
                   .result = *run.result,
                   .curves = ReadCurves(directory, TestSplitOf(*run.result), reader),
                   .format_errors = format.Errors(sweep, run, reader),
                   .imported = {}};
  record.config.data = record.config.data.ByHash();
  return record;
}

// The records that there are so far, and where each comes from.
class Collection {
 public:
  explicit Collection(const Names& names) : names_(names) {}

  void AddGrid(const Sweep& sweep) {
    Sweep larger = sweep_ ? Larger(*sweep_, sweep) : sweep;
    if (sweep_) {
      larger.data_sha256 = sweep_->data_sha256;
      for (const auto& hash : sweep.data_sha256) larger.data_sha256.insert(hash);
    }
    sweep_ = std::move(larger);
    paths_ = PathsOf(sweep_->grid);
  }

  // True if it is new.
  bool Add(RunRecord record, const std::string& from) {
    const std::string path = record.at.Path();
    CheckBelongs(record, from);
    const auto found = records_.find(path);
    if (found == records_.end()) {
      records_.emplace(path, std::move(record));
      from_[path] = from;
      return true;
    }
    RunRecord& there = found->second;
    const std::string difference = RecordDifference(there, record, names_);
    if (!difference.empty()) {
      throw InputError(
          from, fmt::format("{} is another run than in {}: its {}", path, from_[path], difference),
          "the same settings, seed and data must give the same model");
    }
    // What was imported from a table has no curves.
    const bool is_richer = !there.imported.empty() && record.imported.empty();
    if (is_richer) there = std::move(record);
    return is_richer;
  }

  bool has_grid() const { return sweep_.has_value(); }
  const Sweep& sweep() const { return *sweep_; }
  const Records& records() const { return records_; }

 private:
  void CheckBelongs(const RunRecord& record, const std::string& from) const {
    const std::string path = record.at.Path();
    if (!paths_.contains(path)) {
      throw InputError(from, fmt::format("the grid has no run {}", path));
    }
    const std::string difference = Displacement(record.config, *sweep_, record.at, names_);
    if (!difference.empty()) {
      throw InputError(from, fmt::format("{} is not the grid's: its {}", path, difference));
    }
  }

  const Names& names_;
  std::optional<Sweep> sweep_;
  std::set<std::string> paths_;  // of its runs
  Records records_;
  std::map<std::string, std::string> from_;  // by path
};

void CopyIfMissing(const fs::path& from, const fs::path& to) {
  if (!fs::exists(from) || fs::exists(to)) return;
  MakeDirectories(to.parent_path());
  WriteFileAtomically(to, ReadRegularFile(from));
}

// Without the place where the data was, which means nothing elsewhere. What is damaged can be made
// again from the data.
void CopyBaselines(const fs::path& from, const fs::path& to, const std::string& language) {
  if (fs::exists(to) || ReadBaselines(from).empty()) return;
  Json baselines = ParseJson(ReadRegularFile(from), from);
  baselines.erase(kCheckMember);
  baselines["dataset"] = language;
  MakeDirectories(to.parent_path());
  WriteFileAtomically(to, CheckedText(baselines));
}

void WriteIfOther(const fs::path& file, const std::string& text) {
  if (fs::exists(file) && ReadRegularFile(file) == text) return;
  WriteFileAtomically(file, text);
}

void CheckRecordsOrEmpty(const fs::path& to) {
  if (!fs::exists(to) || fs::is_empty(to)) return;
  if (fs::exists(SweepFile(to)) && ReadSweep(to, KnownNames()).is_records) return;
  throw InputError(to, "holds something else than records", "name a new or empty directory");
}

// Runs of an architecture whose arithmetic has changed are not trials of one experiment.
void CheckOneArithmetic(const Records& records) {
  std::map<std::string, const RunRecord*> first;  // by architecture
  for (const auto& [path, record] : records) {
    const RunRecord*& other = first.try_emplace(record.at.architecture(), &record).first->second;
    const std::string& ours = record.config.settings.arithmetic;
    const std::string& theirs = other->config.settings.arithmetic;
    if (ours == theirs) continue;
    throw InputError(
        path,
        fmt::format("has the arithmetic {}, and {} that of {}", ours, other->at.Path(), theirs),
        "collect them into different directories; --only architecture=... chooses");
  }
}

// What reports need beside the runs: what the data was, and how far trivial recognizers get.
void CopyContext(const Sweep& from, const fs::path& to) {
  for (const Grid::GridLanguage& language : from.grid.languages) {
    const std::string& name = language.name;
    CopyIfMissing(from.DatasetPath(name) / kManifestFile, to / "datasets" / name / kManifestFile);
    CopyBaselines(from.BaselinesPath(name), to / "baselines" / (name + ".json"), name);
  }
}

}  // namespace

CollectSummary CollectRuns(const std::vector<fs::path>& sources,
                           const std::vector<LooseRecords>& loose,
                           const std::vector<std::string>& only, const fs::path& to,
                           ProgressObserver& observer) {
  const Names& names = KnownNames();
  CheckRecordsOrEmpty(to);
  MakeDirectories(to);
  LockObserver lock_observer;
  LockOwner owner;
  const auto lock = LockFile::TryAcquire(to / "lock", lock_observer, &owner);
  if (lock == nullptr) throw InputError(to, "is being written by " + owner.Describe());

  CollectSummary summary;
  Collection collection(names);
  if (fs::exists(SweepFile(to))) {
    const Sweep there = ReadSweep(to, names);
    collection.AddGrid(there);
    for (auto& [path, record] : ReadRecords(there, names)) collection.Add(record, to.string());
  }
  std::vector<Sweep> sweeps;
  for (const fs::path& source : sources) {
    sweeps.push_back(ReadSweep(source, names));
    collection.AddGrid(sweeps.back());
  }
  if (!collection.has_grid()) throw InputError(to, "there is no sweep to collect from");
  const auto add = [&](RunRecord record, const std::string& from) {
    ++(collection.Add(std::move(record), from) ? summary.added : summary.known);
  };
  FormatJudge format;
  JsonReader reader;
  for (const Sweep& sweep : sweeps) {
    const RunFilter filter(only, sweep.grid);
    const std::vector<Coordinates> runs = sweep.grid.Runs();
    const Records records = sweep.is_records ? ReadRecords(sweep, names) : Records();
    Progress progress(observer, runs.size(), "runs");
    for (const Coordinates& at : runs) {
      progress.Step("");
      if (!filter.Matches(at)) continue;
      if (sweep.is_records) {
        const auto found = records.find(at.Path());
        if (found == records.end()) {
          ++summary.unfinished;
        } else {
          add(found->second, sweep.out);
        }
        continue;
      }
      const PlacedRun run = ReadPlacedRun(sweep, at, names);
      if (run.state == RunState::kDamaged) {
        summary.unreadable.push_back(fmt::format("{}: {}", at.Path(), run.reason));
      } else if (!run.result) {
        ++summary.unfinished;
      } else {
        add(RecordOf(sweep, run, format, reader), sweep.out);
      }
    }
  }
  for (const LooseRecords& one : loose) {
    const RunFilter filter(only, collection.sweep().grid);
    for (const RunRecord& record : one.records) {
      if (filter.Matches(record.at)) add(record, one.name);
    }
  }
  CheckOneArithmetic(collection.records());
  for (const Sweep& sweep : sweeps) CopyContext(sweep, to);
  Sweep records = collection.sweep();
  records.out = to;
  records.data = "datasets";
  records.is_records = true;
  WriteIfOther(SweepFile(to), JsonText(SweepToJson(records)));
  for (const Grid::GridLanguage& language : records.grid.languages) {
    const std::string text = FormatRecords(collection.records(), language.name, names);
    if (!text.empty()) WriteIfOther(RecordsFile(to, language.name), text);
  }
  summary.there = collection.records().size();
  summary.runs = records.grid.Runs().size();
  return summary;
}

}  // namespace flare
