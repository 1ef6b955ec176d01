// Tables about runs themselves: what they cost, what they get wrong, all their figures, other test
// splits, and which losses and sizes are best.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
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

// Says how evenly the grid is filled: "Points of the grid with 1 finished run: 300; with 0: 132."
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

// Epochs, speed and core hours per architecture.
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

// How many wrong answers of the best runs are on strings with the right format.
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

Table WrongAnswersTable(const Selection& selection) {
  return WrongAnswersTable(selection, selection.study().axes.languages);
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

// Says how far the accuracy on a further split is from that on the test split, run by run.
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

// Returns the metrics that say how good a run is, of those that some run has, shares first.
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

// Every metric of the test split, where runs have more than those of recognition.
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

// Test splits beside those that other tables show, such as MLRegTest's or those of one's own. It
// has no rows if the data has no such splits.
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

// The losses behind the main table; all of them where they tie.
Table BestLossTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "best-loss";
  if (study.axes.losses.size() < 2) return table;
  table.caption =
      "The losses behind the main table; all of them where they tie. R = recognition, LM = "
      "language modeling, NS = next-symbol prediction.";
  table.columns.push_back({"language", "Language", "", true});
  for (const ReportColumn& column : study.columns) {
    for (const std::string& variant : study.Variants()) {
      table.columns.push_back(
          {column.name + "_" + variant, study.ShortTitle(variant), column.title, false, variant});
    }
  }
  bool compared = false;
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const ReportColumn& column : study.columns) {
      for (const std::string& variant : study.Variants()) {
        const auto best = selection.Score(column, language, variant);
        Cell cell = best ? Cell::Text(LossTitles(best->losses)) : Cell();
        const PublishedValue* published =
            study.FindPublished(column.name, language, variant, column.budget);
        const std::string theirs = published != nullptr ? published->loss : "";
        if (!theirs.empty()) cell.published_text = LossTitle(theirs);
        compared |= !theirs.empty();
        cell.agrees = best && std::find(best->losses.begin(), best->losses.end(), theirs) !=
                                  best->losses.end();
        row.cells.push_back(std::move(cell));
      }
    }
    table.rows.push_back(std::move(row));
  }
  if (compared) {
    table.notes.push_back(
        fmt::format("Beside ours, the published loss ({}); it agrees if it is among ours.",
                    study.PublishedLabel()));
  }
  return table;
}

// The highest accuracy per budget, with the first loss and the last column's validation set.
Table ModelSizesTable(const Selection& selection) {
  const Study& study = selection.study();
  std::vector<std::size_t> budgets = study.axes.budgets;
  std::sort(budgets.begin(), budgets.end());
  const std::string& loss = study.axes.losses[0];
  const std::string& validation = study.MainValidation();
  const ReportColumn main_column = study.BestColumn();
  Table table;
  table.name = "model-sizes";
  if (budgets.size() < 2) return table;
  const ReportMetric& metric = study.metric;
  table.caption =
      fmt::format("{} {} on the test set by number of parameters; the loss {}, validation on {}.",
                  metric.higher_is_better ? "Maximum" : "Minimum", metric.title, LossTitle(loss),
                  LengthsText(study, ValidationSplit(validation)));
  table.columns.push_back({"language", "Language", "", true});
  for (const std::string& variant : study.Variants()) {
    for (const std::size_t budget : budgets) {
      table.columns.push_back(
          {fmt::format("{}_{}", variant, budget), BudgetTitle(budget), study.ShortTitle(variant)});
    }
  }
  std::size_t published_runs = 0;
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const std::string& variant : study.Variants()) {
      const auto main = selection.Score(main_column, language, variant);
      for (const std::size_t budget : budgets) {
        Cell cell;
        const RunGroup* group = selection.Find(language, variant, loss, validation, budget);
        if (group != nullptr) {
          const std::vector<double> scores = group->Scores();
          if (!scores.empty()) {
            const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
            cell = Cell::Number(metric.higher_is_better ? *most : *least, metric.decimals);
            const double gain = main ? cell.value - main->value : 0;
            cell.bold =
                budget > study.MainBudget() && (metric.higher_is_better ? gain : -gain) > 0.01;
          }
          cell.coverage.emplace().Add(*group);
        }
        const PublishedValue* published = study.FindPublished("max", language, variant, budget);
        if (published != nullptr && (published->loss.empty() || published->loss == loss)) {
          cell.published = published->value;
          published_runs = std::max(published_runs, published->runs);
          cell.judged = CanBeJudged(cell, published);
        }
        row.cells.push_back(std::move(cell));
      }
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(
      fmt::format("Bold: larger than {0} and better than our best run of {0}, of all losses, by "
                  "more than 0.01.",
                  BudgetTitle(study.MainBudget())));
  if (published_runs > 0) {
    table.notes.push_back(
        fmt::format("Without a mark: a maximum below the published one ({}), which is of {} runs, "
                    "says nothing before there are as many.",
                    study.PublishedLabel(), published_runs));
  }
  return table;
}

}  // namespace flare::report
