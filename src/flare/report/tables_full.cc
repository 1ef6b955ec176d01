#include <fmt/format.h>

#include <algorithm>

#include "flare/report/statistics.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

enum ColumnNumber : std::size_t {
  kTrain = 3,
  kValidationCrossEntropy,
  kValidation,
  kShortTest,
  kLongTest,
  kMean,
  kMax,
  kMedian,
  kPerfect,
  kInterval,
  kLongestPerfect,
  kMedianLongestPerfect,
  kColumns
};

void FillFromTrials(const RunGroup& group, const Study& study, Row& row) {
  Coverage coverage;
  coverage.Add(group);
  row.cells[kMean].coverage = coverage;
  const std::vector<double> scores = group.Scores();
  if (scores.empty()) return;
  const ReportMetric& metric = study.metric;
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  Cell& mean = row.cells[kMean] = Cell::Number(Mean(scores), metric.decimals);
  mean.coverage = coverage;
  row.cells[kMax] = Cell::Number(metric.higher_is_better ? *most : *least, metric.decimals);
  row.cells[kMedian] = Cell::Number(Median(scores), metric.decimals);
  if (metric.is_share) {
    const auto perfect = std::count(scores.begin(), scores.end(), 1.0);
    row.cells[kPerfect] =
        Cell::Number(static_cast<double>(perfect) / static_cast<double>(scores.size()));
  }
  // The spread of a single trial is unknown.
  if (scores.size() > 1) mean.spread = StandardDeviation(scores);
  if (scores.size() >= kLeastForInterval) {
    Rng rng = Rng::For(study.seed,
                       fmt::format("report/bootstrap/{}/{}/{}/{}/{}", group.language, group.variant,
                                   group.loss, group.validation, group.budget));
    row.cells[kInterval].interval = BootstrapMean(scores, rng);
  }
  std::vector<double> lengths;
  for (const StudyRun* run : group.runs) {
    if (const auto length = run->LongestPerfectLength()) {
      lengths.push_back(*length);
    }
  }
  // The median is the value of a trial, since "none" cannot be averaged with a length.
  std::sort(lengths.begin(), lengths.end());
  if (!lengths.empty()) {
    row.cells[kMedianLongestPerfect] = Cell::PerfectLength(lengths[(lengths.size() - 1) / 2]);
  }
}

void FillFromBest(const StudyRun& best, const ReportMetric& metric, Row& row) {
  // Only the test split has a scaled accuracy, so other splits show the accuracy itself.
  const std::string name = metric.name == kScaledAccuracy ? "accuracy" : metric.name;
  const auto of = [&](const char* split) {
    return Cell::Maybe(best.Metric(split, name), metric.decimals);
  };
  row.cells[kTrain] = of("train");
  if (const auto& chosen = best.result->best) {
    row.cells[kValidationCrossEntropy] = Cell::Maybe(chosen->cross_entropy);
    row.cells[kValidation] = Cell::Maybe(chosen->Find(name), metric.decimals);
  }
  row.cells[kShortTest] = of("test-short-held-out");
  row.cells[kLongTest] = Cell::Maybe(best.score, metric.decimals);
  row.cells[kLongestPerfect] = Cell::PerfectLength(best.LongestPerfectLength());
}

// Returns the cohorts with those of a family side by side.
std::vector<std::string> CohortsInOrder(const Study& study) {
  std::vector<std::string> cohorts;
  for (const std::string& family : study.Variants()) {
    for (std::string& cohort : study.Members(family)) cohorts.push_back(std::move(cohort));
  }
  return cohorts;
}

}  // namespace

Table FullTable(const Selection& selection, const std::string& language) {
  const Study& study = selection.study();
  Table table;
  table.name = FileStems(study.axes.languages).at(language);
  table.caption = fmt::format(
      "Full results on {}. Train to L. Test are of the trial with the lowest cross-entropy on its "
      "validation set (Val. CE); the others summarize all trials on the long test set. The metric "
      "is the {}, but for Val. CE and the lengths up to which every string is right.",
      LanguageTitle(language), study.metric.title);
  table.columns = {{"architecture", "Model", "", true},
                   {"loss", "Loss", "", true},
                   {"validation", "Val. set", "", true},
                   {"train", "Train", "Best by validation"},
                   {"validation_cross_entropy", "Val. CE", "Best by validation"},
                   {"validation_accuracy", "Val.", "Best by validation"},
                   {"short_test", "S. Test", "Best by validation"},
                   {"long_test", "L. Test", "Best by validation"},
                   {"long_test_mean", "Mean", "L. Test"},
                   {"long_test_max", study.metric.higher_is_better ? "Max" : "Min", "L. Test"},
                   {"long_test_median", "Median", "L. Test"},
                   {"perfect_share", "Perfect", "L. Test"},
                   {"long_test_mean_interval", "95 % of mean", "L. Test"},
                   {"longest_perfect_length", "Best", "Perfect to length"},
                   {"longest_perfect_length_median", "Median", "Perfect to length"}};
  for (const std::string& validation : study.axes.validations) {
    for (const std::string& variant : CohortsInOrder(study)) {
      for (const std::string& loss : study.axes.losses) {
        const RunGroup* group =
            selection.Find(language, variant, loss, validation, study.MainBudget());
        if (group == nullptr) continue;
        Row row;
        row.rule_above = !table.rows.empty() && loss == study.axes.losses[0];
        row.cells.resize(kColumns);
        row.cells[0] = Cell::Text(study.ShortTitle(variant));
        row.cells[1] = Cell::Text(LossTitle(loss));
        row.cells[2] = Cell::Text(ValidationAbbreviation(validation));
        FillFromTrials(*group, study, row);
        if (const StudyRun* best = group->BestByValidation())
          FillFromBest(*best, study.metric, row);
        table.rows.push_back(std::move(row));
      }
    }
  }
  for (const ColumnNumber column : {kTrain, kValidationCrossEntropy, kValidation, kShortTest,
                                    kLongTest, kMean, kMax, kMedian}) {
    std::vector<Cell*> cells;
    for (Row& row : table.rows) cells.push_back(&row.cells[column]);
    EmboldenBest(cells, column != kValidationCrossEntropy && study.metric.higher_is_better);
  }
  table.notes.emplace_back(
      "Bold: the best of the column, as shown. Perfect: the share of trials with accuracy exactly "
      "1. 95 % of mean: percentile bootstrap over n trials, of at least 5. n/N: n of the grid's N "
      "trials have a score. Diverged trials (†) count with their best checkpoint, if they had "
      "one.");
  DropEmptyColumns(table);
  return table;
}

}  // namespace flare::report
