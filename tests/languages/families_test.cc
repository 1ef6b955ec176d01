#include "flare/languages/families.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "flare/automata/regex.h"
#include "flare/classes/classification.h"
#include "flare/languages/catalog.h"
#include "flare/languages/group.h"
#include "flare/languages/source.h"
#include "support/random_automata.h"
#include "support/refusal.h"

namespace flare {
namespace {

using testing::HasSubstr;

const Dfa& AutomatonOf(const NamedLanguage& language) { return *language.language->dfa(); }

TEST(Families, HaveTheirExamples) {
  for (const LanguageFamily& family : LanguageFamilies()) {
    const NamedLanguage language = ResolveLanguage(family.example);
    EXPECT_EQ(language.name, family.example);
    EXPECT_EQ(FindInCatalog(family.example), nullptr);
    const Dfa envelope = CompileRegex(language.envelope, language.language->alphabet().names());
    for (const String& w : AllStrings(language.language->alphabet().size(), 6)) {
      if (language.language->Contains(w)) EXPECT_TRUE(envelope.Accepts(w));
    }
  }
}

TEST(Families, AreWhatTheirNamesSay) {
  // The paper's language is a member of the family, with the same automaton.
  EXPECT_EQ(AutomatonOf(*FindInFamilies("dyck-2-3")), *ResolveLanguage("dyck-2-3").language->dfa());
  EXPECT_EQ(ResolveLanguage("dyck-2-3").identity, "dyck-2-3");
  EXPECT_EQ(AutomatonOf(*FindInFamilies("dyck-1-2")), CompileRegex("(<(0>(<(0><)0>)*<)0>)*"));
  EXPECT_EQ(AutomatonOf(*FindInFamilies("blocks-1")), CompileRegex("a+", {"b"}));
  EXPECT_EQ(AutomatonOf(*FindInFamilies("blocks-4")), CompileRegex("a+b+a+b+"));
  EXPECT_EQ(AutomatonOf(*FindInFamilies("mod-1")), CompileRegex("[01]*"));
  EXPECT_EQ(AutomatonOf(*FindInFamilies("mod-3")), CompileRegex("(0*10*10*1)*0*"));
}

TEST(Families, RefuseOtherNamesAndWhatIsTooLarge) {
  for (const char* name : {"dyck", "dyck-2", "dyck-2-", "dyck-02-3", "dyck-0-3", "dyck-2-3-4",
                           "mod--3", "mod-x", "blocks", "modx3"}) {
    EXPECT_EQ(FindInFamilies(name), std::nullopt) << name;
  }
  for (const char* name : {"dyck-2-40", "dyck-99999999999-1", "dyck-400-2", "mod-100001",
                           "blocks-18446744073709551615"}) {
    EXPECT_TRUE(RefusalOf([&] { ResolveLanguage(name); }).ends_with("more than 100000 states"))
        << name;
  }
}

TEST(Groups, ObeyTheLawsOfGroups) {
  for (const char* name : {"Z1", "Z2", "Z7", "Z60", "S2", "S3", "S4", "A3", "A4", "A5", "D3", "D4",
                           "Q8", "A4_x_Z5", "Z2_x_Z2_x_S3"}) {
    const FiniteGroup g = MakeGroup(name);
    ASSERT_EQ(g.products.size(), g.order() * g.order());
    ASSERT_EQ(std::set<std::string>(g.names.begin(), g.names.end()).size(), g.order()) << name;
    Rng rng = Rng::For(0, name);
    for (int i = 0; i < 500; ++i) {
      const std::size_t x = rng.UniformInt(g.order()), y = rng.UniformInt(g.order()),
                        z = rng.UniformInt(g.order());
      ASSERT_EQ(g.Product(g.Product(x, y), z), g.Product(x, g.Product(y, z))) << name;
      ASSERT_EQ(g.Product(0, x), x);
      ASSERT_EQ(g.Product(x, 0), x);
    }
    for (std::size_t x = 0; x < g.order(); ++x) {
      std::set<std::size_t> row;
      for (std::size_t y = 0; y < g.order(); ++y) row.insert(g.Product(x, y));
      ASSERT_EQ(row.size(), g.order()) << name;
    }
    // The generators generate.
    std::set<std::size_t> reached{0};
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      const std::size_t x = open.back();
      open.pop_back();
      for (const std::size_t y : g.generators) {
        if (reached.insert(g.Product(x, y)).second) open.push_back(g.Product(x, y));
      }
    }
    EXPECT_EQ(reached.size(), g.order()) << name;
  }
}

TEST(Groups, HaveTheirOrdersAndNames) {
  EXPECT_EQ(MakeGroup("S5").order(), 120u);
  EXPECT_EQ(MakeGroup("A5").order(), 60u);
  EXPECT_EQ(MakeGroup("D4").order(), 8u);
  EXPECT_EQ(MakeGroup("A4_x_Z5").order(), 60u);
  EXPECT_EQ(MakeGroup("S3").names,
            (std::vector<std::string>{"()", "(2,3)", "(1,2)", "(1,2,3)", "(1,3,2)", "(1,3)"}));
  EXPECT_EQ(MakeGroup("Z2_x_S2").names,
            (std::vector<std::string>{"0|()", "0|(1,2)", "1|()", "1|(1,2)"}));
  // Q8 has one element of order 2, D4 has five.
  const auto involutions = [](const FiniteGroup& g) {
    int count = 0;
    for (std::size_t x = 1; x < g.order(); ++x) count += g.Product(x, x) == 0 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(involutions(MakeGroup("Q8")), 1);
  EXPECT_EQ(involutions(MakeGroup("D4")), 5);
  for (const char* name : {"", "S", "S0", "S1", "S05", "A2", "D2", "Q16", "X3", "Z3_x_", "_x_Z3"}) {
    EXPECT_NE(RefusalOf([&] { MakeGroup(name); }), "") << name;
  }
  for (const char* name : {"S7", "S99999", "Z2001", "A5_x_A5", "Z99999999999999999999"}) {
    EXPECT_NE(RefusalOf([&] { MakeGroup(name); }), "") << name;
  }
}

TEST(Groups, TooLargeGroupsAreRefused) {
  for (const char* name : {"Z50_x_Z50", "S4_x_S4_x_Z4", "Z2000_x_Z2", "S6_x_S6"}) {
    EXPECT_THAT(RefusalOf([&] { MakeGroup(name); }), HasSubstr("more than")) << name;
  }
}

TEST(GroupSource, IsTheWordProblem) {
  const NamedLanguage s3 = ResolveLanguage("group:S3");
  EXPECT_EQ(AutomatonOf(s3).num_states(), 6u);
  const auto contains = [](const NamedLanguage& l, const std::string& line) {
    return l.language->Contains(l.language->alphabet().Parse(line, ""));
  };
  EXPECT_TRUE(contains(s3, ""));
  EXPECT_TRUE(contains(s3, "(1,2) (1,2)"));
  // From left to right: 1 goes to 2 and then to 3.
  EXPECT_TRUE(contains(s3, "(1,2) (2,3) (1,2,3)"));
  EXPECT_FALSE(contains(s3, "(1,2) (2,3) (1,3,2)"));
  const NamedLanguage generated = ResolveLanguage("group:S3", {.generators = true});
  EXPECT_EQ(generated.language->alphabet().names(), (std::vector<std::string>{"(1,2)", "(1,2,3)"}));
  EXPECT_NE(generated.identity, s3.identity);
  EXPECT_EQ(AutomatonOf(ResolveLanguage("group:Z2", {.generators = true})), CompileRegex("(11)*"));
}

// The numbers of minimal complete DFAs with n states over two symbols, up to isomorphism, are known
// (OEIS A059412 counts those of 1, 2, 3 states as 2, 24, 1028): all 24 of two states come up, about
// equally often.
TEST(RandomSource, DrawsEveryMinimalAutomatonEquallyOften) {
  std::map<std::string, std::size_t> drawn;
  constexpr std::size_t kDraws = 4800;
  for (std::size_t seed = 0; seed < kDraws; ++seed) {
    const NamedLanguage l =
        ResolveLanguage("random:states=2,symbols=2,seed=" + std::to_string(seed));
    std::string truth;
    for (const String& w : AllStrings(2, 4)) truth += l.language->Contains(w) ? '1' : '0';
    ++drawn[truth];
  }
  EXPECT_EQ(drawn.size(), 24u);
  for (const auto& [truth, count] : drawn) {
    EXPECT_NEAR(static_cast<double>(count), 200, 6 * std::sqrt(200)) << truth;
  }
}

TEST(RandomSource, HasTheSizeThatItsNameSays) {
  for (const std::size_t states : {1u, 2u, 8u, 50u, 300u}) {
    const NamedLanguage l =
        ResolveLanguage("random:states=" + std::to_string(states) + ",symbols=3,seed=5");
    const Dfa& dfa = AutomatonOf(l);
    const bool has_sink = dfa.num_transitions() < dfa.num_states() * 3;
    EXPECT_EQ(dfa.num_states() + (has_sink ? 1 : 0), states);
  }
  EXPECT_EQ(ResolveLanguage("random:symbols=2,states=4").identity,
            "random:states=4,symbols=2,seed=0");
  for (const char* text :
       {"random:", "random:states=3", "random:states=0,symbols=2", "random:states=3,symbols=27",
        "random:states=3,symbols=2,states=3", "random:states=3,symbols=2,seed=x",
        "random:states=1001,symbols=2", "random:states=3,symbols=2,"}) {
    EXPECT_NE(RefusalOf([&] { ResolveLanguage(text); }), "") << text;
  }
}

std::string TruthTable(const Dfa& dfa) {
  std::string truth;
  for (const String& w : AllStrings(2, 4)) truth += dfa.Accepts(w) ? '1' : '0';
  return truth;
}

// Every minimal complete DFA of two states over two symbols: is it of the class?
std::map<std::string, bool> TwoStateLanguages(const std::string& key) {
  std::map<std::string, bool> all;
  for (std::size_t code = 0; code < 64; ++code) {
    DfaBuilder b(Alphabet({"a", "b"}));
    for (std::size_t q = 0; q < 2; ++q) b.AddState((code >> q & 1) != 0);
    for (std::size_t i = 0; i < 4; ++i) {
      b.AddTransition(StateAt(i / 2), SymbolAt(i % 2), StateAt(code >> (2 + i) & 1));
    }
    const Dfa dfa = std::move(b).Build(StateAt(0));
    const auto c = classes::Classify(dfa);
    if (c.num_states == 2) all[TruthTable(dfa)] = c.At(key).holds.value();
  }
  return all;
}

// By enumeration: exactly the languages of the class come up, all equally often.
TEST(RandomSource, IsUniformOverTheMembersOfAClass) {
  for (const std::string key : {"star-free", "group", "!group"}) {
    std::string plain = key.substr(key[0] == '!' ? 1 : 0);
    std::replace(plain.begin(), plain.end(), '-', '_');
    std::map<std::string, int> counts;
    for (const auto& [truth, belongs] : TwoStateLanguages(plain)) {
      if (belongs == (key[0] != '!')) counts[truth] = 0;
    }
    ASSERT_GT(counts.size(), 1u);
    const int draws = 200 * static_cast<int>(counts.size());
    for (int seed = 0; seed < draws; ++seed) {
      const NamedLanguage l =
          ResolveLanguage(fmt::format("random:states=2,symbols=2,seed={},{}", seed, key));
      const auto found = counts.find(TruthTable(*l.language->dfa()));
      ASSERT_NE(found, counts.end()) << key << " " << seed;
      ++found->second;
    }
    for (const auto& [truth, count] : counts) EXPECT_NEAR(count, 200, 6 * std::sqrt(200)) << truth;
  }
}

TEST(RandomSource, NamesItsClassesInOneWayAndTellsItsDraws) {
  const NamedLanguage l =
      ResolveLanguage("random:states=3,symbols=2,!r_trivial,seed=7,star-free,star_free");
  EXPECT_EQ(l.identity, "random:states=3,symbols=2,seed=7,!r-trivial,star-free");
  EXPECT_EQ(l.identity, ResolveLanguage(l.identity).identity);
  const auto c = classes::Classify(*l.language->dfa());
  EXPECT_EQ(c.At("star_free").holds, true);
  EXPECT_EQ(c.At("r_trivial").holds, false);
  EXPECT_TRUE(std::regex_match(l.definition, std::regex("a random automaton of 3 states over 2 "
                                                        "symbols, the first of [0-9]+ draws? that "
                                                        "is !r-trivial, star-free")))
      << l.definition;
}

// Only one state is enough for both: given up when every automaton of three has been drawn.
TEST(RandomSource, GivesUpSoonOnClassesWithoutAutomata) {
  const std::string refusal =
      RefusalOf([] { ResolveLanguage("random:states=3,symbols=2,seed=3,group,star-free"); });
  std::smatch draws;
  ASSERT_TRUE(std::regex_search(refusal, draws, std::regex("([0-9]+) random automata"))) << refusal;
  EXPECT_LT(std::stoul(draws[1]), 100'000u);
}

TEST(RandomSource, RefusesClassesThatAreNoneOrContradict) {
  const auto refusal = [](const char* name) { return RefusalOf([&] { ResolveLanguage(name); }); };
  EXPECT_THAT(refusal("random:states=3,symbols=2,starfree"), HasSubstr("did you mean star_free?"));
  EXPECT_THAT(refusal("random:states=2,symbols=1,finite,!finite"),
              HasSubstr("no language is finite and "));
}

}  // namespace
}  // namespace flare
