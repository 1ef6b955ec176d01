#include "flare/languages/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <memory>
#include <set>
#include <string>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/grammars/grammar.h"
#include "flare/languages/context_free.h"
#include "flare/languages/language.h"
#include "flare/languages/source.h"
#include "support/naive_grammar.h"
#include "support/random_automata.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

TEST(EnvelopeOf, IsWhatCanBeSeenWithoutCounting) {
  EXPECT_EQ(EnvelopeOf(ResolveLanguage("regex:[01]*")), ".*");
  EXPECT_EQ(EnvelopeOf(ResolveLanguage("regex:(0*10*1)*0*10*")), ".+");
  EXPECT_EQ(EnvelopeOf(ResolveLanguage("regex:(ab)*")),
            "()|([a].* & .*[b] & ~(.*(a[a]|b[b]).*) & (.{2})*)");
  EXPECT_EQ(EnvelopeOf(ResolveLanguage("regex:(aaa|b)*")), ".*");
  EXPECT_EQ(EnvelopeOf(ResolveLanguage("regex:([ab]{4})*")), "(.{4})*");
  // The catalogue's own is kept.
  EXPECT_EQ(EnvelopeOf(ResolveLanguage("dyck-2-3")), "(..)*");
}

// A table of pairs would have 10^10 entries.
TEST(EnvelopeOf, TakesTimeLinearInTheNumberOfSymbols) {
  std::vector<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.push_back("s" + std::to_string(i));
  DfaBuilder builder{Alphabet(names)};
  const StateId only = builder.AddState(true);
  for (std::size_t a = 0; a < names.size(); ++a) builder.AddTransition(only, SymbolAt(a), only);
  NamedLanguage regular, context_free;
  regular.language = std::make_unique<RegularLanguage>(std::move(builder).Build(only));
  context_free.language =
      std::make_unique<ContextFreeLanguage>(ParseGrammar("S -> 's0' S |", "g", names), "g");
  const std::clock_t begin = std::clock();
  EXPECT_EQ(EnvelopeOf(regular), ".*");
  EXPECT_EQ(EnvelopeOf(context_free), "()|([<s0>].* & .*[<s0>])");
  EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC);
}

// An automatic envelope is exactly its definition: on random automata, by brute force.
TEST(EnvelopeOf, IsTheTwoLocalClosureWithTheLengthsRemainders) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng = Rng::For(seed, "envelope");
    const Dfa dfa = Minimize(RandomDfa(1 + rng.UniformInt(5), Letters(2), 0.6, rng));
    if (IsEmpty(dfa)) continue;
    NamedLanguage language;
    language.name = "random";
    language.language_class = LanguageClass::kRegular;
    language.language = std::make_unique<RegularLanguage>(dfa);
    const Dfa envelope = *EnvelopeAutomaton(language);
    // All that a member of up to 12 symbols shows; five states have shown all by then.
    std::set<std::size_t> first, last, pairs;
    std::set<std::size_t> remainders[6];
    for (const String& w : AllStrings(2, 12)) {
      if (!dfa.Accepts(w)) continue;
      for (std::size_t m = 2; m <= 5; ++m) remainders[m].insert(w.size() % m);
      if (w.empty()) continue;
      first.insert(Index(w.front()));
      last.insert(Index(w.back()));
      for (std::size_t i = 1; i < w.size(); ++i) pairs.insert(2 * Index(w[i - 1]) + Index(w[i]));
    }
    for (const String& w : AllStrings(2, 8)) {
      bool expected = true;
      for (std::size_t m = 2; m <= 5; ++m) expected &= remainders[m].contains(w.size() % m);
      if (w.empty()) {
        expected = dfa.Accepts(w);
      } else {
        expected &= first.contains(Index(w.front())) && last.contains(Index(w.back()));
      }
      for (std::size_t i = 1; i < w.size(); ++i) {
        expected &= pairs.contains(2 * Index(w[i - 1]) + Index(w[i]));
      }
      ASSERT_EQ(envelope.Accepts(w), expected)
          << EnvelopeOf(language) << ": " << dfa.alphabet().Format(w);
    }
  }
}

