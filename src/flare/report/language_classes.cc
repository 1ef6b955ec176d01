#include "flare/report/language_classes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "flare/report/language_info.h"
#include "flare/runs/variant.h"

namespace flare::report {
namespace {

// From the smallest.
enum Group : std::size_t {
  kRTrivial,
  kStarFree,
  kAc0,
  kAcc0,
  kNc1,
  kUnknownClass,
  kNotRegular,
  kUnknownLanguage,
};
constexpr std::array<const char*, 8> kGroupTitles = {
    "R-trivial",    "star-free, not R-trivial", "in AC⁰, not star-free", "in ACC⁰, not in AC⁰",
    "NC¹-complete", "regular, class unknown",   "not regular",           "unknown"};

Group GroupOf(const algebra::Classification& c) {
  if (c.At("r_trivial").holds == true) return kRTrivial;
  if (c.At("star_free").holds == true) return kStarFree;
  switch (c.circuit_class) {
    case algebra::CircuitClass::kAC0:
      return kAc0;
    case algebra::CircuitClass::kACC0:
      return kAcc0;
    case algebra::CircuitClass::kNC1Complete:
      return kNc1;
    case algebra::CircuitClass::kUnknown:
      break;
  }
  return kUnknownClass;
}

Group GroupOf(const std::optional<NamedLanguage>& language,
              const std::optional<algebra::Classification>& classification) {
  if (classification) return GroupOf(*classification);
  if (!language) return kUnknownLanguage;
  return language->language->dfa() != nullptr ? kUnknownClass : kNotRegular;
}

}  // namespace

std::optional<algebra::Classification> ClassesOf(const std::optional<NamedLanguage>& language) {
  constexpr std::size_t kMostTransitions = 20'000, kMostElements = 20'000;
  const Dfa* dfa = language ? language->language->dfa() : nullptr;
  if (dfa == nullptr || dfa->num_states() * dfa->alphabet().size() > kMostTransitions) {
    return std::nullopt;
  }
  return algebra::Classify(*dfa, {.max_elements = kMostElements});
}

Exclusion ExclusionOf(const algebra::Classification& classification, const Cohort& cohort) {
  const auto predictions = theory::Predict(classification, {});
  switch (theory::StrongestVerdict(predictions, ArchitectureOf(cohort.variant), cohort.options)) {
    case theory::Verdict::kExcluded:
      return Exclusion::kExcluded;
    case theory::Verdict::kExcludedUnless:
      return Exclusion::kUnlessTc0IsNc1;
    case theory::Verdict::kNoTheorem:
      return Exclusion::kNoTheorem;
    default:
      return Exclusion::kNone;
  }
}

std::vector<ClassifiedLanguage> LanguagesByClass(const Study& study) {
  std::vector<std::pair<Group, ClassifiedLanguage>> placed;
  for (const std::string& name : study.axes.languages) {
    const auto language = FindLanguage(study, name);
    auto classification = ClassesOf(language);
    const Group group = GroupOf(language, classification);
    placed.push_back({group, {name, kGroupTitles[group], std::move(classification)}});
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ClassifiedLanguage> languages;
  for (auto& [group, language] : placed) languages.push_back(std::move(language));
  return languages;
}

}  // namespace flare::report
