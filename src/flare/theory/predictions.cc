#include "flare/theory/predictions.h"

#include <fmt/format.h>

#include <algorithm>

namespace flare::algebra {
namespace {

// The theorem says that the model recognizes exactly the languages with the property.
Verdict Exactly(const Property& property) {
  if (!property.holds) return Verdict::kUnknown;
  return *property.holds ? Verdict::kRecognized : Verdict::kExcluded;
}

// The theorem says that the model recognizes only languages with the property.
Verdict Only(const Property& property) {
  if (!property.holds) return Verdict::kUnknown;
  return *property.holds ? Verdict::kNoVerdict : Verdict::kExcluded;
}

Verdict OnlyInTC0(CircuitClass circuit_class) {
  switch (circuit_class) {
    case CircuitClass::kNC1Complete:
      return Verdict::kExcludedUnless;
    case CircuitClass::kUnknown:
      return Verdict::kUnknown;
    case CircuitClass::kAC0:
    case CircuitClass::kACC0:
      break;
  }
  return Verdict::kNoVerdict;
}

// Is there a single symbol that takes states in a circle? The witness against star-freeness is a
// shortest word that does.
Verdict NoCircleOfASymbol(const Property& star_free) {
  if (!star_free.holds) return Verdict::kUnknown;
  if (*star_free.holds) return Verdict::kNoVerdict;
  for (const auto& [name, word] : star_free.witness->words) {
    if (name == 'u' && word.size() == 1) return Verdict::kExcluded;
  }
  return Verdict::kNoVerdict;
}

std::vector<Prediction> Statements(const Classification& c) {
  const Property& star_free = c.At("star_free");
  const std::string saturated_source =
      "Merrill, Sequential neural networks as automata, 2019; Merrill, Weiss, Goldberg, Schwartz, "
      "Smith, Yahav, A formal hierarchy of RNN architectures, ACL 2020";
  return {
      {"rnn",
       {},
       "simple RNN with saturated activations",
       Verdict::kRecognized,
       "recognizes exactly the regular languages",
       saturated_source},
      {"lstm",
       {},
       "LSTM with saturated gates",
       Verdict::kRecognized,
       "recognizes every regular language, and others by counting",
       saturated_source},
      {"gru",
       {},
       "GRU with saturated gates",
       Verdict::kRecognized,
       "recognizes exactly the regular languages",
       saturated_source},
      {"transformer",
       {{"positions", "none"}},
       "unique hard attention, strict future masking, no positions",
       Exactly(star_free),
       "recognizes exactly the star-free languages",
       "Yang, Chiang, Angluin, Masked hard-attention transformers recognize exactly the star-free "
       "languages, NeurIPS 2024"},
      {"transformer",
       {{"positions", "none"}},
       "soft attention in fixed precision, strict future masking, no positions",
       Exactly(c.At("r_trivial")),
       "recognizes exactly the languages with an R-trivial monoid (temporal logic with past only); "
       "so does leftmost hard attention",
       "Li, Cotterell, Characterizing the expressivity of fixed-precision transformer language "
       "models, NeurIPS 2025; Jerad, Svete, Li, Cotterell, Unique hard attention: a tale of two "
       "sides, ACL 2025"},
      {"transformer",
       {{"positions", "sinusoidal"}},
       "unique hard attention, strict future masking, sinusoidal positions with rational "
       "frequencies",
       Exactly(c.At("ac0")),
       "recognizes exactly the regular languages in AC⁰",
       "Yang, Chiang, Angluin, NeurIPS 2024"},
      {"transformer",
       {},
       "unique hard attention, any positions",
       Only(c.At("ac0")),
       "recognizes only languages in AC⁰",
       "Hao, Angluin, Frank, Formal language recognition by hard attention transformers, TACL "
       "2022"},
      {"transformer",
       {},
       "soft attention in precision logarithmic in the length, any positions that "
       "such precision computes",
       OnlyInTC0(c.circuit_class),
       "recognizes only languages in uniform TC⁰",
       "Merrill, Sabharwal, The parallelism tradeoff: limitations of log-precision transformers, "
       "TACL 2023"},
      {"mamba",
       {{"eigenvalues", "positive"}},
       "state-space model with non-negative gates in finite precision",
       Exactly(star_free),
       "recognizes, of the regular languages, exactly the star-free ones",
       "Sarrof, Veitsman, Hahn, The expressive capacity of state space models, NeurIPS 2024"},
      {"mamba",
       {},
       "S4 or Mamba in precision logarithmic in the length",
       OnlyInTC0(c.circuit_class),
       "recognizes only languages in TC⁰",
       "Merrill, Petty, Sabharwal, The illusion of state in state-space models, ICML 2024"},
      {"deltanet",
       {{"eigenvalues", "positive"}},
       "linear recurrence in finite precision whose matrices have non-negative real eigenvalues",
       NoCircleOfASymbol(star_free),
       "its memory of one repeated symbol settles, so that it cannot follow its period (stated for "
       "parity)",
       "Grazzi, Siems, Zela, Franke, Hutter, Pontil, Unlocking state-tracking in linear RNNs "
       "through "
       "negative eigenvalues, ICLR 2025"},
      {"deltanet",
       {{"eigenvalues", "signed"}},
       "linear recurrence in finite precision with as many layers and Householder factors per "
       "symbol as the language needs",
       Verdict::kRecognized,
       "recognizes every regular language",
       "Grazzi, Siems, Zela, Franke, Hutter, Pontil, ICLR 2025"},
  };
}

std::string VerdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRecognized:
      return "can recognize it";
    case Verdict::kExcluded:
      return "cannot recognize it";
    case Verdict::kExcludedUnless:
      return "cannot recognize it unless TC⁰ = NC¹";
    case Verdict::kNoVerdict:
      return "not excluded by this theorem";
    case Verdict::kUnknown:
      return "unknown, as the class is";
    case Verdict::kNoTheorem:
      break;
  }
  return "no theorem that we know of";
}

