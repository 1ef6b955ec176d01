#include "flare/languages/context_free.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/grammars/derivation_sampler.h"
#include "flare/grammars/grammar.h"
#include "flare/grammars/grammar_edit_distance.h"
#include "flare/grammars/recognizer.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

// The lengths of the range that have strings.
std::vector<std::size_t> LengthsOf(const DerivationSampler& sampler, LengthRange range) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = range.min; n <= range.max; ++n) {
    if (sampler.HasLength(n)) lengths.push_back(n);
  }
  if (lengths.empty()) ThrowNoMember(range);
  return lengths;
}

class GrammarSampler : public PositiveSampler, public Density {
 public:
  GrammarSampler(const NormalForm& normal, const LeftCorners& left_corners, LengthRange range)
      : normal_(normal),
        left_corners_(left_corners),
        sampler_(normal, RuleWeights::kGiven, range.max),
        lengths_(LengthsOf(sampler_, range)) {}

  void Sample(Rng& rng, String& w) const override {
    sampler_.Sample(lengths_[rng.UniformInt(lengths_.size())], rng, w);
  }
  const Density* density() const override { return this; }
  double LogProbability(StringView w) const override {
    const ExtendedReal weight = InsideWeight(normal_, left_corners_, w, RuleWeights::kGiven);
    return (weight / sampler_.Total(w.size())).Log() -
           std::log(static_cast<double>(lengths_.size()));
  }

 private:
  const NormalForm& normal_;
  const LeftCorners& left_corners_;
  DerivationSampler sampler_;
  std::vector<std::size_t> lengths_;
};

class UniformGrammarSampler : public PositiveSampler, public Density {
 public:
  UniformGrammarSampler(const NormalForm& normal, const LeftCorners& left_corners,
                        bool is_unambiguous, LengthRange range)
      : normal_(normal),
        left_corners_(left_corners),
        is_unambiguous_(is_unambiguous),
        sampler_(normal, RuleWeights::kOne, range.max),
        lengths_(LengthsOf(sampler_, range)) {}

  void Sample(Rng& rng, String& w) const override {
    const std::size_t length = lengths_[rng.UniformInt(lengths_.size())];
    std::size_t draws = 0;
    double kept = 0;  // the expected number of draws so far that are kept
    while (draws < kMostDraws) {
      sampler_.Sample(length, rng, w);
      if (is_unambiguous_) return;
      const ExtendedReal derivations = InsideWeight(normal_, left_corners_, w, RuleWeights::kOne);
      if (ExtendedReal(rng.Uniform()) * derivations < ExtendedReal(1)) return;
      kept += (ExtendedReal(1) / derivations).ToDouble();
      if (++draws >= kFewDraws && kept < kHopeless) break;
    }
    throw InputError("", fmt::format("the grammar is too ambiguous to draw uniformly: of {} "
                                     "derivations of length {}, none was kept",
                                     draws, length));
  }
  // The number of strings is known only where there are as many derivations.
  const Density* density() const override { return is_unambiguous_ ? this : nullptr; }
  double LogProbability(StringView w) const override {
    return -sampler_.Total(w.size()).Log() - std::log(static_cast<double>(lengths_.size()));
  }

 private:
  static constexpr std::size_t kMostDraws = 10'000;
  // Weighing a long string takes a moment, and a string with that many derivations would not be
  // kept.
  static constexpr std::size_t kFewDraws = 5;
  static constexpr double kHopeless = 1e-9;

  const NormalForm& normal_;
  const LeftCorners& left_corners_;
  bool is_unambiguous_;
  DerivationSampler sampler_;
  std::vector<std::size_t> lengths_;
};

}  // namespace

ContextFreeLanguage::ContextFreeLanguage(Grammar grammar, const std::string& where)
    : grammar_(std::move(grammar)),
      normal_(Normalize(grammar_, where)),
      left_corners_(normal_, where),
      recognizer_(normal_, left_corners_),
      is_lr1_(IsLr1(grammar_)) {}

std::unique_ptr<PositiveSampler> ContextFreeLanguage::MakeSampler(LengthRange range) const {
  return std::make_unique<GrammarSampler>(normal_, left_corners_, range);
}

std::unique_ptr<PositiveSampler> ContextFreeLanguage::MakeUniformSampler(LengthRange range) const {
  return std::make_unique<UniformGrammarSampler>(normal_, left_corners_, is_lr1_, range);
}

