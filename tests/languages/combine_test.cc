#include "flare/languages/combine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "flare/languages/source.h"
#include "support/random_automata.h"
#include "support/refusal.h"

namespace flare {
namespace {

using ::testing::HasSubstr;

// By the language's own automaton; a string with a symbol that it does not have is no member.
bool Has(const NamedLanguage& language, const std::vector<std::string>& tokens) {
  String w;
  for (const std::string& token : tokens) {
    const auto symbol = language.language->alphabet().Find(token);
    if (!symbol) return false;
    w.push_back(*symbol);
  }
  return language.language->Contains(w);
}

using Says = std::function<bool(const std::vector<std::string>&)>;

void ExpectSays(const NamedLanguage& language, const Says& says) {
  const Alphabet& alphabet = language.language->alphabet();
  for (const String& w : AllStrings(alphabet.size(), 6)) {
    std::vector<std::string> tokens;
    for (const Symbol a : w) tokens.push_back(alphabet.Name(a));
    ASSERT_EQ(Has(language, tokens), says(tokens))
        << language.name << " on " << testing::PrintToString(tokens);
  }
}

TEST(Combine, MeansWhatSetsMeanOnRandomLanguages) {
  for (int seed = 0; seed < 5; ++seed) {
    const std::string m = "{random:states=4,symbols=2,seed=" + std::to_string(seed) + "}";
    const NamedLanguage a = ResolveLanguage("regex:(a|b)*b(b|c)?");
    const NamedLanguage b = ResolveLanguage(m.substr(1, m.size() - 2));
    const auto in_a = [&](const auto& w) { return Has(a, w); };
    const auto in_b = [&](const auto& w) { return Has(b, w); };
    const auto backwards = [](std::vector<std::string> w) {
      std::reverse(w.begin(), w.end());
      return w;
    };
    const auto text = [&](const std::string& operation) {
      return ResolveLanguage("combine:{" + a.name + "} " + operation + " " + m);
    };
    ExpectSays(Combined(a, '&', b), [&](const auto& w) { return in_a(w) && in_b(w); });
    ExpectSays(Combined(a, '|', b), [&](const auto& w) { return in_a(w) || in_b(w); });
    ExpectSays(Combined(a, '-', b), [&](const auto& w) { return in_a(w) && !in_b(w); });
    ExpectSays(ComplementOf(b), [&](const auto& w) { return !in_b(w); });
    ExpectSays(ReversalOf(a), [&](const auto& w) { return in_a(backwards(w)); });
    ExpectSays(text("- reverse "), [&](const auto& w) { return in_a(w) && !in_b(backwards(w)); });
    // ~ is weaker than nothing, | weaker than & and -, which go from left to right.
    ExpectSays(text("| ~{regex:a*} & "), [&](const auto& w) {
      const bool only_a = std::all_of(w.begin(), w.end(), [](const auto& s) { return s == "a"; });
      return in_a(w) || (!only_a && in_b(w));
    });
    ExpectSays(text("- {regex:b} - "), [&](const auto& w) {
      return in_a(w) && w != std::vector<std::string>{"b"} && !in_b(w);
    });
  }
}

// What operators of Python make has a name that means the same wherever a language is written.
TEST(Combine, NamesItsResultsByTextsThatMeanThem) {
  const NamedLanguage parity = ResolveLanguage("parity");
  const NamedLanguage pattern = ResolveLanguage("regex:(01){1,3}\\{?");
  for (const NamedLanguage& made :
       {Combined(parity, '&', ComplementOf(pattern)), ReversalOf(Combined(parity, '|', pattern)),
        Combined(ReversalOf(pattern), '-', parity)}) {
    const NamedLanguage again = ResolveLanguage(made.name);
    EXPECT_EQ(*again.language->dfa(), *made.language->dfa()) << made.name;
    EXPECT_EQ(again.identity, made.identity);
  }
  EXPECT_EQ(Combined(parity, '&', pattern).name, "combine:{parity} & {regex:(01){1,3}\\{?}");
}

TEST(Combine, TakesComplementsOverTheSymbolsOfAllLanguages) {
  const NamedLanguage language = ResolveLanguage("combine:~{regex:a*} & {regex:(a|b)*}");
  EXPECT_TRUE(Has(language, {"a", "b"}));
  const NamedLanguage larger = ResolveLanguage("combine:~{regex:a*}", {.extra_symbols = {"c"}});
  EXPECT_TRUE(Has(larger, {"c"}));
  EXPECT_FALSE(Has(larger, {"a"}));
}

TEST(Combine, RefusesWhatItCannotCombine) {
  const auto refusal = [](const std::string& text) {
    return RefusalOf([&] { ResolveLanguage("combine:" + text); });
  };
  EXPECT_THAT(refusal("{majority} & {parity}"),
              HasSubstr("only regular languages can be combined"));
  EXPECT_THAT(refusal("{parity} & ~{parity}"), HasSubstr("the language is empty"));
  EXPECT_THAT(refusal("{partiy}"), HasSubstr("did you mean parity?"));
  EXPECT_THAT(refusal("{parity"), HasSubstr("combine:{parity:10: a brace is not closed"));
  EXPECT_THAT(refusal("{}"), HasSubstr("the braces are empty"));
  EXPECT_THAT(refusal(""), HasSubstr("a language is missing"));
  EXPECT_THAT(refusal("{parity} {first}"), HasSubstr("unexpected '{first}'"));
  EXPECT_THAT(refusal("({parity}"), HasSubstr("a parenthesis is not closed"));
  EXPECT_THAT(refusal("parity"), HasSubstr("expected a language"));
  EXPECT_THAT(refusal(std::string(300, '~') + "{parity}"), HasSubstr("250 levels deep"));
  EXPECT_THAT(refusal("reverse {regex:(0|1){40}1(0|1)*}"), HasSubstr("its automaton"));
}

}  // namespace
}  // namespace flare