std::string PredictionText(const Prediction& prediction) {
  std::string name = prediction.architecture;
  for (const auto& [option, value] : prediction.options)
    name += fmt::format(",{}={}", option, value);
  std::string text = fmt::format("{:<36}{}\n", name, VerdictText(prediction.verdict));
  if (prediction.verdict == Verdict::kNoTheorem) return text;
  return text + fmt::format("    model    {}\n    theorem  {}\n    source   {}\n", prediction.model,
                            prediction.theorem, prediction.source);
}

Json PredictionJson(const Prediction& prediction) {
  Json options = Json::object();
  for (const auto& [name, value] : prediction.options) options[name] = value;
  return {{"architecture", prediction.architecture},
          {"options", options},
          {"model", prediction.model},
          {"verdict", VerdictName(prediction.verdict)},
          {"theorem", prediction.theorem},
          {"source", prediction.source}};
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRecognized:
      return "recognized";
    case Verdict::kExcluded:
      return "excluded";
    case Verdict::kExcludedUnless:
      return "excluded_unless_tc0_is_nc1";
    case Verdict::kNoVerdict:
      return "no_verdict";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kNoTheorem:
      break;
  }
  return "no_theorem";
}

std::vector<Prediction> Predict(const Classification& classification,
                                std::span<const std::string> architectures) {
  std::vector<Prediction> predictions = Statements(classification);
  const std::size_t stated = predictions.size();
  for (const std::string& name : architectures) {
    const auto end = predictions.begin() + static_cast<std::ptrdiff_t>(stated);
    if (std::any_of(predictions.begin(), end,
                    [&](const Prediction& p) { return p.architecture == name; })) {
      continue;
    }
    predictions.push_back({name, {}, "", Verdict::kNoTheorem, "", ""});
  }
  return predictions;
}

bool AppliesTo(const Prediction& prediction, std::string_view architecture,
               const std::map<std::string, std::string>& options) {
  if (prediction.architecture != architecture) return false;
  return std::all_of(prediction.options.begin(), prediction.options.end(), [&](const auto& wanted) {
    const auto found = options.find(wanted.first);
    return found != options.end() && found->second == wanted.second;
  });
}

std::string_view Idealization() {
  return "These are theorems about idealizations, at all lengths. The networks trained here "
         "compute "
         "in float32 with soft attention, with a causal mask and the positions that were chosen, "
         "at "
         "one size for all lengths, and are trained, not constructed: an excluded language may be "
         "approximated at the lengths that are tested, and one that is not excluded may not be "
         "learned. Nothing is said of C-RASP: no procedure is known that decides which regular "
         "languages it defines.";
}

std::string PredictionsText(std::span<const Prediction> predictions) {
  std::string text;
  for (const Prediction& prediction : predictions) text += PredictionText(prediction);
  return text + fmt::format("\n{}\n", Idealization());
}

Json PredictionsToJson(std::span<const Prediction> predictions) {
  Json json = Json::array();
  for (const Prediction& prediction : predictions) json.push_back(PredictionJson(prediction));
  return json;
}

}  // namespace flare::algebra
