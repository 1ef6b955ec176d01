#include "flare/report/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "flare/report/statistics.h"

namespace flare::report {
namespace {

std::string Key(const std::string& language, const std::string& variant, const std::string& loss,
                const std::string& validation, std::size_t budget) {
  std::string key = language;
  for (const std::string* part : {&variant, &loss, &validation}) {
    key += '/';
    key += *part;
  }
  return key + '/' + std::to_string(budget);
}

// The validation cross-entropy, or the loss of a run that does not recognize.
double ValidationCrossEntropy(const StudyRun& run) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!run.result || !run.result->best) return kInfinity;
  const RunResult::Best& best = *run.result->best;
  return best.cross_entropy ? *best.cross_entropy : best.Find(kObjective).value_or(kInfinity);
}

}  // namespace

std::vector<double> RunGroup::Scores() const {
  std::vector<double> scores;
  for (const StudyRun* run : runs) {
    if (run->score) scores.push_back(*run->score);
  }
  return scores;
}

std::optional<double> RunGroup::Validation() const {
  std::vector<double> values;
  for (const StudyRun* run : runs) {
    if (run->result) values.push_back(ValidationCrossEntropy(*run));
  }
  return values.empty() ? std::nullopt : std::optional(Mean(values));
}

std::size_t RunGroup::Made() const {
  return static_cast<std::size_t>(std::count_if(
      runs.begin(), runs.end(), [](const StudyRun* run) { return run->result.has_value(); }));
}

std::size_t RunGroup::Diverged() const {
  return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [](const StudyRun* run) {
    return run->state == RunState::kDiverged;
  }));
}

const StudyRun* RunGroup::BestByValidation() const {
  const StudyRun* best = nullptr;
  for (const StudyRun* run : runs) {
    if (!run->result || !run->result->best) continue;
    if (best == nullptr || ValidationCrossEntropy(*run) < ValidationCrossEntropy(*best)) best = run;
  }
  return best;
}

void Coverage::Add(const RunGroup& group) {
  scored += group.Scores().size();
  made += group.Made();
  expected += group.runs.size();
  diverged += group.Diverged();
  others_lack |= group.others_lack;
}

namespace {

// The first of those with the least mean on validation; before there is any, the first.
RunGroup ChosenOf(const std::vector<const RunGroup*>& candidates) {
  const RunGroup* best = candidates[0];
  std::optional<double> least;
  std::size_t tried = 0, lacking = 0;
  for (const RunGroup* group : candidates) {
    const auto value = group->Validation();
    lacking += group->Made() < group->runs.size() ? 1 : 0;
    if (!value) continue;
    ++tried;
    if (least && *value >= *least) continue;
    best = group;
    least = value;
  }
  RunGroup chosen = *best;
  chosen.chosen = best->variant;
  chosen.tried = tried;
  chosen.others_lack = lacking > (best->Made() < best->runs.size() ? 1u : 0u);
  return chosen;
}

}  // namespace

Selection::Selection(const Study& study) : study_(study) {
  for (const std::string& language : study.axes.languages) of_languages_[language];
  for (const StudyRun& run : study.runs) {
    of_languages_[run.at.language].push_back(&run);
    const flare::Coordinates& at = run.at;
    const std::string key = Key(at.language, run.cohort, at.loss, at.validation, at.budget);
    const auto [place, is_new] = index_.try_emplace(key, groups_.size());
    if (is_new) {
      groups_.push_back({at.language, run.cohort, at.loss, at.validation, at.budget, {}});
    }
    groups_[place->second].runs.push_back(&run);
  }
  ChooseForFamilies();
}

