// A study is what a report is about: one or more sweeps, read as one. It has every run of their
// grids with what there is of it, also those that failed, diverged, are damaged or have not begun.

#ifndef FLARE_REPORT_STUDY_H_
#define FLARE_REPORT_STUDY_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/classes/classification.h"
#include "flare/report/cohorts.h"
#include "flare/report/dataset_facts.h"
#include "flare/report/published.h"
#include "flare/report/source.h"
#include "flare/runs/coordinates.h"
#include "flare/runs/report_spec.h"
#include "flare/runs/run.h"

namespace flare::report {

// A run, and where it stands in the study.
struct StudyRun : flare::Run {
  std::string cohort = {}, family = {};  // their ids
  std::string test_split = "test";       // the study's
  std::optional<double> score = {};      // the study's metric on that split
  // It has ended, and is taken as not begun, since its trial is not whole (whole_trials.h).
  bool left_out = false;

  // A metric on a split; nothing if the run is not finished or has no such metric.
  std::optional<double> Metric(std::string_view split, std::string_view metric) const;
  // Returns the accuracy on the study's test split.
  std::optional<double> TestAccuracy() const { return Metric(test_split, "accuracy"); }
  std::optional<double> LongestPerfectLength() const {
    return Metric(test_split, "longest_perfect_length");
  }
};

// The values that tables range over. Several directories contribute the values of all their grids,
// so not every combination need be a run.
struct Axes {
  std::vector<std::string> languages;
  std::vector<std::string> variants;  // the ids of cohorts
  std::vector<std::string> losses;
  std::vector<std::string> validations;
  std::vector<std::size_t> budgets;
  std::size_t trials = 0;
};

struct Study {
  std::string name;
  std::uint64_t seed = 0;
  Axes axes;
  std::vector<Cohort> cohorts;
  // The settings that the grid varies over numbers and does not tune, in alphabetical order: axes
  // of figures and tables.
  std::vector<std::string> numeric_settings;
  // Cohorts that differ in numeric and tuned settings only, and those that differ in tuned ones
  // only. Where nothing is varied, both are the cohorts.
  std::vector<Family> families, contenders;
  ReportMetric metric;
  // The bound for the table `least`; nothing for a metric that is no share.
  std::optional<double> reach;
  std::vector<StudyRun> runs;                             // source by source, each in grid order
  std::map<std::string, std::filesystem::path> datasets;  // by language
  // Baselines by language, then split.
  std::map<std::string, std::map<std::string, Baselines>> baselines;
  std::vector<std::string> damaged_baselines;  // a line for each file: which, and what is wrong
  std::vector<std::string> damaged_manifests;  // likewise
  std::map<std::string, DatasetFacts> facts;   // by language
  std::map<std::string, std::optional<PinnedData>> data;  // that the runs of a language had
  // Classifications of the regular languages whose automata are small enough to classify quickly.
  std::map<std::string, std::shared_ptr<const classes::Classification>> classes;
  // The blocks of the main table: those that the grid declares, of the validation sets that it has,
  // or else one per validation set. At least one, each with a budget of the grid.
  std::vector<ReportColumn> columns;
  std::shared_ptr<const Published> published;  // null if the grid names none
  bool shows_published = true;
  std::string origin = {};  // in what runs differ that no sweep made; empty without any
  std::string note = {};    // on the choice of its runs, for every table; mostly empty

  // The split that tables show: "test" or, if the data has another preset's splits, the first whose
  // name begins with it.
  std::string test_split = "test";

  // The settings of a run, as runs/run_settings.h lists them; none before it has begun.
  std::vector<std::pair<std::string, std::string>> SettingsOf(const StudyRun& run) const;
  // Returns the baselines on the test split.
  const Baselines* FindBaselines(const std::string& language) const;
  std::size_t Count(RunState state) const;
  std::size_t LeftOut() const;

  // Why runs cannot be compared with published ones, as "max_epochs is 1, not 1000"; empty if they
  // can.
  std::string Incomparable(const std::string& language, const std::string& variant) const;
  // A value to be shown beside ours; null if there is none, or if the two cannot be compared.
  const PublishedValue* FindPublished(const std::string& column, const std::string& language,
                                      const std::string& variant, std::size_t budget) const;
  // Returns the number of published runs behind the values of a column; 0 if there are none.
  std::size_t PublishedRuns(const ReportColumn& column) const;
  // Returns the label of published values in tables: "paper".
  std::string PublishedLabel() const;

  // The budget of tables and figures that have room for one: the first column's.
  std::size_t MainBudget() const { return columns.front().budget; }
  // Likewise the validation set: the last column's.
  const std::string& MainValidation() const { return columns.back().validation; }
  // The best run of all losses, which "perfect" is asked of: the last column of maxima, or, if
  // there is none, the last with its maximum instead of its mean.
  ReportColumn BestColumn() const;
  // The ids of the families: transformer, RNN and LSTM first, others after them in grid order.
  std::vector<std::string> Variants() const;
  // Wherever tables take the id of a cohort, they also take that of a family or a contender, whose
  // cohorts these are. Of a cohort, it alone.
  std::vector<std::string> Members(const std::string& id) const;
  // Has a run of it a score, or may one still get it? A loss without recognition, as `st`, has no
  // accuracy.
  bool MayHaveScores(const std::string& id) const;
  // The id of the family of a cohort, which runs know too.
  const std::string& FamilyOf(const std::string& cohort) const;
  // Returns the settings by which a cohort differs from others of its family, as "layers=2,
  // learning_rate=0.001"; empty if it is the only one.
  std::string PlaceIn(const std::string& family, const std::string& cohort) const;
  // Returns the title of a cohort, in full or abbreviated (CohortTitle in titles.h).
  std::string Title(const std::string& variant) const;
  std::string ShortTitle(const std::string& variant) const;

  const Cohort& CohortOf(const std::string& id) const;

 private:
  const Family* FindFamily(const std::string& id) const;
};

// Returns "test" or, if no run has that split, the first one whose name begins with it.
std::string CommonTestSplit(const std::vector<const Source*>& sources);

// Several sources as one study (say, the main grid and one of model sizes). A run that more than
// one of them has, with the same settings, data and seed, counts once. Throws InputError if the
// sources contradict each other: runs of one language are of different data, one run has two
// results, or one language has two formats. Requires: at least one source.
// `metric` is what tables show of runs; empty: what the grids say, else the accuracy, or the first
// share or cross-entropy that runs have. One that no run has is refused, once any is finished.
Study CombineSources(std::vector<Source> sources, const std::string& metric = "");

// The same for directories of sweeps, and of runs that no sweep made, which are one source. Throws
// InputError, too, if one is neither.
Study ReadStudy(const std::vector<std::filesystem::path>& directories,
                const std::string& metric = "");

// A grid that is worked through trial by trial has more runs at some points than at others until a
// trial is whole. What is chosen among several runs then favours the points that have more of them,
// and what compares only equals has little left. Whole trials alone are equally many everywhere.

// Marks the runs that have ended, of trials that are not whole, as left out, and says so in the
// study's note. Before any trial is whole, nothing is left out. Requires: a study of one grid,
// since a trial of one says nothing about that of another.
void MarkPartialTrials(Study& study);
// Makes the study what it would be if no run that is left out had ended: they count as not begun.
// Which columns there are stays as it is.
void DropLeftOut(Study& study);

}  // namespace flare::report

#endif  // FLARE_REPORT_STUDY_H_
