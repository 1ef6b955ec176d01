#include "flare/report/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "flare/report/statistics.h"

namespace flare::report {
namespace {

std::string Key(const std::string& language, const std::string& variant, const std::string& loss,
                const std::string& validation, std::size_t budget) {
  return fmt::format("{}/{}/{}/{}/{}", language, variant, loss, validation, budget);
}

// The validation cross-entropy, or the loss of a run that does not recognize.
double ValidationCrossEntropy(const StudyRun& run) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!run.result || !run.result->best) return kInfinity;
  const RunResult::Best& best = *run.result->best;
  return best.cross_entropy ? *best.cross_entropy : best.Find(kObjective).value_or(kInfinity);
}

}  // namespace

std::vector<double> RunGroup::TestAccuracies() const {
  std::vector<double> accuracies;
  for (const StudyRun* run : runs) {
    if (const auto accuracy = run->TestAccuracy()) accuracies.push_back(*accuracy);
  }
  return accuracies;
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
  scored += group.TestAccuracies().size();
  made += group.Made();
  expected += group.runs.size();
  diverged += group.Diverged();
}

Selection::Selection(const Study& study) : study_(study) {
  for (const StudyRun& run : study.runs) {
    const flare::Coordinates& at = run.at;
    const std::string key = Key(at.language, run.cohort, at.loss, at.validation, at.budget);
    const auto [place, is_new] = index_.try_emplace(key, groups_.size());
    if (is_new) {
      groups_.push_back({at.language, run.cohort, at.loss, at.validation, at.budget, {}});
    }
    groups_[place->second].runs.push_back(&run);
  }
}

const RunGroup* Selection::Find(const std::string& language, const std::string& variant,
                                const std::string& loss, const std::string& validation,
                                std::size_t budget) const {
  const auto found = index_.find(Key(language, variant, loss, validation, budget));
  return found == index_.end() ? nullptr : &groups_[found->second];
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
  std::optional<BestScore> best;
  const std::vector<const RunGroup*> groups =
      GroupsOf(language, variant, column.validation, column.budget);
  for (const RunGroup* group : groups) {
    const std::vector<double> accuracies = group->TestAccuracies();
    if (accuracies.empty()) continue;
    const double value =
        is_max ? *std::max_element(accuracies.begin(), accuracies.end()) : Mean(accuracies);
    if (best && value == best->value) best->losses.push_back(group->loss);
    if (best && value <= best->value) continue;
    best = BestScore{value, is_max ? 0 : StandardDeviation(accuracies), {group->loss}, {}};
    best->coverage.Add(*group);
  }
  if (!best) return best;
  if (is_max) {
    best->coverage = CoverageOf(column, language, variant);
    return best;
  }
  best->coverage.others_lack =
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
  // By what runs are ordered, the least first; ties are left to the order of the grid.
  const auto rank = [&](const StudyRun& run) {
    return std::pair(choice == Choice::kByTest ? -*run.TestAccuracy() : 0,
                     ValidationCrossEntropy(run));
  };
  const StudyRun* best = nullptr;
  for (const RunGroup* group : GroupsOf(language, variant, validation, study_.MainBudget())) {
    if (!loss.empty() && group->loss != loss) continue;
    for (const StudyRun* run : group->runs) {
      if (!run->TestAccuracy()) continue;
      if (best == nullptr || rank(*run) < rank(*best)) best = run;
    }
  }
  return best;
}

}  // namespace flare::report
