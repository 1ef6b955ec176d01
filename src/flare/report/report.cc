#include "flare/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/report/findings.h"
#include "flare/report/output_folder.h"
#include "flare/report/page.h"
#include "flare/report/plots.h"
#include "flare/report/run_files.h"
#include "flare/report/runs_csv.h"
#include "flare/report/select.h"
#include "flare/report/study.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"

namespace flare::report {

namespace {

namespace fs = std::filesystem;

// Tables that somebody else made. They must not hide ours.
std::vector<Table> ReadExtraTables(const fs::path& dir) {
  if (dir.empty()) return {};
  std::vector<Table> tables = ReadTables(dir);
  std::set<std::string> names;
  for (const TableKind& kind : TableCatalogue()) names.insert(kind.name);
  for (const Table& table : tables) {
    if (table.name.starts_with("axis-") || !names.insert(table.name).second) {
      throw InputError(dir, fmt::format("has a table {}, as the report has", Quoted(table.name)),
                       "give it another name");
    }
  }
  return tables;
}

}  // namespace

std::string ReportSummary::Text() const {
  std::string text =
      fmt::format("{} of {} finished", finished + diverged + left_out, Counted(runs, "run"));
  if (diverged > 0) text += fmt::format(", {} of them diverged", diverged);
  if (left_out > 0) {
    text += fmt::format(", {} of them left out, of trials that are not whole", left_out);
  }
  if (failed > 0) text += fmt::format("; {} failed", failed);
  if (!damaged_runs.empty()) text += fmt::format("; {} damaged", damaged_runs.size());
  if (!damaged_baselines.empty()) {
    text += fmt::format("; {} of baselines damaged", Counted(damaged_baselines.size(), "file"));
  }
  if (!damaged_manifests.empty()) {
    text += fmt::format("; {} damaged", Counted(damaged_manifests.size(), "manifest"));
  }
  if (running > 0) text += fmt::format("; {} running", running);
  return text;
}

ReportSummary WriteReport(const std::vector<fs::path>& sweeps, const fs::path& to,
                          const ReportOptions& options) {
  if (options.whole_trials && sweeps.size() > 1) {
    throw InputError("--whole-trials", fmt::format("takes one sweep, not {}", sweeps.size()),
                     "flare sweep collect merges several of one grid");
  }
  Study study = ReadStudy(sweeps, options.metric);
  // Values are published of the grid's metric.
  study.shows_published = options.published && options.metric.empty();
  if (options.whole_trials) MarkPartialTrials(study);
  if (fs::exists(to / "pairs.csv")) {
    throw InputError(to, "holds a comparison", "name another folder for the report");
  }
  const std::vector<Table> extra = ReadExtraTables(options.tables);
  OutputFolder out(to);
  out.Write("runs.csv", FormatRunsCsv(study));
  DropLeftOut(study);
  const Selection selection(study);
  RunFiles files;
  const std::vector<Table> tables = MakeTables(selection, files);
  for (const Table& table : tables) WriteTable(table, "tables", out);
  for (const Table& table : extra) WriteTable(table, "tables", out);
  std::map<std::string, Table> full;  // by language
  for (const std::string& language : study.axes.languages) {
    const auto [table, is_new] =
        full.emplace(language, WithNoteOf(study, FullTable(selection, language)));
    WriteTable(table->second, "tables/full", out);
  }
  out.Write("findings.md", FindingsOf(selection).Text());
  const auto by_length = WriteFigures(selection, files, out);
  WritePage(selection, tables, extra, full, by_length, options.refresh_seconds, files, out);
  out.Finish();
  ReportSummary summary{.runs = study.runs.size(),
                        .finished = study.Count(RunState::kFinished),
                        .diverged = study.Count(RunState::kDiverged),
                        .failed = study.Count(RunState::kFailed),
                        .running = study.Count(RunState::kRunning),
                        .left_out = study.LeftOut(),
                        .damaged_runs = {},
                        .damaged_baselines = study.damaged_baselines,
                        .damaged_manifests = study.damaged_manifests,
                        .unreadable = study.Count(RunState::kDamaged)};
  for (const StudyRun& run : study.runs) {
    const auto found = files.damage().find(run.path);
    if (run.state == RunState::kDamaged) {
      summary.damaged_runs.push_back(fmt::format("{}: {}", run.at.Path(), run.fault));
    } else if (found != files.damage().end()) {
      summary.damaged_runs.push_back(fmt::format("{}: {}", run.at.Path(), found->second));
    }
  }
  return summary;
}

namespace {

namespace fs = std::filesystem;

void AddFile(const fs::path& path, std::vector<std::string>& lines) {
  // Locks are touched all the time; a report says only that they are there.
  if (path.filename() == "lock") lines.push_back(path);
  if (path.extension() != ".json" && path.extension() != ".jsonl") return;
  std::error_code gone;
  const auto size = fs::file_size(path, gone);
  const auto time = fs::last_write_time(path, gone).time_since_epoch().count();
  if (!gone) lines.push_back(fmt::format("{} {} {}", path.string(), size, time));
}

// Changes when a file that a report reads comes, goes or changes. Files may come and go meanwhile.
std::string Fingerprint(const std::vector<fs::path>& sweeps) {
  std::vector<std::string> lines;
  for (const fs::path& sweep : sweeps) {
    std::error_code error;
    // sweep.json, and of records a file per language.
    for (fs::directory_iterator at(sweep, error), end; !error && at != end; at.increment(error)) {
      AddFile(at->path(), lines);
    }
    for (const char* folder : {"baselines", "datasets", "runs"}) {
      for (fs::recursive_directory_iterator at(sweep / folder, error), end; !error && at != end;
           at.increment(error)) {
        AddFile(at->path(), lines);
      }
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return Sha256(all);
}

// The report as of now. Nothing if a file disappeared while it was read, as when a failed run is
// tried again: the next attempt will do. A fault that persists is thrown.
std::optional<ReportSummary> TryWrite(const std::vector<fs::path>& sweeps, const fs::path& to,
                                      const std::string& before, const ReportOptions& options) {
  try {
    return WriteReport(sweeps, to, options);
  } catch (const InputError&) {
    if (Fingerprint(sweeps) == before) throw;
    return std::nullopt;
  }
}

}  // namespace

void WatchReport(const std::vector<fs::path>& sweeps, const fs::path& to, std::size_t seconds,
                 ReportOptions options, const std::function<void(const ReportSummary&)>& made) {
  std::string last;
  while (true) {
    const std::string now = Fingerprint(sweeps);
    if (now != last) {
      options.refresh_seconds = seconds;
      const auto summary = TryWrite(sweeps, to, now, options);
      if (summary) {
        last = now;
        if (summary->IsOver()) {
          options.refresh_seconds = 0;  // the page need no longer look
          made(WriteReport(sweeps, to, options));
          return;
        }
        made(*summary);
      }
    }
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
  }
}

}  // namespace flare::report
