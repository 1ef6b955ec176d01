#include "flare/languages/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/families.h"
#include "flare/languages/source.h"

namespace flare {

// Regular languages are defined in regular_languages.cc and families.cc; others in context_free.cc,
// counting_languages.cc, marked_transductions.cc, unmarked_transductions.cc, binary_arithmetic.cc,
// stack_manipulation.cc and shuffle_dyck_2.cc.
LanguageFactory MakeEvenPairs, MakeRepeat01, MakeParity, MakeCycleNavigation,
    MakeModularArithmeticSimple, MakeDyck23, MakeFirst, MakeMajority, MakeStackManipulation,
    MakeMarkedReversal, MakeUnmarkedReversal, MakeMarkedCopy, MakeMissingDuplicateString,
    MakeOddsFirst, MakeBinaryAddition, MakeBinaryMultiplication, MakeComputeSqrt, MakeBucketSort,
    MakeAnbncn, MakeMix, MakeShuffleDyck2, MakeTomita1, MakeTomita2, MakeTomita3, MakeTomita4,
    MakeTomita5, MakeTomita6, MakeTomita7, MakeLast, MakeLatestB, MakeEvenLength, MakeFlipFlop,
    MakeS5Binary, MakeAnbn, MakeDyck1, MakeDyck2, MakeEqualAb, MakeBooleanFormula;

std::string Title(Origin origin) {
  switch (origin) {
    case Origin::kPaper:
      return "the paper";
    case Origin::kTomita:
      return "Tomita (1982)";
    case Origin::kExpressivity:
      return "what networks can express";
    case Origin::kCountersAndStacks:
      return "counters and stacks";
  }
  __builtin_unreachable();
}

std::span<const CatalogEntry> Catalog() {
  constexpr auto paper = Origin::kPaper;
  constexpr auto tomita = Origin::kTomita;
  constexpr auto expressivity = Origin::kExpressivity;
  constexpr auto counters = Origin::kCountersAndStacks;
  constexpr auto R = LanguageClass::kRegular;
  constexpr auto DCF = LanguageClass::kDeterministicContextFree;
  constexpr auto CF = LanguageClass::kContextFree;
  constexpr auto CS = LanguageClass::kContextSensitive;
  static const std::vector<CatalogEntry> catalog = {
      {"even-pairs", "Even Pairs", paper, R, "01 and 10 occur an even number of times in all",
       "0 1 0 1 1 0", ".*", MakeEvenPairs},
      {"repeat-01", "Repeat 01", paper, R, "01 repeated any number of times", "0 1 0 1 0 1",
       "(..)*", MakeRepeat01},
      {"parity", "Parity", paper, R, "an odd number of 1s", "1 1 0 1 1 0 0 1", ".*", MakeParity},
      {"cycle-navigation", "Cycle Navigation", paper, R,
       "moves on a cycle of 5 positions, then the position reached", "> > = < > 2",
       "[\\<\\>=]*[0-4]", MakeCycleNavigation},
      {"modular-arithmetic-simple", "Modular Arithmetic", paper, R,
       "an expression without precedence, then its value modulo 5", "1 - 3 * 2 = 1",
       "[0-4]([\\+\\-\\*][0-4])*=[0-4]", MakeModularArithmeticSimple},
      {"dyck-2-3", "Dyck-(2, 3)", paper, R, "balanced brackets of 2 types, at most 3 deep",
       "(1 (0 )0 (0 (1 )1 )0 )1 (0 )0", "(..)*", MakeDyck23},
      {"first", "First", paper, R, "the first symbol is 1", "1 0 0 0 1 0", ".*", MakeFirst},
      {"majority", "Majority", paper, DCF, "more 1s than 0s", "1 0 1 1 0 1", ".*", MakeMajority},
      {"stack-manipulation", "Stack Manipulation", paper, DCF,
       "a stack, pushes and pops, then the stack from top to bottom", "0 1 1 POP # 1 0",
       "[01]*(<POP>|<PUSH>[01])*#[01]*", MakeStackManipulation},
      {"marked-reversal", "Marked Reversal", paper, DCF, "u # u reversed, for binary u",
       "0 0 1 # 1 0 0", "[01]*#[01]* & .(..)*", MakeMarkedReversal},
      {"unmarked-reversal", "Unmarked Reversal", paper, CF, "u, then u reversed, for binary u",
       "0 0 1 1 0 0", "(..)*", MakeUnmarkedReversal},
      {"marked-copy", "Marked Copy", paper, CS, "u # u, for binary u", "0 0 1 # 0 0 1",
       "[01]*#[01]* & .(..)*", MakeMarkedCopy},
      {"missing-duplicate-string", "Missing Duplicate", paper, CS,
       "u u, for binary u, with one 1 replaced by _", "1 _ 0 1 1 1 0 1", "[01]*_[01]* & (..)*",
       MakeMissingDuplicateString},
      {"odds-first", "Odds First", paper, CS,
       "u # the odd, then the even positions of u, for binary u", "0 1 0 1 0 # 0 0 0 1 1",
       "[01]*#[01]* & .(..)*", MakeOddsFirst},
      {"binary-addition", "Binary Addition", paper, CS,
       "x + y = z in binary, least significant bit first", "1 1 0 + 0 1 = 1 0 1 0 0",
       "[01]+\\+[01]+=[01]+", MakeBinaryAddition},
      {"binary-multiplication", "Binary Multiplication", paper, CS,
       "x × y = z in binary, least significant bit first", "1 1 0 × 0 1 0 0 = 0 1 1",
       "[01]+×[01]+=[01]+", MakeBinaryMultiplication},
      {"compute-sqrt", "Compute Sqrt", paper, CS,
       "x = the integer part of its root, least significant bit first", "0 1 0 1 0 = 1 1 0 0",
       "[01]+=[01]+", MakeComputeSqrt},
      {"bucket-sort", "Bucket Sort", paper, CS, "digits 1 to 5, then # and the same digits sorted",
       "4 5 1 3 4 # 1 3 4 4 5", "[1-5]*#1*2*3*4*5* & .(..)*", MakeBucketSort},

      {"tomita-1", "Tomita 1", tomita, R, "only 1s", "1 1 1 1", ".*", MakeTomita1},
      {"tomita-2", "Tomita 2", tomita, R, "10 repeated any number of times", "1 0 1 0", "(..)*",
       MakeTomita2},
      {"tomita-3", "Tomita 3", tomita, R,
       "no odd run of 1s with an odd run of 0s somewhere behind it", "1 0 0 1 1 0 0", ".*",
       MakeTomita3},
      {"tomita-4", "Tomita 4", tomita, R, "000 does not occur", "0 0 1 0 0", ".*", MakeTomita4},
      {"tomita-5", "Tomita 5", tomita, R, "an even number of 0s and an even number of 1s",
       "0 1 1 0 1 1", "(..)*", MakeTomita5},
      {"tomita-6", "Tomita 6", tomita, R, "the numbers of 0s and of 1s differ by a multiple of 3",
       "0 0 1 0 0", ".*", MakeTomita6},
      {"tomita-7", "Tomita 7", tomita, R, "0s, then 1s, then 0s, then 1s", "0 1 1 0 1", ".*",
       MakeTomita7},

      {"last", "Last", expressivity, R, "the last symbol is 1", "0 0 1 0 1", ".*", MakeLast},
      {"latest-b", "Latest b", expressivity, R, "the last symbol that is not e is b",
       "a b e a b e e", ".*", MakeLatestB},
      {"even-length", "Even Length", expressivity, R, "an even number of symbols", "0 1 1 1", ".*",
       MakeEvenLength},
      {"flip-flop", "Flip-Flop", expressivity, R,
       "write, ignore or read a bit; a read gives the bit last written", "w 1 i 0 r 1 w 0 r 0",
       "([wir][01])*", MakeFlipFlop},
      {"s5-binary", "S5 over two letters", expressivity, R,
       "an automaton of 5 states that a and b permute in all 120 ways is back at its start",
       "a b a b", ".*", MakeS5Binary},

      {"anbn", "aⁿbⁿ", counters, DCF, "n times a, then n times b", "a a b b", "a*b* & (..)*",
       MakeAnbn},
      {"dyck-1", "Dyck-1", counters, DCF, "balanced brackets", "(0 (0 )0 )0 (0 )0", "(..)*",
       MakeDyck1},
      {"dyck-2", "Dyck-2", counters, DCF, "balanced brackets of 2 types", "(1 (0 )0 )1 (0 )0",
       "(..)*", MakeDyck2},
      {"equal-ab", "Equal a and b", counters, DCF, "as many a as b", "a b b a b a", "(..)*",
       MakeEqualAb},
      {"boolean-formula", "Boolean Formula", counters, DCF,
       "a formula of 0, 1, !, & and | in brackets that is true", "! ( 1 & ( 0 | 0 ) )",
       "([!\\(]*[01]\\)*[\\&\\|])*[!\\(]*[01]\\)*", MakeBooleanFormula},
      {"anbncn", "aⁿbⁿcⁿ", counters, CS, "n times a, then n times b, then n times c", "a a b b c c",
       "a*b*c* & (...)*", MakeAnbncn},
      {"mix", "MIX", counters, CS, "as many a as b as c, in any order", "b a c c a b", "(...)*",
       MakeMix},
      {"shuffle-dyck-2", "Shuffle-Dyck-2", counters, CS,
       "two types of brackets, each balanced without the other", "(0 (1 )0 )1 (1 )1", "(..)*",
       MakeShuffleDyck2},
  };
  return catalog;
}

std::vector<std::string> PaperLanguages() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) {
    if (entry.origin == Origin::kPaper) names.push_back(entry.name);
  }
  return names;
}

