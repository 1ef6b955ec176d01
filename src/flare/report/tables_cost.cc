#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "flare/base/text.h"
#include "flare/report/statistics.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

Row CostRow(const std::string& title, const std::vector<const StudyRun*>& runs) {
  std::vector<double> epochs, speeds;
  double finished = 0, diverged = 0, failed = 0, seconds = 0;
  for (const StudyRun* run : runs) {
    finished += run->state == RunState::kFinished ? 1 : 0;
    diverged += run->state == RunState::kDiverged ? 1 : 0;
    failed += run->state == RunState::kFailed ? 1 : 0;
    if (!run->result) continue;
    epochs.push_back(static_cast<double>(run->result->epochs));
    speeds.push_back(run->result->examples_per_second);
    seconds += run->result->core_seconds();
  }
  Row row;
  row.cells = {Cell::Text(title), Cell::Number(static_cast<double>(runs.size()), 0),
               Cell::Number(finished, 0), Cell::Number(diverged, 0), Cell::Number(failed, 0)};
  if (epochs.empty()) {
    row.cells.resize(11);
    return row;
  }
  double total = 0;
  for (const double count : epochs) total += count;
  row.cells.push_back(Cell::Number(Mean(epochs), 1));
  row.cells.push_back(Cell::Number(Median(epochs), 1));
  row.cells.push_back(Cell::Number(total, 0));
  row.cells.push_back(Cell::Number(Median(speeds), 0));
  row.cells.push_back(Cell::Number(seconds / static_cast<double>(epochs.size()) / 60, 2));
  row.cells.push_back(Cell::Number(seconds / 3600, 2));
  return row;
}

// How evenly the grid is filled: "Points of the grid with 1 finished run: 300; with 0: 132."
std::string FillingText(const Selection& selection) {
  std::map<std::size_t, std::size_t, std::greater<>> points;  // by number of runs
  for (const RunGroup& group : selection.groups()) ++points[group.Made()];
  std::string text;
  for (const auto& [runs, count] : points) {
    text += text.empty() ? fmt::format(
                               "Points of the grid (language, architecture, loss, "
                               "validation set, budget) with {}: {}",
                               Counted(runs, "finished run"), count)
                         : fmt::format("; with {}: {}", runs, count);
  }
  return text + ".";
}

}  // namespace

Table CostTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "cost";
  table.caption = "Time and cost. A run uses one core; minutes and hours are of processor time.";
  table.columns = {{"architecture", "Architecture", "", true},
                   {"runs", "In grid", "Runs"},
                   {"finished", "Finished", "Runs"},
                   {"diverged", "Diverged", "Runs"},
                   {"failed", "Failed", "Runs"},
                   {"epochs_mean", "Mean", "Epochs"},
                   {"epochs_median", "Median", "Epochs"},
                   {"epochs_total", "Total", "Epochs"},
                   {"examples_per_second", "Examples/s (median)", "Time"},
                   {"minutes_per_run", "Minutes per run", "Time"},
                   {"core_hours", "Core hours", "Time"}};
  std::vector<const StudyRun*> all;
  for (const std::string& variant : study.Variants()) {
    std::vector<const StudyRun*> runs;
    for (const StudyRun& run : study.runs) {
      if (run.family == variant) runs.push_back(&run);
    }
    table.rows.push_back(CostRow(study.Title(variant), runs));
    all.insert(all.end(), runs.begin(), runs.end());
  }
  Row total = CostRow("All", all);
  total.rule_above = true;
  table.rows.push_back(std::move(total));
  table.notes = {FillingText(selection)};
  return table;
}

}  // namespace flare::report
