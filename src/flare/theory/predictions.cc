#include "flare/theory/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "flare/base/error.h"

namespace flare::theory {
namespace {

using classes::CircuitClass;
using classes::Property;

Verdict Judge(Direction direction, const std::optional<bool>& belongs) {
  if (!belongs) return Verdict::kUnknown;
  if (*belongs) return direction == Direction::kUpper ? Verdict::kNoVerdict : Verdict::kRecognized;
  return direction == Direction::kLower ? Verdict::kNoVerdict : Verdict::kExcluded;
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

bool IsPowerOfTwo(std::size_t n) { return (n & (n - 1)) == 0; }

constexpr const char* kAnyDepth = "any number of layers";
constexpr const char* kConstructionNotRead = "one that we have not read";
constexpr const char* kSeenInAbstract =
    "the theorem is quoted from the paper's abstract; we have not read its proof";

constexpr const char* kSeenInOverview =
    "the abstract and the overview of results say that masking and positions change the power, and "
    "how; the class we have not read there";
constexpr const char* kNotOpened =
    "the abstract names the models and not their classes; the paper could not be opened";

const std::string kSaturated =
    "Merrill, Sequential neural networks as automata, 2019; Merrill, Weiss, Goldberg, Schwartz, "
    "Smith, Yahav, A formal hierarchy of RNN architectures, ACL 2020";
const std::string kFinitePrecision =
    "Weiss, Goldberg, Yahav, On the practical computational power of finite precision RNNs for "
    "language recognition, ACL 2018";
const std::string kHard =
    "Yang, Chiang, Angluin, Masked hard-attention transformers recognize exactly the star-free "
    "languages, NeurIPS 2024";
const std::string kNonNegative =
    "Sarrof, Veitsman, Hahn, The expressive capacity of state space models, NeurIPS 2024";
const std::string kIllusion =
    "Merrill, Petty, Sabharwal, The illusion of state in state-space models, ICML 2024";
const std::string kNegative =
    "Grazzi, Siems, Zela, Franke, Hutter, Pontil, Unlocking state-tracking in linear RNNs through "
    "negative eigenvalues, ICLR 2025";

// A statement about a recurrence, which sees only the past and needs no positions.
void AddRecurrence(std::string architecture,
                   std::vector<std::pair<std::string, std::string>> options, Prediction p,
                   std::vector<Prediction>& all) {
  p.architecture = std::move(architecture);
  p.options = std::move(options);
  p.masking = "recurrent (only the past)";
  p.positions = "none";
  if (p.depth.empty()) p.depth = kAnyDepth;
  all.push_back(std::move(p));
}

// The nonlinear recurrent architectures, by precision.
void AddNonlinear(std::vector<Prediction>& all) {
  struct Cell {
    std::string architecture, name, saturates;
  };
  for (const auto& [architecture, name, saturates] :
       {Cell{"rnn", "simple RNN", "activations"}, Cell{"lstm", "LSTM", "gates"},
        Cell{"gru", "GRU", "gates"}}) {
    const bool counts = architecture == "lstm";
    AddRecurrence(architecture, {},
                  {.model = fmt::format("{} with saturated {}", name, saturates),
                   .precision = "saturated (values at the limit of large weights)",
                   .direction = counts ? Direction::kLower : Direction::kExact,
                   .verdict = Verdict::kRecognized,
                   .theorem = counts ? "recognizes every regular language, and others by counting"
                                     : "recognizes exactly the regular languages",
                   .construction = kConstructionNotRead,
                   .source = kSaturated,
                   .unverified = kNotOpened},
                  all);
    if (architecture == "gru") continue;
    AddRecurrence(
        architecture, {},
        {.model = fmt::format("{} in finite precision, in time linear in the length", name),
         .precision = "finite",
         .direction = counts ? Direction::kLower : Direction::kUpper,
         .verdict = Verdict::kNoVerdict,
         .theorem = counts ? "counts without bound, by additive cells: beyond regular languages"
                           : "cannot count without bound: recognizes only regular languages",
         .construction = counts ? "counters in the cells" : "",
         .source = kFinitePrecision,
         .unverified = kSeenInAbstract},
        all);
  }
  AddRecurrence("gru", {},
                {.model = "GRU in finite precision",
                 .precision = "finite",
                 .depth = "as many layers as the construction needs",
                 .direction = Direction::kExact,
                 .verdict = Verdict::kRecognized,
                 .theorem = "recognizes exactly the regular languages, by a construction",
                 .construction = kConstructionNotRead,
                 .source = "Korsky, Berwick, On the computational power of RNNs, 2019",
                 .unverified = "quoted from the abstract; the number of layers we have not read"},
                all);
}

void AddTransformers(const Classification& c, ReadOut read_out, std::vector<Prediction>& all) {
  const auto star_free = c.At("star_free").holds, ac0 = c.At("ac0").holds;
  const auto add = [&](Verdict verdict, Prediction p) {
    p.architecture = "transformer";
    p.depth = kAnyDepth;
    p.verdict = verdict;
    all.push_back(std::move(p));
  };
  const auto add_hard = [&](const std::optional<bool>& belongs, Prediction p) {
    p.precision = "any (attention picks one position)";
    add(Judge(p.direction, belongs), std::move(p));
  };
  // Statements about C-RASP hold at the read-out in question.
  const bool at_last = read_out == ReadOut::kLast;
  const auto add_counting = [&](Prediction p) {
    p.options = {{"positions", "none"}};
    p.masking = "future, strict or not";
    p.positions = "none";
    p.theorem = fmt::format(fmt::runtime(p.theorem),
                            at_last ? "read at the last symbol" : "read after the string");
    p.unverified += " position by position, so for both read-outs";
    add(Judge(p.direction, c.At(at_last ? "c_rasp_last" : "c_rasp").holds), std::move(p));
  };
  add_hard(star_free, {.options = {{"positions", "none"}, {"mask", "strict"}},
                       .model = "unique hard attention, strict future masking, no positions",
                       .masking = "strict future",
                       .positions = "none",
                       .direction = Direction::kExact,
                       .theorem = "recognizes exactly the star-free languages",
                       .construction = "a program of Boolean RASP, compiled",
                       .source = kHard});
  add_hard(star_free,
           {.options = {{"positions", "none"}, {"mask", "causal"}},
            .model = "unique hard attention, future masking that is not strict, no positions",
            .masking = "future, each position sees itself",
            .positions = "none",
            .direction = Direction::kUpper,
            .theorem = "recognizes only star-free languages, and not all of them: strict masking "
                       "adds power",
            .source = kHard,
            .unverified = kSeenInOverview});
  add(Judge(Direction::kExact, c.At("r_trivial").holds),
      {.options = {{"positions", "none"}, {"mask", "strict"}},
       .model = "soft attention in fixed precision, strict future masking, no positions",
       .read_out = ReadOut::kEos,
       .masking = "strict future",
       .positions = "none",
       .precision = "fixed",
       .direction = Direction::kExact,
       .theorem = "recognizes exactly the languages with an R-trivial monoid (temporal logic with "
                  "past only); so does leftmost hard attention",
       .construction = "a formula of that logic, operator by operator",
       .source = "Li, Cotterell, Characterizing the expressivity of fixed-precision transformer "
                 "language models, NeurIPS 2025; Jerad, Svete, Li, Cotterell, Unique hard "
                 "attention: a tale of two sides, ACL 2025",
       .unverified = "the read-out, which follows: read at its last symbol, the model would "
                     "recognize Σ*a, which is not R-trivial"});
  add_counting(
      {.model = "soft attention that rounds to fixed precision except inside attention, future "
                "masking, no positions",
       .precision = "fixed, except inside attention",
       .direction = Direction::kExact,
       .theorem = "recognizes exactly what C-RASP defines, {}",
       .construction = "the C-RASP program, a layer for each level of nested counts",
       .source = "Yang, Cadilhac, Chiang, Knee-deep in C-RASP: a transformer depth hierarchy, 2025",
       .unverified = "that the equivalence, quoted from the abstract, holds"});
  add_counting(
      {.model = "soft attention in unbounded precision, future masking, no positions",
       .precision = "unbounded",
       .direction = Direction::kLower,
       .theorem = "recognizes all that C-RASP defines, {}, by compiling its program",
       .construction = "the C-RASP program, compiled",
       .source = "Yang, Chiang, Counting like transformers: compiling temporal counting logic into "
                 "softmax transformers, 2024",
       .unverified = "that the compiler, quoted from the abstract, works"});
  add_hard(ac0, {.options = {{"positions", "sinusoidal"}, {"mask", "strict"}},
                 .model = "unique hard attention, strict future masking, sinusoidal positions with "
                          "rational frequencies",
                 .masking = "strict future",
                 .positions = "sinusoidal with rational frequencies (ours are not rational)",
                 .direction = Direction::kExact,
                 .theorem = "recognizes exactly the regular languages in AC⁰",
                 .construction = "a program of Boolean RASP with positions modulo numbers",
                 .source = kHard,
                 .unverified = kSeenInOverview});
  add_hard(ac0, {.model = "unique hard attention, any positions",
                 .masking = "any",
                 .positions = "any",
                 .direction = Direction::kUpper,
                 .theorem = "recognizes only languages in AC⁰",
                 .source = "Hao, Angluin, Frank, Formal language recognition by hard attention "
                           "transformers, TACL 2022",
                 .unverified = kSeenInAbstract});
  add(Judge(Direction::kUpper, ac0),
      {.model = "soft attention in constant precision, with or without symbols that pad the input",
       .masking = "any",
       .positions = "any that such precision computes",
       .precision = "constant",
       .direction = Direction::kUpper,
       .theorem = "recognizes only languages in AC⁰, and, padded polynomially, all of uniform AC⁰",
       .source = "Svete et al., Revisiting padded transformer expressivity: which architectural "
                 "choices matter and which don't, 2026",
       .unverified = "quoted from the abstract; which masks and positions it covers we have not "
                     "read"});
  add(OnlyInTC0(c.circuit_class),
      {.model = "soft attention in precision polynomial in the length, any positions that such "
                "precision computes",
       .masking = "any",
       .positions = "any that such precision computes",
       .precision = "polynomial in the length",
       .direction = Direction::kUpper,
       .theorem = "recognizes only languages in uniform TC⁰",
       .source = "Chiang, Transformers in uniform TC⁰, TMLR 2025; for precision logarithmic in the "
                 "length, Merrill, Sabharwal, The parallelism tradeoff: limitations of "
                 "log-precision transformers, TACL 2023",
       .unverified = kSeenInAbstract});
}

// Linear recurrences, by the algebra of their transitions.
void AddLinear(const Classification& c, std::vector<Prediction>& all) {
  const auto star_free = c.At("star_free").holds;
  const auto has_circle = [&](auto condition) {
    return std::any_of(c.symbol_circles.begin(), c.symbol_circles.end(), condition);
  };
  const bool no_circle = c.symbol_circles.empty();
  const auto add = [&](const char* architecture,
                       std::vector<std::pair<std::string, std::string>> options, Prediction p) {
    AddRecurrence(architecture, std::move(options), std::move(p), all);
  };
  const Prediction settles = {
      .model =
          "linear recurrence in finite precision whose matrices have only positive eigenvalues",
      .precision = "finite",
      .direction = Direction::kUpper,
      .verdict = Judge(Direction::kUpper, no_circle),
      .theorem =
          "its memory of one repeated symbol settles, so that it cannot follow its period "
          "(stated for parity)",
      .source = kNegative,
      .unverified = "the step from parity to other circles of one symbol is ours"};
  const Prediction doubles = {
      .model = "diagonal linear recurrence with real eigenvalues in finite precision",
      .precision = "finite",
      .direction = Direction::kUpper,
      .verdict = Judge(Direction::kUpper,
                       !has_circle([](std::size_t length) { return !IsPowerOfTwo(length); })),
      .theorem =
          "one repeated symbol takes it through a period that is a power of two; so it "
          "cannot count modulo 3 (the theorem), nor modulo another number that is not one",
      .source = kNegative,
      .unverified =
          "the abstract states it for 3 and triangular matrices; the step to others is "
          "ours"};
  const Prediction low_rank = {
      .model = "linear recurrence whose matrices are diagonal plus low rank",
      .precision = "logarithmic in the length",
      .direction = Direction::kUpper,
      .verdict = Verdict::kNoVerdict,
      .theorem =
          "recognizes only languages in PNC¹, which has all regular languages; some such "
          "recurrences are complete for it",
      .source =
          "Merrill, Jiang, Li, Lin, Sabharwal, Why are linear RNNs more parallelizable?, "
          "2026",
      .unverified = "quoted from the abstract; the precision we have not read"};

  const Prediction never_negative = {
      .model = "diagonal linear recurrence with non-negative gates in finite precision",
      .precision = "finite",
      .direction = Direction::kUpper,
      .verdict = Judge(Direction::kUpper, star_free),
      .theorem = "recognizes, of the regular languages, only star-free ones",
      .source = kNonNegative,
      .unverified =
          "Nowak, Cotterell, Boumasmoud 2026 cite it for modular counting by diagonal "
          "recurrences like Mamba; the theorem itself we have not read"};
  const Prediction shallow = {
      .model = "diagonal linear recurrence in precision logarithmic in the length",
      .precision = "logarithmic in the length",
      .direction = Direction::kUpper,
      .verdict = OnlyInTC0(c.circuit_class),
      .theorem = "recognizes only languages in TC⁰",
      .source = kIllusion,
      .unverified =
          "the abstract says it of S4, Mamba and related models; that this is one is ours"};

  add("mamba", {{"eigenvalues", "positive"}},
      {.model = "state-space model with non-negative gates in finite precision",
       .precision = "finite",
       .direction = Direction::kExact,
       .verdict = Judge(Direction::kExact, star_free),
       .theorem = "recognizes, of the regular languages, exactly the star-free ones",
       .construction = "a cascade of flip-flops (Krohn, Rhodes)",
       .source = kNonNegative,
       .unverified = "the abstract says it of star-free languages; that no others are recognized, "
                     "we have read in summaries, and for parity only; the construction, not at "
                     "all"});
  add("mamba", {},
      {.model = "diagonal state-space model with gates that depend on the input, in fixed-width "
                "arithmetic",
       .precision = "fixed width",
       .direction = Direction::kLower,
       .verdict = Judge(Direction::kLower, star_free),
       .theorem = "recognizes every star-free language, by compiling temporal logic of the past",
       .construction = "a formula of that logic, compiled",
       .source = "Alsmann, Noori, Lange, On the expressiveness of state space models via temporal "
                 "logics, 2026",
       .unverified = "the abstract says that the power depends on the gates; that such gates give "
                     "all of the temporal logic of the past, we have not read"});
  add("mamba", {{"eigenvalues", "positive"}},
      {.model = "diagonal state-space model with floating-point recurrences",
       .precision = "floating point",
       .direction = Direction::kUpper,
       .verdict = Judge(Direction::kUpper,
                        !has_circle([](std::size_t length) { return length % 2 == 0; })),
       .theorem = "cannot count modulo an even number; with quantization to unsigned integers it "
                  "can, modulo every even number",
       .source = "Nowak, Cotterell, Boumasmoud, An algebraic view of the expressivity of recurrent "
                 "language models, ICML 2026",
       .unverified = "quoted from the abstract; which gates it covers we have not read, so we take "
                     "it for gates that are not negative"});
  add("mamba", {{"eigenvalues", "signed"}}, doubles);
  add("mamba", {},
      {.model = "S4 or Mamba in precision logarithmic in the length",
       .precision = "logarithmic in the length",
       .direction = Direction::kUpper,
       .verdict = OnlyInTC0(c.circuit_class),
       .theorem = "recognizes only languages in TC⁰",
       .source = kIllusion,
       .unverified = kSeenInAbstract});
  add("deltanet", {{"eigenvalues", "positive"}}, settles);
  add("deltanet", {{"eigenvalues", "signed"}},
      {.model = "linear recurrence in finite precision whose matrices are products of generalized "
                "Householder matrices with eigenvalues from −1 to 1, as many per symbol and in as "
                "many layers as the language needs",
       .precision = "finite",
       .depth = "as many layers as the language needs",
       .direction = Direction::kLower,
       .verdict = Verdict::kRecognized,
       .theorem = "recognizes every regular language",
       .construction = "products of reflections, which permute states, in a cascade of layers",
       .source = kNegative +
                 "; Siems, Carstensen, Zela, Hutter, Pontil, Grazzi, DeltaProduct: improving "
                 "state-tracking in linear RNNs via Householder products, 2025",
       .unverified = "the theorem is quoted from the paper's abstract; that it takes a cascade, "
                     "we have not read"});
  add("deltanet", {}, low_rank);
  // Their gates, one per head or per dimension of the keys, are diagonal, as Mamba's are.
  using Options = std::vector<std::pair<std::string, std::string>>;
  const Options positive = {{"eigenvalues", "positive"}};
  for (const auto& [architecture, options] :
       {std::pair("mlstm", Options()), std::pair("gla", Options()),
        std::pair("mamba2", positive)}) {
    add(architecture, options, settles);
    add(architecture, options, never_negative);
    add(architecture, {}, shallow);
  }
  add("mamba2", {{"eigenvalues", "signed"}}, doubles);
  add("rwkv7", {},
      {.model = "linear recurrence whose matrices are diagonal minus a product of two vectors that "
                "need not be proportional",
       .precision = "not read",
       .depth = "not read",
       .direction = Direction::kLower,
       .verdict = Verdict::kRecognized,
       .theorem = "recognizes every regular language",
       .construction = kConstructionNotRead,
       .source = "Peng et al., RWKV-7 \"Goose\" with expressive dynamic state evolution, 2025",
       .unverified = kSeenInAbstract});
  add("rwkv7", {}, low_rank);
}

std::string DirectionName(Direction direction) {
  switch (direction) {
    case Direction::kExact:
      return "exact";
    case Direction::kUpper:
      return "upper bound";
    case Direction::kLower:
      break;
  }
  return "lower bound";
}

std::string ReadOutText(const std::optional<ReadOut>& read_out) {
  if (!read_out) return "either";
  return *read_out == ReadOut::kEos ? "after the string" : "at the last symbol";
}

std::string VerdictText(const Prediction& prediction) {
  switch (prediction.verdict) {
    case Verdict::kRecognized:
      return "can recognize it";
    case Verdict::kExcluded:
      return "cannot recognize it";
    case Verdict::kExcludedUnless:
      return "cannot recognize it unless TC⁰ = NC¹";
    case Verdict::kNoVerdict:
      return prediction.direction == Direction::kLower ? "not promised by this theorem"
                                                       : "not excluded by this theorem";
    case Verdict::kUnknown:
      return "unknown, as the class is";
    case Verdict::kOtherReadOut:
      return fmt::format("no theorem applies: this one is of models that read {}",
                         ReadOutText(prediction.read_out));
    case Verdict::kNoTheorem:
      break;
  }
  return "no theorem that we know of";
}

std::string VerdictLine(const Prediction& prediction) {
  std::string name = prediction.architecture;
  for (const auto& [option, value] : prediction.options)
    name += fmt::format(",{}={}", option, value);
  return fmt::format("{:<46}{}\n", name, VerdictText(prediction));
}

std::string PredictionText(const Prediction& p) {
  if (p.verdict == Verdict::kNoTheorem) return VerdictLine(p);
  std::string text = VerdictLine(p);
  text += fmt::format(
      "    model    {}\n    assumes  read-out: {}; masking: {}; positions: {}; "
      "precision: {}; depth: {}\n    theorem  {} ({})\n",
      p.model, ReadOutText(p.read_out), p.masking, p.positions, p.precision, p.depth, p.theorem,
      DirectionName(p.direction));
  if (!p.construction.empty()) text += fmt::format("    by       {}\n", p.construction);
  text += fmt::format("    source   {}\n", p.source);
  if (!p.unverified.empty()) text += fmt::format("    not read {}\n", p.unverified);
  return text;
}

Json PredictionJson(const Prediction& p) {
  Json options = Json::object();
  for (const auto& [name, value] : p.options) options[name] = value;
  Json json = {{"architecture", p.architecture},    {"options", options},   {"model", p.model},
               {"verdict", VerdictName(p.verdict)}, {"theorem", p.theorem}, {"source", p.source}};
  if (p.verdict == Verdict::kNoTheorem) return json;
  json["direction"] = p.direction == Direction::kExact   ? "exact"
                      : p.direction == Direction::kUpper ? "upper"
                                                         : "lower";
  json["readout"] = !p.read_out ? "either" : *p.read_out == ReadOut::kEos ? "eos" : "last";
  json["masking"] = p.masking;
  json["positions"] = p.positions;
  json["precision"] = p.precision;
  json["depth"] = p.depth;
  json["construction"] = p.construction.empty() ? Json(nullptr) : Json(p.construction);
  json["unverified"] = p.unverified;
  return json;
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
    case Verdict::kOtherReadOut:
      return "other_readout";
    case Verdict::kNoTheorem:
      break;
  }
  return "no_theorem";
}

ReadOut ReadOutOf(std::string_view setting, const std::map<std::string, std::string>& options) {
  FLARE_CHECK(setting == "last" || setting == "eos");
  const auto padding = options.find("padding");
  const bool reads_padding = padding != options.end() && padding->second != "0";
  return setting == "eos" || reads_padding ? ReadOut::kEos : ReadOut::kLast;
}

std::vector<Prediction> Predict(const Classification& classification,
                                std::span<const std::string> architectures, ReadOut read_out) {
  std::vector<Prediction> predictions;
  AddNonlinear(predictions);
  AddTransformers(classification, read_out, predictions);
  AddLinear(classification, predictions);
  for (Prediction& p : predictions) {
    if (p.read_out && *p.read_out != read_out) p.verdict = Verdict::kOtherReadOut;
  }
  const std::size_t stated = predictions.size();
  for (const std::string& name : architectures) {
    const auto end = predictions.begin() + static_cast<std::ptrdiff_t>(stated);
    if (std::any_of(predictions.begin(), end,
                    [&](const Prediction& p) { return p.architecture == name; })) {
      continue;
    }
    predictions.push_back({.architecture = name});
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

Verdict StrongestVerdict(std::span<const Prediction> predictions, std::string_view architecture,
                         const std::map<std::string, std::string>& options) {
  constexpr std::array order = {Verdict::kExcluded, Verdict::kExcludedUnless, Verdict::kRecognized,
                                Verdict::kUnknown,  Verdict::kNoVerdict,      Verdict::kNoTheorem};
  auto strongest = order.end() - 1;
  for (const Prediction& p : predictions) {
    if (!AppliesTo(p, architecture, options)) continue;
    const auto found = std::find(order.begin(), order.end(), p.verdict);
    if (found < strongest) strongest = found;
  }
  return *strongest;
}

std::string_view Idealization() {
  return "These are theorems about idealizations, at all lengths. The networks trained here "
         "compute in float32 with soft attention, with the mask and the positions that were "
         "chosen, at one size for all lengths, and they are trained, not constructed: an excluded "
         "language may be approximated at the lengths that "
         "are tested, and one that can be recognized may not be learned.";
}

std::string PredictionsText(std::span<const Prediction> predictions) {
  std::string text;
  for (const Prediction& prediction : predictions) text += PredictionText(prediction);
  return text + fmt::format("\n{}\n", Idealization());
}

std::string VerdictsText(std::span<const Prediction> predictions) {
  std::string text;
  for (const Prediction& p : predictions) {
    std::string line = VerdictLine(p);
    if (p.verdict != Verdict::kNoTheorem) {
      line.pop_back();
      line += fmt::format(" ({}; precision: {})\n", DirectionName(p.direction), p.precision);
    }
    text += line;
  }
  return text;
}

Json PredictionsToJson(std::span<const Prediction> predictions) {
  Json json = Json::array();
  for (const Prediction& prediction : predictions) json.push_back(PredictionJson(prediction));
  return json;
}

}  // namespace flare::theory