void Selection::ChooseForFamilies() {
  for (const auto* families : {&study_.families, &study_.contenders}) {
    for (const Family& family : *families) {
      if (family.cohorts.size() < 2) continue;
      // The groups of its cohorts at each point, in the order of the cohorts.
      std::map<std::tuple<std::string, std::string, std::string, std::size_t>,
               std::vector<const RunGroup*>>
          points;
      for (const std::string& cohort : family.cohorts) {
        for (const RunGroup& group : groups_) {
          if (group.variant != cohort) continue;
          points[{group.language, group.loss, group.validation, group.budget}].push_back(&group);
        }
      }
      for (const auto& [point, candidates] : points) {
        const auto& [language, loss, validation, budget] = point;
        const std::string key = Key(language, family.id(), loss, validation, budget);
        if (!index_.try_emplace(key, groups_.size() + chosen_.size()).second) continue;
        chosen_.push_back(ChosenOf(candidates));
        chosen_.back().variant = family.id();
      }
    }
  }
}

const RunGroup* Selection::Find(const std::string& language, const std::string& variant,
                                const std::string& loss, const std::string& validation,
                                std::size_t budget) const {
  const auto found = index_.find(Key(language, variant, loss, validation, budget));
  if (found == index_.end()) return nullptr;
  const std::size_t place = found->second;
  return place < groups_.size() ? &groups_[place] : &chosen_[place - groups_.size()];
}

std::vector<const RunGroup*> Selection::GroupsOf(const std::string& language,
                                                 const std::string& variant,
                                                 const std::string& validation,
                                                 std::size_t budget) const {
  std::vector<const RunGroup*> groups;
  for (const std::string& loss : study_.axes.losses) {
    const RunGroup* group = Find(language, variant, loss, validation, budget);
    if (group != nullptr) groups.push_back(group);
  }
  return groups;
}

std::optional<BestScore> Selection::Score(const ReportColumn& column, const std::string& language,
                                          const std::string& variant) const {
  const bool is_max = column.value == ReportColumn::Value::kMax;
  const ReportMetric& metric = study_.metric;
  std::optional<BestScore> best;
  const std::vector<const RunGroup*> groups =
      GroupsOf(language, variant, column.validation, column.budget);
  for (const RunGroup* group : groups) {
    const std::vector<double> scores = group->Scores();
    if (scores.empty()) continue;
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    const double value = !is_max ? Mean(scores) : metric.higher_is_better ? *most : *least;
    if (best && value == best->value) best->losses.push_back(group->loss);
    if (best && !metric.IsBetter(value, best->value)) continue;
    best = BestScore{.value = value,
                     .std = is_max ? 0 : StandardDeviation(scores),
                     .losses = {group->loss},
                     .coverage = {},
                     .chosen = group->chosen,
                     .tried = group->tried};
    best->coverage.Add(*group);
  }
  if (!best) return best;
  if (is_max) {
    best->coverage = CoverageOf(column, language, variant);
    return best;
  }
  best->coverage.others_lack |=
      std::any_of(groups.begin(), groups.end(), [&](const RunGroup* group) {
        return group->loss != best->losses[0] && group->Made() < group->runs.size();
      });
  return best;
}

Coverage Selection::CoverageOf(const ReportColumn& column, const std::string& language,
                               const std::string& variant) const {
  Coverage coverage;
  for (const RunGroup* group : GroupsOf(language, variant, column.validation, column.budget)) {
    coverage.Add(*group);
  }
  return coverage;
}

const StudyRun* Selection::ForFigures(const std::string& language, const std::string& variant,
                                      Choice choice, const std::string& loss,
                                      std::string validation) const {
  if (validation.empty()) validation = study_.MainValidation();
  // Runs are ordered by this key, the least first; ties keep the order of the grid.
  const double sign = study_.metric.higher_is_better ? -1 : 1;
  const auto rank = [&](const StudyRun& run) {
    return std::pair(choice == Choice::kByTest ? sign * *run.score : 0,
                     ValidationCrossEntropy(run));
  };
  const StudyRun* best = nullptr;
  for (const std::string& cohort : study_.Members(variant)) {
    for (const RunGroup* group : GroupsOf(language, cohort, validation, study_.MainBudget())) {
      if (!loss.empty() && group->loss != loss) continue;
      for (const StudyRun* run : group->runs) {
        if (!run->score) continue;
        if (best == nullptr || rank(*run) < rank(*best)) best = run;
      }
    }
  }
  return best;
}

}  // namespace flare::report
