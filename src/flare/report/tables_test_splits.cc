#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/statistics.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// Test splits that no other table or figure shows, in the order in which runs have them.
std::vector<std::string> FurtherTestSplits(const Study& study) {
  std::vector<std::string> splits;
  const std::vector<std::string> shown = {study.test_split, "test-short-held-out",
                                          "test-edit-distance"};
  for (const Run& run : study.runs) {
    if (!run.result) continue;
    for (const auto& [split, metrics] : run.result->splits) {
      const bool known = std::find(shown.begin(), shown.end(), split) != shown.end() ||
                         std::find(splits.begin(), splits.end(), split) != splits.end();
      if (split.starts_with("test") && !known) splits.push_back(split);
    }
  }
  return splits;
}

Cell AccuracyCell(const RunGroup& group, const std::string& split) {
  std::vector<double> accuracies;
  for (const Run* run : group.runs) {
    if (const auto accuracy = run->Metric(split, "accuracy")) accuracies.push_back(*accuracy);
  }
  Cell cell;
  if (!accuracies.empty()) cell = Cell::Number(Mean(accuracies), 4);
  if (accuracies.size() > 1) cell.spread = StandardDeviation(accuracies);
  cell.coverage.emplace().Add(group);
  cell.coverage->scored = accuracies.size();
  return cell;
}

// How far a further split is from the test split, run by run.
std::string DistanceText(const Study& study, const std::string& split) {
  std::vector<double> differences, distances;
  for (const Run& run : study.runs) {
    const auto accuracy = run.Metric(split, "accuracy"), test = run.TestAccuracy();
    if (!accuracy || !test) continue;
    differences.push_back(*accuracy - *test);
    distances.push_back(std::abs(differences.back()));
  }
  if (differences.empty()) return fmt::format("{}: no run has it and {}.", split, study.test_split);
  return fmt::format(
      "{} − {}, run by run: mean {:+.4f}, mean distance {:.4f}, at most {:.4f} (n = {}).", split,
      study.test_split, Mean(differences), Mean(distances),
      *std::max_element(distances.begin(), distances.end()), differences.size());
}

}  // namespace

Table TestSplitsTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "test-splits";
  table.caption =
      "Accuracy on every test split that the data has: mean and standard deviation over trials.";
  const std::vector<std::string> further = FurtherTestSplits(study);
  if (further.empty()) return table;
  table.columns = {{"language", "Language", "", true},
                   {"variant", "Model", "", true},
                   {"loss", "Loss", "", true},
                   {"validation", "Val. set", "", true},
                   {study.test_split, study.test_split, "Accuracy"}};
  for (const std::string& split : further) table.columns.push_back({split, split, "Accuracy"});
  std::string language;
  for (const RunGroup& group : selection.groups()) {
    if (group.budget != study.MainBudget() || group.TestAccuracies().empty()) continue;
    Row row;
    row.rule_above = !table.rows.empty() && group.language != language;
    language = group.language;
    row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(group.variant)),
                 Cell::Text(LossTitle(group.loss)),
                 Cell::Text(ValidationAbbreviation(group.validation)),
                 AccuracyCell(group, study.test_split)};
    for (const std::string& split : further) row.cells.push_back(AccuracyCell(group, split));
    table.rows.push_back(std::move(row));
  }
  for (const std::string& split : further) table.notes.push_back(DistanceText(study, split));
  return table;
}

}  // namespace flare::report