bool IsPublished(std::string_view name) {
  const CatalogEntry* entry = FindInCatalog(name);
  return entry != nullptr && entry->origin == Origin::kPaper;
}

const CatalogEntry* FindInCatalog(std::string_view name) {
  for (const CatalogEntry& entry : Catalog()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// A name of the catalogue, or of a family.

namespace {

NamedLanguage Find(const std::string& name, const std::string& where) {
  if (const CatalogEntry* entry = FindInCatalog(name)) {
    return {.name = entry->name,
            .language_class = entry->language_class,
            .definition = entry->definition,
            .identity = entry->name,
            .envelope = entry->envelope,
            .language = entry->make()};
  }
  if (auto language = FindInFamilies(name)) return std::move(*language);
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) names.push_back(entry.name);
  const auto nearest = Nearest(name, names);
  throw InputError(where, fmt::format("unknown language {}", Quoted(name)),
                   nearest ? fmt::format("did you mean {}?", *nearest)
                           : fmt::format("'flare languages' lists them; {} define one",
                                         Listed(DefinitionForms(), "and")));
}

}  // namespace

NamedLanguage ParseCatalogName(const std::string& text, const std::string&, const ResolveOptions&) {
  return Find(text, "");
}

// Every manifest of version 0.1 has the member.
Json SaveCatalogName(const NamedLanguage&) { return {{"automaton", nullptr}}; }

NamedLanguage LoadCatalogName(const SavedLanguage& saved, const std::string& where) {
  NamedLanguage language = Find(saved.text, where);
  if (saved.IsDefinedByContents()) {
    throw InputError(where, fmt::format("{} is built in, but is also defined here", saved.text));
  }
  if (!(language.language->alphabet() == Alphabet(saved.alphabet))) {
    throw InputError(where, fmt::format("alphabet: is not that of {}", saved.text));
  }
  return language;
}

namespace {

// Says how the language differs from the paper's; empty if it does not.
std::string Difference(const Language& language, const Language& paper) {
  if (!(language.alphabet() == paper.alphabet())) {
    return fmt::format("its alphabet is {}, not {}", fmt::join(language.alphabet().names(), " "),
                       fmt::join(paper.alphabet().names(), " "));
  }
  if (language.dfa() == nullptr || paper.dfa() == nullptr) {
    return "only regular languages can be shown to be the same";
  }
  const auto difference = ShortestDifference(*language.dfa(), *paper.dfa());
  if (!difference) return "";
  return fmt::format(
      "it {} {}", language.Contains(*difference) ? "has" : "lacks",
      difference->empty() ? "the empty string" : Quoted(paper.alphabet().Format(*difference)));
}

}  // namespace

void CheckPaperName(const std::string& name, const NamedLanguage& language,
                    const std::string& where) {
  const CatalogEntry* entry = FindInCatalog(name);
  if (entry == nullptr || entry->origin != Origin::kPaper || language.identity == name) return;
  const std::string difference = Difference(*language.language, *entry->make());
  if (difference.empty()) return;
  throw InputError(where,
                   fmt::format("{} is the name of a language of the paper, which {} is not: {}",
                               Quoted(name), Quoted(language.name), difference),
                   "choose another name");
}

}  // namespace flare
