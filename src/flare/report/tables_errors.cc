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

// Members all have the format, so that wrong answers on strings without it are strings accepted.
void AddWrongAnswerCells(const StudyRun* run, Row& row) {
  const auto count = [&](const char* metric) {
    return run == nullptr ? std::nullopt : run->Metric(run->test_split, metric);
  };
  const auto rejected = count("false_negatives"), accepted = count("false_positives");
  const auto format_right = count("wrong_answers_format_right");
  const auto minus = [](std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a - *b) : std::nullopt;
  };
  row.cells.push_back(
      Cell::Maybe(accepted && rejected ? std::optional(*accepted + *rejected) : std::nullopt, 0));
  row.cells.push_back(Cell::Maybe(count("wrong_answers_format_wrong"), 0));
  row.cells.push_back(Cell::Maybe(format_right, 0));
  row.cells.push_back(Cell::Maybe(minus(format_right, rejected), 0));
  row.cells.push_back(Cell::Maybe(rejected, 0));
}

}  // namespace

Table WrongAnswersTable(const Selection& selection, const std::vector<std::string>& languages) {
  const Study& study = selection.study();
  Table table;
  table.name = "wrong-answers";
  table.caption =
      "The wrong answers on the test set of the run with the highest accuracy: on strings without "
      "the format of members, and on strings that have it.";
  table.columns = {{"language", "Language", "", true},
                   {"architecture", "Architecture", "", true},
                   {"validation", "Val. set", "", true},
                   {"accuracy", "Accuracy", ""},
                   {"wrong", "All", "Wrong answers"},
                   {"format_wrong", "Format wrong", "Wrong answers"},
                   {"format_right", "Format right", "Wrong answers"},
                   {"format_right_accepted", "Others accepted", "Of right format"},
                   {"format_right_rejected", "Members rejected", "Of right format"}};
  bool any = false;  // is a format known?
  for (const std::string& language : languages) {
    bool first = !table.rows.empty();
    for (const std::string& validation : study.axes.validations) {
      for (const std::string& variant : study.Variants()) {
        const StudyRun* run =
            selection.ForFigures(language, variant, Choice::kByTest, "", validation);
        any |= run != nullptr && run->Metric(run->test_split, "wrong_answers_format_right");
        Cell accuracy = Cell::Maybe(run != nullptr ? run->TestAccuracy() : std::nullopt);
        accuracy.coverage = selection.CoverageOf(
            {.validation = validation, .budget = study.MainBudget()}, language, variant);
        if (accuracy.coverage->expected == 0) continue;
        Row row;
        row.rule_above = std::exchange(first, false);
        row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(variant)),
                     Cell::Text(ValidationAbbreviation(validation)), accuracy};
        AddWrongAnswerCells(run, row);
        table.rows.push_back(std::move(row));
      }
    }
  }
  if (!any) table.rows.clear();
  table.notes = {
      "Empty where no format of the language is known, or where the run was evaluated before "
      "formats were looked at. All members have the format."};
  return table;
}

namespace {

// Test splits that no other table or figure shows, in the order in which runs have them.
std::vector<std::string> FurtherTestSplits(const Study& study) {
  std::vector<std::string> splits;
  const std::vector<std::string> shown = {study.test_split, "test-short-held-out",
                                          "test-edit-distance"};
  for (const StudyRun& run : study.runs) {
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
  for (const StudyRun* run : group.runs) {
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
  for (const StudyRun& run : study.runs) {
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

// What says how good a run is, as far as any run has it, shares first.
std::vector<ReportMetric> MetricsOfRuns(const Study& study) {
  std::vector<ReportMetric> metrics;
  for (const StudyRun& run : study.runs) {
    const SplitMetrics* split = run.result ? run.result->Split(study.test_split) : nullptr;
    if (split == nullptr) continue;
    split->ForEachScalar([&](std::string_view name, double) {
      if (name != "accuracy" && name != "longest_perfect_length" &&
          !name.ends_with("_accuracy_positions") && !name.ends_with("_accuracy_strings") &&
          !name.ends_with("_cross_entropy")) {
        return;
      }
      if (std::none_of(metrics.begin(), metrics.end(),
                       [&](const ReportMetric& one) { return one.name == name; })) {
        metrics.push_back(MetricNamed(std::string(name), ""));
      }
    });
  }
  std::stable_partition(metrics.begin(), metrics.end(),
                        [](const ReportMetric& one) { return one.is_share; });
  return metrics;
}

}  // namespace

Table MetricsTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "metrics";
  const std::vector<ReportMetric> metrics = MetricsOfRuns(study);
  // Recognition alone is in other tables.
  if (std::none_of(metrics.begin(), metrics.end(), [](const ReportMetric& one) {
        return one.is_share && one.name != "accuracy";
      })) {
    return table;
  }
  table.caption = fmt::format(
      "Every figure of {}: means and standard deviations over trials; cross-entropies in nats.",
      study.test_split);
  table.columns = {{"language", "Language", "", true},
                   {"variant", "Model", "", true},
                   {"loss", "Loss", "", true},
                   {"validation", "Val. set", "", true}};
  for (const ReportMetric& metric : metrics) {
    table.columns.push_back({metric.name, metric.title, ""});
  }
  std::string language;
  for (const RunGroup& group : selection.groups()) {
    if (group.budget != study.MainBudget() || group.Made() == 0) continue;
    Row row;
    row.rule_above = !table.rows.empty() && group.language != language;
    language = group.language;
    row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(group.variant)),
                 Cell::Text(LossTitle(group.loss)),
                 Cell::Text(ValidationAbbreviation(group.validation))};
    for (const ReportMetric& metric : metrics) {
      std::vector<double> values;
      for (const StudyRun* run : group.runs) {
        if (const auto value = run->Metric(study.test_split, metric.name)) values.push_back(*value);
      }
      Cell cell;
      if (!values.empty()) cell = Cell::Number(Mean(values), metric.is_share ? 3 : metric.decimals);
      if (values.size() > 1) cell.spread = StandardDeviation(values);
      row.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

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
    if (group.budget != study.MainBudget() || group.Scores().empty()) continue;
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
