// What theory says about a language and an architecture. Every statement is about an idealization,
// and names it, the theorem and where it is proved.

#ifndef FLARE_THEORY_PREDICTIONS_H_
#define FLARE_THEORY_PREDICTIONS_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/classes/classification.h"

namespace flare::algebra {

enum class Verdict {
  kRecognized,      // some network of the model recognizes the language
  kExcluded,        // none does
  kExcludedUnless,  // none does unless TC⁰ = NC¹
  kNoVerdict,       // the theorem does not decide it
  kUnknown,         // the class was not decided
  kNoTheorem,       // for this architecture there is none that we know of
};

// "recognized", "excluded", "excluded_unless_tc0_is_nc1", "no_verdict", "unknown", "no_theorem".
std::string_view VerdictName(Verdict verdict);

struct Prediction {
  std::string architecture;  // as `flare train` calls it
  // The options of ours that the model idealizes; the statement is about no others. If none, about
  // all.
  std::vector<std::pair<std::string, std::string>> options;
  std::string model;
  Verdict verdict;
  std::string theorem;
  std::string source;
};

// All statements, those of one architecture side by side; then one for each of `architectures` of
// which there is none.
std::vector<Prediction> Predict(const Classification& classification,
                                std::span<const std::string> architectures);

// Is the statement about a network of this architecture with these options? Those that it names
// must be there, with these values.
bool AppliesTo(const Prediction& prediction, std::string_view architecture,
               const std::map<std::string, std::string>& options);

// What separates the networks that are trained here from the models of the predictions.
std::string_view Idealization();

// The predictions for people, each on a few lines, and what separates them from our networks.
std::string PredictionsText(std::span<const Prediction> predictions);

// [{"architecture": "transformer", "verdict": "excluded", …}, …]
Json PredictionsToJson(std::span<const Prediction> predictions);

}  // namespace flare::algebra

#endif  // FLARE_THEORY_PREDICTIONS_H_
