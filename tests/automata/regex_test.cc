#include "flare/automata/regex.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "support/random_automata.h"

namespace flare {
namespace {

// Whether a pattern matches a text of single-character symbols.
bool Matches(const std::string& pattern, const std::string& text, const std::string& extra = "") {
  std::vector<std::string> symbols;
  for (const char c : extra) symbols.emplace_back(1, c);
  const Dfa dfa = CompileRegex(pattern, symbols);
  String w;
  for (const char c : text) {
    const auto symbol = dfa.alphabet().Find(std::string(1, c));
    if (!symbol) return false;
    w.push_back(*symbol);
  }
  return dfa.Accepts(w);
}

struct Example {
  const char* pattern;
  std::vector<const char*> members;
  std::vector<const char*> others;
};

TEST(Regex, HasTheConventionalSyntax) {
  const Example examples[] = {
      {"ab", {"ab"}, {"", "a", "ba", "abab"}},
      {"a|b", {"a", "b"}, {"", "ab"}},
      {"a|", {"a", ""}, {"aa"}},
      {"ab*", {"a", "ab", "abbb"}, {"", "abab"}},
      {"(ab)*", {"", "ab", "abab"}, {"a", "aab"}},
      {"(ab)+", {"ab", "abab"}, {"", "a"}},
      {"ab?", {"a", "ab"}, {"", "abb"}},
      {"a{3}", {"aaa"}, {"aa", "aaaa"}},
      {"a{2,}", {"aa", "aaaaa"}, {"", "a"}},
      {"a{,2}", {"", "a", "aa"}, {"aaa"}},
      {"a{2,4}", {"aa", "aaa", "aaaa"}, {"a", "aaaaa"}},
      {"a{0}b", {"b"}, {"ab"}},
      {"(a{2}){2,3}", {"aaaa", "aaaaaa"}, {"aa", "aaaaa"}},
      {"[abc]", {"a", "b", "c"}, {"", "ab"}},
      {"[a-c]x", {"ax", "cx"}, {"x", "xx"}},
      {"[^a]|a b", {"b", "ab"}, {"a", ""}},
      {"a.b", {"aab", "abb"}, {"ab", "acb"}},
      {".*", {"", "a"}, {}},
      {"()", {""}, {}},
      {"a[]", {}, {"", "a"}},
      {"a\\*", {"a*"}, {"a", "aa"}},
      {"[\\-\\]]", {"-", "]"}, {}},
      {"a & [ab]", {"a"}, {"b"}},
      {"a*&(aa)*&(aaa)*", {"", "aaaaaa"}, {"aa", "aaa"}},
      // Precedence: | below & below concatenation below ~ below repetition.
      {"a|b&a", {"a"}, {"b"}},
      {"ab&a.", {"ab"}, {"aa"}},
      {"~a*|b", {"b", "ab"}, {"", "a", "aaa"}},
      {"~ab", {"b", "aab", "bb", "abb"}, {"ab", "a", ""}},
      {"~(a b)", {"", "a", "ba", "abb"}, {"ab"}},
      {"~~(ab)", {"ab"}, {"", "ba"}},
      {"~(.*aa.*) & .*b", {"b", "abab"}, {"aab", "a", ""}},
  };
  for (const Example& example : examples) {
    const std::string extra =
        std::string(example.pattern).find('c') == std::string::npos ? "ab" : "";
    for (const char* w : example.members)
      EXPECT_TRUE(Matches(example.pattern, w, extra))
          << example.pattern << " should match '" << w << "'";
    for (const char* w : example.others)
      EXPECT_FALSE(Matches(example.pattern, w, extra))
          << example.pattern << " should not match '" << w << "'";
  }
}

TEST(Regex, SymbolsCanHaveLongNames) {
  const Dfa dfa = CompileRegex("[01]* (<POP>|<PUSH>[01])* # <a\\>b> × \\<");
  EXPECT_EQ(dfa.alphabet().names(),
            (std::vector<std::string>{"#", "0", "1", "<", "POP", "PUSH", "a>b", "×"}));
  EXPECT_TRUE(dfa.Accepts(dfa.alphabet().Parse("0 1 POP PUSH 1 # a>b × <", "")));
  EXPECT_FALSE(dfa.Accepts(dfa.alphabet().Parse("0 PUSH POP # a>b × <", "")));
}

TEST(Regex, AlphabetExtendsWhatThePatternMentions) {
  EXPECT_EQ(CompileRegex("a").alphabet().size(), 1u);
  const Dfa dfa = CompileRegex("~a", {"b", "long"});
  EXPECT_EQ(dfa.alphabet().names(), (std::vector<std::string>{"a", "b", "long"}));
  EXPECT_TRUE(dfa.Accepts(dfa.alphabet().Parse("long b", "")));
  EXPECT_FALSE(dfa.Accepts(dfa.alphabet().Parse("a", "")));
}

TEST(Regex, CompilesToTheMinimalDfa) {
  EXPECT_EQ(CompileRegex("(a|b)*a(a|b)").num_states(), 4u);
  EXPECT_EQ(CompileRegex("a|aa|aaa|aaa*").num_states(), 2u);
  EXPECT_EQ(CompileRegex("a[]", {"b"}).num_states(), 1u);
}

// fuzz/regressions/regex has patterns that took gigabytes or hours; these are the limits they
// reach.
TEST(Regex, RefusesWhatWouldTakeTooMuch) {
  const auto error_of = [](const std::string& pattern) -> std::string {
    try {
      CompileRegex(pattern);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string large =
      "regex: its automaton is too large: over 5000000 states and transitions";
  EXPECT_EQ(error_of("((a{1000}){1000}){1000}"), large);
  EXPECT_EQ(error_of("[一-龥]{300}"), large);
  EXPECT_EQ(error_of("~([一-龥]|a{1000})"), large);
  EXPECT_EQ(error_of("(a|b)*a(a|b){25}"),
            "regex: its automaton takes more than 30000000 steps to compute");
  const std::string open(251, '('), close(251, ')');
  EXPECT_EQ(error_of(open.substr(1) + "a" + close.substr(1)), "");
  EXPECT_EQ(error_of(open + "a" + close), "regex: character 252: nested more than 250 levels deep");
  std::string classes;
  for (int i = 0; i < 20; ++i) classes += "[一-龥]";
  EXPECT_TRUE(error_of(classes).ends_with(": the classes list more than 300000 symbols"));
}

TEST(Regex, SaysWhereAPatternIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"(ab", "character 1: this '(' is not closed"},
      {"ab)", "character 3: unexpected ')'"},
      {"a(b|*)", "character 5: '*' has nothing to repeat; to mean the symbol, write '\\*'"},
      {"[ab", "character 1: this '[' is not closed"},
      {"[a-]", "character 4: a range needs an end; for the symbol, write '\\-'"},
      {"[b-a]", "character 2: the range b-a is empty: its ends are the wrong way round"},
      {"[a-<bc>]", "character 2: a range needs single characters, not 'a' and 'bc'"},
      {"[(]", "character 2: unexpected '('; to mean the symbol, write '\\('"},
      {"a{2", "character 2: this '{' is not closed by '}'; to mean the symbol, write '\\{'"},
      {"a{}", "character 2: expected a count after '{', as in {2}, {2,} or {2,5}"},
      {"a{,}", "character 2: '{,}' has no count; write '*'"},
      {"a{3,2}", "character 2: {3,2}: the upper count is below the lower one"},
      {"a{99999}", "character 3: a count above 10000"},
      {"×a]", "character 3: unexpected ']'; to mean the symbol, write '\\]'"},
      {"a~", "character 3: expected a symbol or a group after '~'"},
      {"<ab", "character 1: this '<' is not closed by '>'; to mean the symbol, write '\\<'"},
      {"<>", "character 1: a symbol name is empty"},
      {"<a b>", "character 1: symbol 'a b' holds white space or a control character"},
      {"a\\", "character 2: '\\' at the end; write '\\\\' for the symbol"},
      {"a\xFF", "character 2: the pattern is not UTF-8"},
      {"(~)", "character 3: expected a symbol or a group after '~'"},
      {"\\d+", "character 1: '\\d' has no meaning; the symbol is 'd', a class is [...]"},
      {"^a$",
       "character 1: a pattern matches whole strings, so it has no anchors; to mean the symbol, "
       "write '\\^'"},
      {"", "the pattern mentions no symbol, so its alphabet is empty"},
      {"()", "the pattern mentions no symbol, so its alphabet is empty"},
  };
  for (const auto& [pattern, message] : cases) {
    try {
      CompileRegex(pattern);
      ADD_FAILURE() << pattern << " was accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()), std::string("regex: ") + message) << pattern;
    }
  }
}

TEST(Regex, RefusesPatternsThatWouldNotFit) {
  EXPECT_THROW(CompileRegex("((a{1000}){1000}){1000}"), InputError);
  EXPECT_THROW(CompileRegex("(a|b)*a(a|b){40}"), InputError);
  EXPECT_THROW(CompileRegex(std::string(100000, '(') + "a"), InputError);
  EXPECT_THROW(CompileRegex("a" + std::string(100000, '*')), InputError);
  EXPECT_THROW(CompileRegex("[\u0100-\U0010FFFF]"), InputError);
  EXPECT_THROW(CompileRegex("(a{9999})*&(a{9998})*"), InputError);
  EXPECT_THROW(CompileRegex("[\u4E00-\u9FA5]{1000}"), InputError);
  // ... but not those that are merely long, or that copy a complement many times.
  EXPECT_EQ(CompileRegex("(~((~((~a){60})){60})){60}").num_states(),
            CompileRegex("(~((~((~a){4})){4})){4}").num_states());
  EXPECT_EQ(CompileRegex("[\u4E00-\u9FA5]{50}").num_states(), 51u);
  EXPECT_EQ(CompileRegex(std::string(10000, 'a')).num_states(), 10001u);
  EXPECT_EQ(CompileRegex(std::string(10001, '~') + "[]", {"a"}).num_states(), 1u);
}

// A random pattern as text, and its meaning, directly by the definition of the operators.
struct RandomPattern {
  std::string text;
  std::function<bool(StringView)> matches;
};

RandomPattern MakePattern(int depth, Rng& rng) {
  const auto letter = [&]() -> RandomPattern {
    const std::size_t a = rng.UniformInt(std::uint64_t{2});
    return {std::string(1, static_cast<char>('a' + a)),
            [a](StringView w) { return w.size() == 1 && Index(w[0]) == a; }};
  };
  if (depth == 0) return letter();
  switch (rng.UniformInt(std::uint64_t{8})) {
    case 0:
      return letter();
    case 1:
      return {".", [](StringView w) { return w.size() == 1; }};
    case 2: {
      const auto x = MakePattern(depth - 1, rng), y = MakePattern(depth - 1, rng);
      return {"(" + x.text + "|" + y.text + ")",
              [x, y](StringView w) { return x.matches(w) || y.matches(w); }};
    }
    case 3: {
      const auto x = MakePattern(depth - 1, rng), y = MakePattern(depth - 1, rng);
      return {"(" + x.text + "&" + y.text + ")",
              [x, y](StringView w) { return x.matches(w) && y.matches(w); }};
    }
    case 4: {
      const auto x = MakePattern(depth - 1, rng);
      return {"~(" + x.text + ")", [x](StringView w) { return !x.matches(w); }};
    }
    case 5: {
      const auto x = MakePattern(depth - 1, rng), y = MakePattern(depth - 1, rng);
      return {"(" + x.text + ")(" + y.text + ")", [x, y](StringView w) {
                for (std::size_t i = 0; i <= w.size(); ++i) {
                  if (x.matches(w.first(i)) && y.matches(w.subspan(i))) return true;
                }
                return false;
              }};
    }
    default: {
      const auto x = MakePattern(depth - 1, rng);
      const std::size_t least = rng.UniformInt(std::uint64_t{3});
      const std::size_t most = least + rng.UniformInt(std::uint64_t{3});
      const bool endless = rng.Bit();
      const std::string bounds = endless ? std::to_string(least) + ","
                                         : std::to_string(least) + "," + std::to_string(most);
      // count = how many repetitions have been split off so far.
      std::function<bool(StringView, std::size_t)> repeat = [x, least, most, endless](
                                                                StringView w, std::size_t count) {
        const auto self = [&](const auto& again, StringView v, std::size_t c) -> bool {
          if (v.empty() && c >= least) return true;
          if (!endless && c == most) return false;
          for (std::size_t i = 0; i <= v.size(); ++i) {
            // Empty repetitions are useful only to reach the least count.
            if (i == 0 && c >= least) continue;
            if (x.matches(v.first(i)) && again(again, v.subspan(i), c + 1)) return true;
          }
          return false;
        };
        return self(self, w, count);
      };
      return {"(" + x.text + "){" + bounds + "}", [repeat](StringView w) { return repeat(w, 0); }};
    }
  }
}

TEST(Regex, RandomPatternsMeanWhatTheirOperatorsSay) {
  const auto strings = AllStrings(2, 6);
  for (std::uint64_t i = 0; i < 400; ++i) {
    Rng rng = Rng::For(0, "regex-test", i);
    const RandomPattern pattern = MakePattern(4, rng);
    const Dfa dfa = CompileRegex(pattern.text, {"a", "b"});
    ASSERT_EQ(Minimize(dfa), dfa);
    for (const String& w : strings) {
      ASSERT_EQ(dfa.Accepts(w), pattern.matches(w))
          << pattern.text << " on '" << dfa.alphabet().Format(w) << "'";
    }
  }
}

}  // namespace
}  // namespace flare