TEST(EnvelopeOf, GrammarHasTheEnvelopeOfItsStrings) {
  std::size_t seen = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng = Rng::For(seed, "grammar-envelope");
    const Grammar grammar = ParseGrammar(naive::RandomGrammarText(rng), "g", {"a", "b"});
    const auto strings = naive::StringsOf(grammar, 6);
    if (strings.empty()) continue;
    NamedLanguage language;
    language.name = "random";
    language.language_class = LanguageClass::kContextFree;
    language.language = std::make_unique<ContextFreeLanguage>(grammar, "g");
    const Dfa envelope = *EnvelopeAutomaton(language);
    for (const String& w : strings) ASSERT_TRUE(envelope.Accepts(w));
    seen += strings.size();
    EXPECT_EQ(envelope.Accepts(String{}), strings.contains(String{}));
  }
  EXPECT_GT(seen, 500u);
  // Right-linear: as the automaton's.
  NamedLanguage ab;
  ab.name = "ab";
  ab.language_class = LanguageClass::kContextFree;
  ab.language = std::make_unique<ContextFreeLanguage>(ParseGrammar("S -> 'a' 'b' S |", "g"), "g");
  EXPECT_EQ(EnvelopeOf(ab), EnvelopeOf(ResolveLanguage("regex:(ab)*")));
}

TEST(EnvelopeOf, WritesSymbolsAsPatternsReadThem) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() / "g.cfg";
  WriteFileAtomically(file, "S -> '-' ']' S '<x>' | '\\\\' '^' '(0'\n");
  const NamedLanguage language = ResolveLanguage("cfg:" + file);
  const Dfa envelope = *EnvelopeAutomaton(language);
  const auto sampler = language.language->MakeSampler({0, 20});
  String w;
  Rng rng = Rng::For(0, "symbols");
  for (int i = 0; i < 50; ++i) {
    sampler->Sample(rng, w);
    EXPECT_TRUE(envelope.Accepts(w));
  }
}

TEST(GiveEnvelope, TakesWhatHoldsTheLanguage) {
  const NamedLanguage language = ResolveLanguage("regex:(ab)*", {.envelope = "a*b* | (..)*"});
  EXPECT_EQ(language.envelope, "a*b* | (..)*");
  EXPECT_EQ(EnvelopeOf(ResolveLanguage("parity", {.envelope = ".*1.*"})), ".*1.*");
  const auto refusal = [](const std::string& envelope) {
    return RefusalOf([&] { ResolveLanguage("regex:(ab)*", {.envelope = envelope}); });
  };
  EXPECT_EQ(refusal("(ab)+"), "--envelope: '(ab)+' does not have every string of regex:(ab)*");
  EXPECT_EQ(
      refusal("[abc]*"),
      "--envelope: '[abc]*' has symbols that the language does not have: its alphabet is a b");
  EXPECT_NE(refusal("(ab"), "");
}

TEST(GiveEnvelope, HoldsAllThatAGrammarGives) {
  const TemporaryDirectory folder;
  const auto refusal = [&](const std::string& rules, const std::string& envelope) {
    const std::string file = folder.path() / "rules.cfg";
    WriteFile(file, rules);
    return RefusalOf([&] { ResolveLanguage("cfg:" + file, {.envelope = envelope}); });
  };
  const std::string anbn = "S -> 'a' S 'b' | 'a' 'b'\n", or_empty = "S -> 'a' S 'b' |\n";
  EXPECT_EQ(refusal(anbn, "a+b+"), "");
  EXPECT_EQ(refusal(anbn, "(..)+"), "");
  EXPECT_THAT(refusal(anbn, "a+b"), HasSubstr("'a+b' does not have every string of cfg:"));
  EXPECT_EQ(refusal(or_empty, "a*b*"), "");
  EXPECT_NE(refusal(or_empty, "a+b+"), "");
}

TEST(GiveEnvelope, IsKeptByManifests) {
  const NamedLanguage language = ResolveLanguage("parity", {.envelope = ".*1.*"});
  const Json saved = ToJson(SaveLanguage(language));
  EXPECT_EQ(saved.at("envelope"), ".*1.*");
  EXPECT_EQ(LoadLanguage(SavedLanguageFromJson(saved), "m").envelope, ".*1.*");
  // Where none is given, manifests stay as they were.
  EXPECT_FALSE(ToJson(SaveLanguage(ResolveLanguage("parity"))).contains("envelope"));
}

}  // namespace
}  // namespace flare
