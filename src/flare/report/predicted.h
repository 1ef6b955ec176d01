// The classes of a study's languages, and what theory says about the architectures of its columns.

#ifndef FLARE_REPORT_PREDICTED_H_
#define FLARE_REPORT_PREDICTED_H_

#include <optional>
#include <string>
#include <vector>

#include "flare/classes/classification.h"
#include "flare/languages/language.h"
#include "flare/report/plot.h"
#include "flare/report/select.h"
#include "flare/report/study.h"
#include "flare/theory/predictions.h"

namespace flare::report {

// Does theory exclude that a variant, or rather an idealization of it, recognizes a language?
enum class Exclusion { kNone, kNoTheorem, kUnlessTc0IsNc1, kExcluded };

// The predictions of theory for a language, for networks that read at their last symbol and for
// those that read an end symbol.
class Theory {
 public:
  explicit Theory(const classes::Classification& classification);

  const std::vector<theory::Prediction>& At(theory::ReadOut read_out) const;
  // Returns the predictions for a cohort, by its options and its read-out.
  const std::vector<theory::Prediction>& Of(const Cohort& cohort) const;
  // Returns the exclusion of a cohort; of a family, the weakest, since any cohort may have learned
  // it.
  Exclusion ExclusionOf(const Study& study, const std::string& variant) const;

 private:
  std::vector<theory::Prediction> last_, eos_;
};

// Languages of one of the classes at which theorems on architectures cut, from the smallest:
// "R-trivial", "star-free, not R-trivial", ..., "not regular".
struct ClassifiedLanguage {
  std::string name;
  std::string group;
};

// The languages of the study, those of a group side by side, else in grid order.
std::vector<ClassifiedLanguage> LanguagesByClass(const Study& study);

// Predicted and observed: what theory excludes, and what the best run of a variant reached.

struct PredictedCell {
  std::string variant;  // the id of its cohort
  Exclusion exclusion = Exclusion::kNone;
  // Scores of the run with the highest test accuracy, of those with the last column's validation
  // set.
  std::optional<double> accuracy = {}, longest_perfect_length = {};
  Coverage coverage = {};
};

struct PredictedRow {
  std::string language;
  std::string group;  // as in ClassifiedLanguage
  std::vector<PredictedCell> cells;
};

std::vector<PredictedRow> PredictedBesideObserved(const Selection& selection);

// Predicted and observed as a picture: a row per language, grouped by class, a box per variant, the
// darker the higher its accuracy, with a cross where a theorem excludes it.
Canvas DrawPredicted(const Selection& selection);

}  // namespace flare::report

#endif  // FLARE_REPORT_PREDICTED_H_
