// The report of a sweep: tables and figures, published values beside ours, and a page.
//
//   WriteReport({"out"}, "report");   // report/index.html, tables/, figures/, runs.csv
//
// It reads files and never trains. It works on a sweep of which only a part is done, and says so.

#ifndef FLARE_REPORT_REPORT_H_
#define FLARE_REPORT_REPORT_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace flare::report {

struct ReportOptions {
  // Are published values shown where ours can be compared with them?
  bool published = true;
  // Do only trials count that are done at every point of the grid (whole_trials.h)? Of one sweep;
  // runs.csv has all runs in any case.
  bool whole_trials = false;
  // The metric that tables show (study.h); empty: the one that the grid names.
  std::string metric = {};
  // A folder of further tables, as an analysis makes them (table_formats.h); empty: none.
  std::filesystem::path tables = {};
  // The page checks for a newer report after this many seconds; 0: never.
  std::size_t refresh_seconds = 0;
};

struct ReportSummary {
  std::size_t runs = 0;  // in the grid
  std::size_t finished = 0;
  std::size_t diverged = 0;
  std::size_t failed = 0;
  std::size_t running = 0;
  std::size_t left_out = 0;  // finished or diverged, of trials that are not whole
  // A line for each run of which a file is damaged: which, and what is wrong with it. A finished
  // one whose result is whole counts as finished too.
  std::vector<std::string> damaged_runs;
  // Likewise of each file of baselines, whose columns are empty.
  std::vector<std::string> damaged_baselines;
  // And of each manifest, instead of which what the sweep was planned with describes the data.
  std::vector<std::string> damaged_manifests;

  std::size_t unreadable = 0;  // runs of which nothing is known but that they are damaged

  // Is nothing more to come, unless somebody tries failed and damaged runs again?
  bool IsOver() const { return finished + diverged + left_out + failed + unreadable == runs; }
  // "98 of 108 runs finished, 1 of them diverged; 2 failed, 3 running"
  std::string Text() const;
};

// `sweeps` are directories that are read as one study (study.h). Throws InputError if one is not a
// sweep, IoError if `to` cannot be written.
ReportSummary WriteReport(const std::vector<std::filesystem::path>& sweeps,
                          const std::filesystem::path& to, const ReportOptions& options = {});

// A report that follows a sweep while it runs.

// Writes the report, then again whenever a sweep has changed, until every run is finished; looks
// every `seconds`, as does the page meanwhile. `made` is called after each report.
void WatchReport(const std::vector<std::filesystem::path>& sweeps, const std::filesystem::path& to,
                 std::size_t seconds, ReportOptions options,
                 const std::function<void(const ReportSummary&)>& made);

}  // namespace flare::report

#endif  // FLARE_REPORT_REPORT_H_
