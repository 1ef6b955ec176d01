#include "flare/languages/small_languages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

// A complete automaton as bare tables, for the oracles: nothing here is shared with the program.
struct Table {
  std::size_t states;
  std::vector<std::size_t> next;  // of q by letter a at 2q + a
  std::vector<bool> accepting;
};

std::size_t After(const Table& t, std::size_t q, const std::vector<int>& word) {
  for (const int a : word) q = t.next[2 * q + static_cast<std::size_t>(a)];
  return q;
}

// All words of at most n letters.
std::vector<std::vector<int>> WordsUpTo(std::size_t n) {
  std::vector<std::vector<int>> words{{}};
  for (std::size_t i = 0, end = words.size(), length = 0; length < n;
       ++length, end = words.size()) {
    for (; i < end; ++i) {
      for (const int a : {0, 1}) {
        words.push_back(words[i]);
        words.back().push_back(a);
      }
    }
  }
  return words;
}

// Is every state reached from state 0, and every pair of states told apart? Words of fewer letters
// than there are states suffice for both.
bool IsReachableAndMinimal(const Table& t, const std::vector<std::vector<int>>& words) {
  std::set<std::size_t> reached;
  for (const auto& word : words) reached.insert(After(t, 0, word));
  if (reached.size() != t.states) return false;
  for (std::size_t p = 0; p < t.states; ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      if (std::all_of(words.begin(), words.end(), [&](const auto& word) {
            return t.accepting[After(t, p, word)] == t.accepting[After(t, q, word)];
          })) {
        return false;
      }
    }
  }
  return true;
}

template <class Visit>
void ForEachTable(std::size_t states, Visit visit) {
  Table t{states, std::vector<std::size_t>(2 * states, 0), std::vector<bool>(states)};
  for (;;) {
    for (unsigned marks = 0; marks < 1u << states; ++marks) {
      for (std::size_t q = 0; q < states; ++q) t.accepting[q] = ((marks >> q) & 1) != 0;
      visit(t);
    }
    std::size_t place = 0;
    while (place < t.next.size() && ++t.next[place] == states) t.next[place++] = 0;
    if (place == t.next.size()) return;
  }
}

Dfa DfaOf(const Table& t, const std::vector<std::size_t>& names) {
  DfaBuilder b(Alphabet({"a", "b"}));
  std::vector<std::size_t> state_named(t.states);
  for (std::size_t q = 0; q < t.states; ++q) state_named[names[q]] = q;
  for (const std::size_t q : state_named) b.AddState(t.accepting[q]);
  for (std::size_t q = 0; q < t.states; ++q) {
    for (std::size_t a = 0; a < 2; ++a) {
      b.AddTransition(StateAt(names[q]), SymbolAt(a), StateAt(names[t.next[2 * q + a]]));
    }
  }
  return std::move(b).Build(StateAt(names[0]));
}

Table TableOf(const Dfa& complete) {
  Table t{complete.num_states(), std::vector<std::size_t>(2 * complete.num_states()), {}};
  for (std::size_t q = 0; q < t.states; ++q) {
    t.accepting.push_back(complete.IsAccepting(StateAt(q)));
    for (const auto& [a, r] : complete.TransitionsFrom(StateAt(q))) {
      t.next[2 * q + Index(a)] = Index(r);
    }
  }
  return t;
}

// Does a renaming of the states that keeps the start turn one table into the other, after the
// letters were exchanged or the marks were?
bool AreIsomorphic(const Table& s, const Table& t, std::size_t exchange, bool complement) {
  std::vector<std::size_t> names(s.states);
  std::iota(names.begin(), names.end(), std::size_t{0});
  do {
    bool same = true;
    for (std::size_t q = 0; same && q < s.states; ++q) {
      same = s.accepting[q] == (t.accepting[names[q]] != complement);
      for (std::size_t a = 0; same && a < 2; ++a) {
        same = names[s.next[2 * q + a]] == t.next[2 * names[q] + (a ^ exchange)];
      }
    }
    if (same) return true;
  } while (std::next_permutation(names.begin() + 1, names.end()));
  return false;
}

