// Where the languages of a study stand among the regular ones, and what theory says about a column.

#ifndef FLARE_REPORT_LANGUAGE_CLASSES_H_
#define FLARE_REPORT_LANGUAGE_CLASSES_H_

#include <optional>
#include <string>
#include <vector>

#include "flare/classes/classification.h"
#include "flare/languages/named_language.h"
#include "flare/report/study.h"
#include "flare/theory/predictions.h"

namespace flare::report {

// Of a regular language whose automaton is small enough for a report to wait for it.
std::optional<algebra::Classification> ClassesOf(const std::optional<NamedLanguage>& language);

// Does theory exclude that a variant, or rather an idealization of it, recognizes a language?
enum class Exclusion { kNone, kNoTheorem, kUnlessTc0IsNc1, kExcluded };
Exclusion ExclusionOf(const algebra::Classification& classification, const Cohort& cohort);

// Languages of one of the classes at which theorems on architectures cut, from the smallest:
// "R-trivial", "star-free, not R-trivial", ..., "not regular".
struct ClassifiedLanguage {
  std::string name;
  std::string group;
  std::optional<algebra::Classification> classification = {};
};

// The languages of the study, those of a group side by side, else in grid order.
std::vector<ClassifiedLanguage> LanguagesByClass(const Study& study);

}  // namespace flare::report

#endif  // FLARE_REPORT_LANGUAGE_CLASSES_H_
