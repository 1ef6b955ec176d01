#include "flare/report/paper_runs.h"

#include <algorithm>
#include <iterator>

#include "flare/report/paper.h"
#include "flare/report/statistics.h"

namespace flare::report {
namespace {

std::size_t CountScored(const Study& study, const std::string& cohort) {
  return static_cast<std::size_t>(std::count_if(
      study.runs.begin(), study.runs.end(),
      [&](const Run& run) { return run.cohort == cohort && run.TestAccuracy().has_value(); }));
}

}  // namespace

PaperRuns::PaperRuns(const Selection& selection) : selection_(selection) {
  const Study& study = selection.study();
  std::copy_if(study.axes.losses.begin(), study.axes.losses.end(), std::back_inserter(losses_),
               PaperHasLoss);
  if (study.MainBudget() != kPaperBudget) return;
  for (const char* architecture : kPaperArchitectures) {
    // Where an architecture has several cohorts, of different arithmetic, say: the largest.
    std::size_t most = 0;
    for (const Cohort& cohort : study.cohorts) {
      if (cohort.variant != architecture || !cohort.not_papers.empty()) continue;
      const std::size_t scored = CountScored(study, cohort.id);
      if (scored <= most) continue;
      most = scored;
      cohorts_[architecture] = cohort.id;
    }
  }
  for (const std::string& language : study.axes.languages) {
    const bool comparable = std::any_of(cohorts_.begin(), cohorts_.end(), [&](const auto& named) {
      return PaperInductiveBias(language, named.first) &&
             study.PaperGap(language, named.second).empty();
    });
    if (comparable) languages_.push_back(language);
  }
}

const std::string* PaperRuns::CohortOf(const std::string& language,
                                       const std::string& architecture) const {
  const auto found = cohorts_.find(architecture);
  const bool known = std::find(languages_.begin(), languages_.end(), language) != languages_.end();
  return known && found != cohorts_.end() ? &found->second : nullptr;
}

std::optional<BestScore> PaperRuns::InductiveBias(const std::string& language,
                                                  const std::string& architecture) const {
  const std::string* cohort = CohortOf(language, architecture);
  return cohort != nullptr ? selection_.InductiveBias(language, *cohort) : std::nullopt;
}

std::optional<BestScore> PaperRuns::Expressivity(const std::string& language,
                                                 const std::string& architecture) const {
  const std::string* cohort = CohortOf(language, architecture);
  return cohort != nullptr ? selection_.Expressivity(language, *cohort) : std::nullopt;
}

std::optional<double> PaperRuns::WithPapersLoss(const std::string& language,
                                                const std::string& architecture) const {
  const std::string loss = PaperBestLoss("inductive_bias", language, architecture);
  const std::vector<double> accuracies = Accuracies(language, architecture, loss, "short");
  return accuracies.empty() ? std::nullopt : std::optional(Mean(accuracies));
}

bool PaperRuns::HaveEqualRuns(const std::string& language,
                              const std::vector<std::string>& architectures,
                              const std::string& validation) const {
  for (const std::string& architecture : architectures) {
    bool has_score = false;
    for (const std::string& loss : losses_) {
      if (Made(language, architecture, loss, validation) !=
          Made(language, architectures.front(), loss, validation)) {
        return false;
      }
      has_score |= !Runs(language, architecture, loss, validation).empty();
    }
    if (!has_score) return false;
  }
  return true;
}

const RunGroup* PaperRuns::GroupOf(const std::string& language, const std::string& architecture,
                                   const std::string& loss, const std::string& validation) const {
  const std::string* cohort = CohortOf(language, architecture);
  if (cohort == nullptr) return nullptr;
  return selection_.Find(language, *cohort, loss, validation, kPaperBudget);
}

std::size_t PaperRuns::Made(const std::string& language, const std::string& architecture,
                            const std::string& loss, const std::string& validation) const {
  const RunGroup* group = GroupOf(language, architecture, loss, validation);
  return group == nullptr ? 0 : group->Made();
}

std::vector<const Run*> PaperRuns::Runs(const std::string& language,
                                        const std::string& architecture, const std::string& loss,
                                        const std::string& validation) const {
  std::vector<const Run*> runs;
  const RunGroup* group = GroupOf(language, architecture, loss, validation);
  if (group == nullptr) return runs;
  for (const Run* run : group->runs) {
    if (run->TestAccuracy()) runs.push_back(run);
  }
  return runs;
}

std::vector<double> PaperRuns::Accuracies(const std::string& language,
                                          const std::string& architecture, const std::string& loss,
                                          const std::string& validation) const {
  std::vector<double> accuracies;
  for (const Run* run : Runs(language, architecture, loss, validation)) {
    accuracies.push_back(*run->TestAccuracy());
  }
  return accuracies;
}

std::optional<double> PaperRuns::FormatOnly(const std::string& language) const {
  const Baselines* baselines = selection_.study().FindBaselines(language);
  return baselines != nullptr ? baselines->format_only : std::nullopt;
}

}  // namespace flare::report