std::size_t ContextFreeLanguage::Distance(StringView w) const { return EditDistance(normal_, w); }

std::optional<ContextFreeLanguage::AmbiguousString> ContextFreeLanguage::FindAmbiguousString()
    const {
  constexpr std::size_t kLongest = 12, kDrawsPerLength = 20;
  if (is_lr1_) return std::nullopt;
  const DerivationSampler sampler(normal_, RuleWeights::kOne, kLongest);
  String w;
  for (std::size_t length = 1; length <= kLongest; ++length) {
    if (!sampler.HasLength(length)) continue;
    Rng rng = Rng::For(0, "ambiguous-string", length);
    for (std::size_t draw = 0; draw < kDrawsPerLength; ++draw) {
      sampler.Sample(length, rng, w);
      const ExtendedReal derivations = InsideWeight(normal_, left_corners_, w, RuleWeights::kOne);
      if (ExtendedReal(1) < derivations) return AmbiguousString{w, derivations.ToDouble()};
    }
  }
  return std::nullopt;
}

// cfg:FILE

namespace {

constexpr const char* kGrammarMember = "grammar";

NamedLanguage FromGrammar(Grammar grammar, const std::string& text, const std::string& definition,
                          const std::string& where) {
  auto language = std::make_unique<ContextFreeLanguage>(std::move(grammar), where);
  return {.name = text,
          .language_class = language->is_lr1() ? LanguageClass::kDeterministicContextFree
                                               : LanguageClass::kContextFree,
          .definition = definition,
          .identity = "context-free:" + Sha256(Describe(language->normal_form())),
          .language = std::move(language)};
}

}  // namespace

NamedLanguage ParseCfgSource(const std::string& text, const std::string& file,
                             const ResolveOptions& options) {
  return FromGrammar(ParseGrammar(ReadFile(file), file, options.extra_symbols), text,
                     "the strings that the grammar derives", file);
}

Json SaveGrammar(const NamedLanguage& language) {
  const auto& context_free = dynamic_cast<const ContextFreeLanguage&>(*language.language);
  return {{kGrammarMember, FormatGrammar(context_free.grammar())}};
}

NamedLanguage LoadGrammar(const SavedLanguage& saved, const std::string& where) {
  const auto rules = saved.contents.find(kGrammarMember);
  const bool is_text =
      rules != saved.contents.end() && rules->is_array() &&
      std::all_of(rules->begin(), rules->end(), [](const Json& line) { return line.is_string(); });
  if (!is_text) {
    throw InputError(where, fmt::format("language {} has no grammar", Quoted(saved.text)));
  }
  const std::string text =
      fmt::format("{}", fmt::join(rules->get<std::vector<std::string>>(), "\n"));
  return FromGrammar(ParseGrammar(text, where + ": grammar", saved.alphabet), saved.text,
                     saved.definition, where);
}

// Built-in languages that are their grammars.

namespace {

std::unique_ptr<Language> OfGrammar(const char* name, const char* text) {
  return std::make_unique<ContextFreeLanguage>(ParseGrammar(text, name), name);
}

}  // namespace

std::unique_ptr<Language> MakeAnbn() { return OfGrammar("anbn", "S -> 'a' S 'b' |"); }

// All strings of a length are equally likely: each has as many rules of either kind.
std::unique_ptr<Language> MakeDyck1() { return OfGrammar("dyck-1", "S -> '(0' S ')0' S |"); }
std::unique_ptr<Language> MakeDyck2() {
  return OfGrammar("dyck-2", "S -> '(0' S ')0' S | '(1' S ')1' S |");
}

// A has one a more than b, B one b more; both end as soon as that is so.
std::unique_ptr<Language> MakeEqualAb() {
  return OfGrammar("equal-ab",
                   "S -> 'a' B S | 'b' A S |\n"
                   "A -> 'a' | 'b' A A\n"
                   "B -> 'b' | 'a' B B\n");
}

// T derives the formulas that are true, F those that are false.
std::unique_ptr<Language> MakeBooleanFormula() {
  return OfGrammar("boolean-formula",
                   "T -> '1' | '!' F | '(' T '&' T ')'"
                   " | '(' T '|' T ')' | '(' T '|' F ')' | '(' F '|' T ')'\n"
                   "F -> '0' | '!' T | '(' F '|' F ')'"
                   " | '(' F '&' F ')' | '(' F '&' T ')' | '(' T '&' F ')'\n");
}

}  // namespace flare
