// Statements of theory about a language and an architecture. Each is about an idealization, and
// names its assumptions, the theorem and where it is proved.
//
// A theorem counts only for the read-out that it assumes: what a model that reads after the string
// cannot do, one that reads its last symbol may do, since it sees that symbol. A theorem whose
// class is closed under both holds for either (docs/reference/classes.md says why).

#ifndef FLARE_THEORY_PREDICTIONS_H_
#define FLARE_THEORY_PREDICTIONS_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/classes/classification.h"

namespace flare::theory {

using classes::Classification;
using classes::ReadOut;

enum class Verdict {
  kRecognized,      // some network of the model recognizes the language
  kExcluded,        // none does
  kExcludedUnless,  // none does unless TC⁰ = NC¹
  kNoVerdict,       // the theorem does not decide it
  kUnknown,         // the class was not decided
  kOtherReadOut,    // the theorem is about models that read elsewhere
  kNoTheorem,       // for this architecture there is none that we know of
};

// "recognized", "excluded", "excluded_unless_tc0_is_nc1", "no_verdict", "unknown", "other_readout",
// "no_theorem".
std::string_view VerdictName(Verdict verdict);

// The relation between the model and the class that a theorem names.
enum class Direction {
  kExact,  // recognizes exactly the languages of the class
  kUpper,  // recognizes only languages of the class
  kLower,  // recognizes every language of the class
};

struct Prediction {
  std::string architecture = {};  // as `flare train` calls it
  // The options of ours that the model idealizes; the statement is about no others. If none, about
  // all.
  std::vector<std::pair<std::string, std::string>> options = {};
  std::string model = {};
  // The assumptions of the theorem. Without a read-out, it holds for either.
  std::optional<ReadOut> read_out = {};
  std::string masking = {}, positions = {}, precision = {}, depth = {};
  Direction direction = Direction::kExact;
  Verdict verdict = Verdict::kNoTheorem;
  std::string theorem = {};
  // What recognizes the languages of the class; nothing for an upper bound.
  std::string construction = {};
  std::string source = {};
  // The part of the statement that we could not read in the source itself.
  std::string unverified = {};
};

// Where a network with this setting `readout` and these options of its architecture reads. One that
// reads padding looks at a vector behind the string, whatever `readout` says. Requires: the setting
// is "last" or "eos".
ReadOut ReadOutOf(std::string_view setting, const std::map<std::string, std::string>& options = {});

// All statements, those of one architecture side by side; then a statement without a theorem for
// each of `architectures` that has none. `read_out` says where the networks in question read: at
// their last symbol, unless they were trained with readout = "eos". A theorem that assumes the
// other read-out has the verdict kOtherReadOut.
std::vector<Prediction> Predict(const Classification& classification,
                                std::span<const std::string> architectures,
                                ReadOut read_out = ReadOut::kLast);

// Is the statement about a network of this architecture with these options? Those that it names
// must be there, with these values.
bool AppliesTo(const Prediction& prediction, std::string_view architecture,
               const std::map<std::string, std::string>& options);

// The strongest verdict about such a network: kExcluded, kExcludedUnless, kRecognized, kUnknown,
// kNoVerdict, or, if no theorem applies to it, kNoTheorem.
Verdict StrongestVerdict(std::span<const Prediction> predictions, std::string_view architecture,
                         const std::map<std::string, std::string>& options);

// Returns how the networks that are trained here differ from the models of the predictions.
std::string_view Idealization();

// The predictions for people, each on a few lines, and what separates them from our networks.
std::string PredictionsText(std::span<const Prediction> predictions);
// Formats a line per prediction: the variant, the verdict, the direction and the precision.
std::string VerdictsText(std::span<const Prediction> predictions);

// [{"architecture": "transformer", "verdict": "excluded", …}, …]
Json PredictionsToJson(std::span<const Prediction> predictions);

}  // namespace flare::theory

#endif  // FLARE_THEORY_PREDICTIONS_H_