// A minimal automaton of K states whose start is state 0 has (K−1)! tables, so that languages are
// counted by counting tables, and orbits by Burnside's lemma.
TEST(SmallLanguages, AreAsManyAsBruteForceCounts) {
  const std::array<std::size_t, 4> languages = {2, 24, 1'028, 56'014};
  const std::array<std::size_t, 4> orbits = {1, 7, 262, 14'050};
  std::size_t renamings = 1;
  for (std::size_t states = 1; states <= 4; ++states) {
    renamings *= std::max<std::size_t>(states - 1, 1);
    const auto words = WordsUpTo(states - 1);
    std::size_t tables = 0, fixed = 0;
    ForEachTable(states, [&](const Table& t) {
      if (!IsReachableAndMinimal(t, words)) return;
      ++tables;
      for (const bool complement : {false, true}) {
        if (AreIsomorphic(t, t, 1, complement)) ++fixed;
      }
    });
    EXPECT_EQ(tables % renamings, 0u);
    EXPECT_EQ(tables / renamings, languages[states - 1]);
    EXPECT_EQ(CountSmallLanguages(states), languages[states - 1]);
    // No language is its own complement.
    EXPECT_EQ((tables + fixed) / renamings / 4, orbits[states - 1]);
    EXPECT_EQ(SmallRepresentatives(states).size(), orbits[states - 1]);
  }
}

TEST(SmallLanguages, UpToThreeStatesMatchAllTables) {
  for (std::size_t states = 1; states <= 3; ++states) {
    std::set<SmallLanguage> found;
    ForEachTable(states, [&](const Table& t) {
      std::vector<std::size_t> names(states);
      std::iota(names.begin(), names.end(), std::size_t{0});
      const Dfa dfa = DfaOf(t, names);
      const auto language = FindSmall(dfa);
      ASSERT_TRUE(language);
      ASSERT_EQ(Minimize(MakeSmallDfa(*language)), Minimize(dfa));
      if (language->states == states) found.insert(*language);
    });
    EXPECT_EQ(found.size(), CountSmallLanguages(states));
  }
}

TEST(SmallLanguages, AreFoundAgainWhateverTheirStatesAreCalled) {
  Rng rng = Rng::For(7, "small-languages-test");
  for (std::size_t states = 1; states <= 4; ++states) {
    for (std::size_t i = 1; i <= CountSmallLanguages(states); ++i) {
      const SmallLanguage language{states, i};
      const Dfa dfa = MakeSmallDfa(language);
      std::vector<std::size_t> names(states);
      std::iota(names.begin(), names.end(), std::size_t{0});
      rng.Shuffle(names);
      ASSERT_EQ(FindSmall(DfaOf(TableOf(dfa), names)), language);
    }
  }
}

// The order is a promise: data of these names exists.
TEST(SmallLanguages, AreOrderedByTargetsThenByMarks) {
  for (std::size_t states = 1; states <= 4; ++states) {
    std::vector<std::size_t> before;
    for (std::size_t i = 1; i <= CountSmallLanguages(states); ++i) {
      const Table t = TableOf(MakeSmallDfa({states, i}));
      std::vector<std::size_t> word = t.next;
      for (const bool accepts : t.accepting) word.push_back(accepts ? 0 : 1);
      ASSERT_LT(before, word);
      // Breadth-first numbers: a state appears first after those before it.
      std::size_t seen = 0;
      for (const std::size_t target : t.next) {
        ASSERT_LE(target, seen + 1);
        seen = std::max(seen, target);
      }
      before = word;
    }
  }
  const auto small = [](const std::string& pattern) {
    return FindSmall(CompileRegex(pattern, {"a", "b"}))->Text();
  };
  EXPECT_EQ(small(".*"), "small:1:1");
  EXPECT_EQ(small("[]"), "small:1:2");
  EXPECT_EQ(small("b*"), FindSmall(*ResolveLanguage("tomita-1").language->dfa())->Text());
}

TEST(SmallLanguages, HaveRepresentativesThatDifferByLettersAndComplement) {
  std::size_t orbit_sizes = 0;
  for (std::size_t states = 1; states <= 3; ++states) {
    std::set<SmallLanguage> representatives;
    std::vector<Table> tables;
    for (std::size_t i = 1; i <= CountSmallLanguages(states); ++i) {
      tables.push_back(TableOf(MakeSmallDfa({states, i})));
    }
    for (std::size_t i = 1; i <= CountSmallLanguages(states); ++i) {
      const SmallLanguage language{states, i};
      const SmallRelation relation = RepresentativeOf(language);
      representatives.insert(relation.representative);
      ASSERT_LE(relation.representative, language);
      const Table& t = tables[i - 1];
      const Table& r = tables[relation.representative.index - 1];
      ASSERT_TRUE(AreIsomorphic(t, r, relation.exchanges_letters ? 1 : 0, relation.complements));
      ASSERT_EQ(RepresentativeOf(relation.representative).representative, relation.representative);
      ASSERT_TRUE(r.accepting[0]);
      // Whatever is related has the same representative.
      for (std::size_t j = 1; j <= CountSmallLanguages(states); ++j) {
        const Table& other = tables[j - 1];
        for (std::size_t exchange = 0; exchange < 2; ++exchange) {
          for (const bool complement : {false, true}) {
            if (!AreIsomorphic(t, other, exchange, complement)) continue;
            ++orbit_sizes;
            ASSERT_EQ(RepresentativeOf({states, j}).representative, relation.representative);
          }
        }
      }
    }
    const auto listed = SmallRepresentatives(states);
    EXPECT_EQ(std::set<SmallLanguage>(listed.begin(), listed.end()), representatives);
  }
  EXPECT_EQ(orbit_sizes, 4u * (2 + 24 + 1'028));  // each has four images
}

TEST(SmallLanguages, HavePatternsOfTheirOwnLanguage) {
  const auto check = [](const SmallLanguage& language) {
    const std::string pattern = PatternOf(language);
    ASSERT_EQ(FindSmall(CompileRegex(pattern, {"a", "b"})), language) << pattern;
  };
  for (std::size_t states = 1; states <= 3; ++states) {
    for (std::size_t i = 1; i <= CountSmallLanguages(states); ++i) check({states, i});
  }
  for (std::size_t i = 1; i <= CountSmallLanguages(4); i += 1009) check({4, i});
}

TEST(SmallLanguages, HaveShortPatterns) {
  const auto pattern = [](const std::string& text) {
    return PatternOf(*FindSmall(CompileRegex(text, {"a", "b"})));
  };
  for (const std::string text :
       {".*", "()", "[]", "a*", "a.*", ".*a", "a?", "(ab)*", "a*b*", ".*aa.*", "(..)*", "b*a.*"}) {
    EXPECT_LE(pattern(text).size(), text.size()) << pattern(text);
  }
}

TEST(Atlas, LeavesOutWhatIsFiniteOrCofinite) {
  EXPECT_EQ(Atlas(3).size(), 264u);
  std::vector<std::string> left_out;
  for (std::size_t states = 1; states <= 3; ++states) {
    for (const SmallLanguage& language : SmallRepresentatives(states)) {
      // Finite: no member has as many letters as there are states, or more; up to twice as many
      // suffice to find out.
      const Table t = TableOf(MakeSmallDfa(language));
      std::set<bool> long_ones;
      for (const auto& word : WordsUpTo(2 * states)) {
        if (word.size() >= states) long_ones.insert(t.accepting[After(t, 0, word)]);
      }
      EXPECT_EQ(IsFiniteOrCofinite(language), long_ones.size() == 1);
      if (!IsFiniteOrCofinite(language)) continue;
      left_out.push_back(CommonNameOf(language));
    }
  }
  EXPECT_EQ(left_out.size(), 6u);
  EXPECT_THAT(left_out, testing::Each(testing::Ne("")));
}

TEST(SmallLanguages, AreKnownByTheNamesOfTheCatalogue) {
  const auto name = [](const std::string& text) {
    return CommonNameOf(*FindSmall(*ResolveLanguage(text).language->dfa()));
  };
  EXPECT_EQ(name("parity"), "parity");
  EXPECT_EQ(name("mod-2"), "not parity");
  EXPECT_EQ(name("first"), "first");
  EXPECT_EQ(name("last"), "last (flip-flop)");
  EXPECT_EQ(name("regex:[ab]*a[ab]*"), "not tomita-1");
  EXPECT_EQ(name("tomita-2"), "repeat-01");
  EXPECT_EQ(name("tomita-4"), "tomita-4");
  EXPECT_EQ(name("tomita-6"), "tomita-6");
  EXPECT_FALSE(FindSmall(*ResolveLanguage("s5-binary").language->dfa()));
  EXPECT_FALSE(FindSmall(*ResolveLanguage("dyck-2-3").language->dfa()));
}

TEST(SmallSource, IsALanguageByItsNumbers) {
  const NamedLanguage language = ResolveLanguage("small:3:17");
  EXPECT_EQ(FindSmall(*language.language->dfa()), (SmallLanguage{3, 17}));
  EXPECT_FALSE(IsDefinition("small:3:17"));
}

TEST(SmallSource, RefusesWhatIsNotNumbered) {
  const auto refusal = [](const std::string& text) {
    try {
      ResolveLanguage(text);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal("small:3"), HasSubstr("expected small:K:I"));
  EXPECT_THAT(refusal("small:3:-1"), HasSubstr("expected small:K:I"));
  EXPECT_THAT(refusal("small:3:x"), HasSubstr("expected small:K:I"));
  EXPECT_THAT(refusal("small:5:1"), HasSubstr("1 to 4 states"));
  EXPECT_THAT(refusal("small:0:1"), HasSubstr("1 to 4 states"));
  EXPECT_THAT(refusal("small:3:0"), HasSubstr("from 1 to 1028"));
  EXPECT_THAT(refusal("small:3:1029"), HasSubstr("from 1 to 1028"));
  EXPECT_THAT(refusal("small:3:017"), HasSubstr("small:3:17"));
  EXPECT_THAT(refusal("small:1:2"), HasSubstr("the language is empty"));
}

}  // namespace
}  // namespace flare
