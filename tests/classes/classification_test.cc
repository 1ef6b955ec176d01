#include "flare/classes/classification.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/classes/classification_formats.h"
#include "support/random_automata.h"
#include "support/witness_checker.h"

namespace flare {
namespace {

using classes::Classification;
using classes::Classify;

// What a person knows about a language: the size of its monoid (0: not worked out), classes with
// their k after a colon, and classes that it does not belong to.
struct KnownLanguage {
  const char* pattern;
  const char* more_symbols;
  std::size_t monoid;
  const char* circuit_class;
  const char* yes;
  const char* no;
};

const std::vector<KnownLanguage>& KnownLanguages() {
  static const std::vector<KnownLanguage> known = {
      // everything, nothing but ε, one symbol only
      {".*", "0 1", 1, "AC0",
       "group commutative definite:0 reverse_definite:0 strictly_local:1 strictly_piecewise:0 "
       "co_finite piecewise_testable:0 locally_testable:1",
       "finite"},
      {"0*", "0 1", 2, "AC0",
       "strictly_local:1 strictly_piecewise:1 commutative piecewise_testable:1",
       "finite definite group"},
      {"(0|1)?", "0 1", 3, "AC0",
       "finite strictly_piecewise:2 definite:2 reverse_definite:2 commutative", "group co_finite"},
      {"(0|1)(0|1)", "", 4, "AC0", "finite definite:3 reverse_definite:3 commutative",
       "strictly_piecewise"},
      {"~(01)", "", 0, "AC0", "co_finite definite reverse_definite piecewise_testable",
       "finite strictly_piecewise"},
      // the ends of a string
      {"1.*", "0 1", 3, "AC0", "reverse_definite:1 r_trivial strictly_local:2 da",
       "l_trivial definite commutative"},
      {".*1", "0 1", 3, "AC0", "definite:1 l_trivial strictly_local:2 da",
       "r_trivial reverse_definite commutative"},
      {".*1.", "0 1", 0, "AC0", "definite:2 l_trivial strictly_local:3", "r_trivial"},
      {"1|1.*1", "0 1", 5, "AC0", "strictly_local:2 da locally_testable:2",
       "r_trivial l_trivial definite reverse_definite"},
      // factors
      {"(01)*", "", 6, "AC0", "strictly_local:2 locally_testable:2",
       "r_trivial l_trivial da definite strictly_piecewise"},
      {"~(.*000.*)", "1", 0, "AC0", "strictly_local:3 locally_testable:3",
       "r_trivial strictly_piecewise definite"},
      {".*11.*", "0 1", 0, "AC0", "co_strictly_local:2 locally_testable:2",
       "strictly_local r_trivial da"},
      {".*(00.*11|11.*00).*", "", 0, "AC0", "dot_depth_one star_free locally_testable:2",
       "strictly_local co_strictly_local r_trivial"},
      {"(ab|ba)*", "", 0, "AC0", "star_free", "da commutative"},
      {"(a(ab)*b)*", "", 0, "AC0", "star_free", "dot_depth_one locally_threshold_testable da"},
      // subsequences
      {".*0.*1.*", "0 1", 5, "AC0",
       "piecewise_testable:2 co_strictly_piecewise:2 co_strictly_local:2",
       "strictly_piecewise strictly_local"},
      {"0*1*", "", 0, "AC0", "strictly_piecewise:2 strictly_local:2 piecewise_testable:2",
       "finite commutative"},
      {"0*1*0*1*", "", 0, "AC0", "strictly_piecewise:4 piecewise_testable",
       "strictly_local locally_testable"},
      {".*a.*b.*c.*", "", 0, "AC0", "piecewise_testable:3 co_strictly_piecewise:3 dot_depth_one",
       "strictly_piecewise locally_testable"},
      // counting up to a threshold
      {"b*ab*", "", 3, "AC0",
       "locally_threshold_testable piecewise_testable:2 commutative tier_definite:2 "
       "tier_reverse_definite:2",
       "locally_testable strictly_local strictly_piecewise definite group"},
      {"b*ab*ab*", "", 4, "AC0", "locally_threshold_testable piecewise_testable:3 commutative",
       "locally_testable"},
      // on a tier: c is neutral
      {"~(.*ac*a.*)", "a b c", 0, "AC0", "tier_strictly_local:2 tier_locally_testable:2 star_free",
       "strictly_local locally_testable locally_threshold_testable dot_depth_one tier_definite"},
      {".*ac*a.*", "a b c", 0, "AC0", "tier_co_strictly_local:2 tier_locally_testable:2",
       "tier_strictly_local dot_depth_one"},
      {"c*a.*", "a b c", 3, "AC0", "tier_reverse_definite:1 r_trivial tier_strictly_local:2",
       "reverse_definite strictly_local l_trivial"},
      // groups
      {"(0|10*1)*", "", 2, "ACC0", "group commutative solvable",
       "star_free ac0 tier_dot_depth_one"},
      {"(..)*", "0 1", 2, "AC0", "group commutative ac0 solvable", "star_free"},
      {"(aaa)*", "", 3, "AC0", "group commutative ac0", "star_free"},
      {"(aa)*", "b", 3, "AC0", "commutative ac0 solvable", "group star_free locally_testable"},
      {"((0|1)(0|1))*&(0|10*1)*", "", 4, "ACC0", "group commutative solvable", "ac0"},
      {"(0|11|10(1|00)*01)*", "", 6, "ACC0", "group solvable", "commutative ac0"},
      {"((a|b){3}(ab*a|b))*", "", 120, "NC1-complete", "group",
       "solvable commutative ac0 star_free"},
  };
  return known;
}

std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    if (end == std::string::npos) end = text.size();
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

TEST(Classify, KnowsWhatPeopleKnow) {
  for (const KnownLanguage& known : KnownLanguages()) {
    SCOPED_TRACE(known.pattern);
    const Dfa dfa = CompileRegex(known.pattern, WordsOf(known.more_symbols));
    const Classification c = Classify(dfa);
    if (known.monoid != 0) EXPECT_EQ(c.monoid.size, known.monoid);
    const Json json = classes::ClassificationToJson(c);
    EXPECT_EQ(json["circuit_class"], known.circuit_class);
    for (const std::string& word : WordsOf(known.yes)) {
      const std::string key = word.substr(0, word.find(':'));
      EXPECT_EQ(c.At(key).holds, true) << key;
      if (key != word)
        EXPECT_EQ(std::to_string(c.At(key).k.value_or(999)), word.substr(key.size() + 1)) << key;
    }
    for (const std::string& key : WordsOf(known.no)) EXPECT_EQ(c.At(key).holds, false) << key;
    WitnessChecker checker(Minimize(dfa));
    for (const auto& [key, property] : c.properties)
      EXPECT_TRUE(checker.Check(key, property)) << key;
  }
}

TEST(Classify, TheEmptyLanguageIsEverythingSmall) {
  DfaBuilder builder(Letters(2));
  const StateId only = builder.AddState(false);
  const Classification c = Classify(std::move(builder).Build(only));
  EXPECT_EQ(c.monoid.size, 1u);
  EXPECT_EQ(c.At("finite").holds, true);
  EXPECT_EQ(c.At("strictly_local").holds, true);
  EXPECT_EQ(c.circuit_class, classes::CircuitClass::kAC0);
}

// What a limit leaves open is reported as open; what needs no monoid, or follows, is not.
TEST(Classify, SaysWhatTheLimitLeavesOpen) {
  const auto limited = [](const char* pattern) {
    return Classify(CompileRegex(pattern), {.max_elements = 2});
  };
  const Classification open = limited("(a(ab)*b|c)*cc(a(ab)*b|c)*");
  EXPECT_FALSE(open.monoid.limit.empty());
  EXPECT_EQ(open.At("da").holds, std::nullopt);
  EXPECT_EQ(open.At("star_free").holds, true);  // as pairs of states show
  EXPECT_EQ(open.At("r_trivial").holds, false);
  EXPECT_EQ(open.At("strictly_local").holds, false);
  EXPECT_TRUE(classes::ClassificationToJson(open)["properties"]["da"]["holds"].is_null());

  const Classification counted = limited("(a(ab)*b)*");
  EXPECT_EQ(counted.At("c_rasp").holds, true);
  EXPECT_EQ(counted.At("star_free").holds, true);  // as those in C-RASP are
  EXPECT_EQ(counted.At("star_free").limit, "");
  EXPECT_EQ(counted.circuit_class, classes::CircuitClass::kAC0);

  const Classification local = limited("(01)*");
  EXPECT_EQ(local.At("star_free").holds, true);  // as strictly local ones are
  EXPECT_EQ(local.At("star_free").limit, "");
  EXPECT_EQ(local.At("locally_testable").holds, true);
  EXPECT_NE(local.At("locally_testable").limit, "");  // its k is open
  EXPECT_EQ(local.At("da").holds, std::nullopt);
  EXPECT_EQ(local.circuit_class, classes::CircuitClass::kAC0);

  const Dfa group = CompileRegex("((a|b){3}(ab*a|b))*");
  const Classification periodic = Classify(group, {.max_elements = 2});
  EXPECT_EQ(periodic.At("star_free").holds, false);
  EXPECT_EQ(periodic.At("da").holds, false);
  EXPECT_EQ(periodic.At("solvable").holds, std::nullopt);
  EXPECT_EQ(periodic.circuit_class, classes::CircuitClass::kUnknown);
  WitnessChecker checker(group);
  for (const auto& [key, property] : periodic.properties)
    EXPECT_TRUE(checker.Check(key, property)) << key;
}

Dfa RandomLanguage(std::uint64_t i, const char* salt) {
  Rng rng = Rng::For(1, salt, i);
  while (true) {
    const Dfa dfa = Minimize(RandomDfa(1 + rng.UniformInt(std::uint64_t{4}), Letters(2),
                                       0.4 + 0.6 * rng.Uniform(), rng));
    if (!IsEmpty(dfa)) return dfa;
  }
}

Dfa Reversed(const Dfa& dfa) {
  Nfa nfa(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) nfa.AddState(StateAt(q) == dfa.start());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q)))
      nfa.AddTransition(r, a, true, StateAt(q));
  }
  nfa.start = nfa.AddState(false);
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    if (dfa.IsAccepting(StateAt(q))) nfa.AddTransition(nfa.start, std::nullopt, true, StateAt(q));
  }
  Effort effort("test");
  return Minimize(Determinize(nfa, effort));
}

TEST(ClassifyLaws, ReversalSwapsLeftAndRight) {
  const std::vector<std::pair<std::string, std::string>> swapped = {
      {"r_trivial", "l_trivial"},
      {"l_trivial", "r_trivial"},
      {"definite", "reverse_definite"},
      {"reverse_definite", "definite"}};
  const std::set<std::string> sided = {"r_trivial",     "l_trivial",
                                       "definite",      "reverse_definite",
                                       "tier_definite", "tier_reverse_definite",
                                       "r_g",           "r_infinity",
                                       "c_rasp",        "c_rasp_last"};
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Dfa dfa = RandomLanguage(i, "reversal");
    const Classification there = Classify(dfa), back = Classify(Reversed(dfa));
    EXPECT_EQ(there.monoid.size, back.monoid.size);
    EXPECT_EQ(there.monoid.r_classes, back.monoid.l_classes);
    for (const auto& [a, b] : swapped) {
      EXPECT_EQ(there.At(a).holds, back.At(b).holds) << i << a;
      EXPECT_EQ(there.At(a).k, back.At(b).k) << i << a;
    }
    for (const auto& [key, property] : there.properties) {
      if (sided.contains(key)) continue;
      EXPECT_EQ(property.holds, back.At(key).holds) << i << key;
      EXPECT_EQ(property.k, back.At(key).k) << i << key;
    }
  }
}

TEST(ClassifyLaws, ComplementKeepsWhatIsTwoSided) {
  const std::vector<std::string> kept = {"star_free",
                                         "r_g",
                                         "r_infinity",
                                         "c_rasp",
                                         "c_rasp_last",
                                         "r_trivial",
                                         "l_trivial",
                                         "piecewise_testable",
                                         "da",
                                         "locally_testable",
                                         "locally_threshold_testable",
                                         "dot_depth_one",
                                         "definite",
                                         "reverse_definite",
                                         "group",
                                         "commutative",
                                         "solvable",
                                         "ac0"};
  const std::vector<std::string> changed = {"strictly_local", "strictly_piecewise", "finite"};
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Dfa dfa = RandomLanguage(i, "complement");
    Effort effort("test");
    const Classification c = Classify(dfa), co = Classify(Complement(dfa, effort));
    EXPECT_EQ(c.monoid.size, co.monoid.size);
    for (const std::string& key : kept) {
      EXPECT_EQ(c.At(key).holds, co.At(key).holds) << i << key;
      EXPECT_EQ(c.At(key).k, co.At(key).k) << i << key;
    }
    for (const std::string& key : changed) {
      EXPECT_EQ(c.At(key).holds, co.At("co_" + key).holds) << i << key;
      EXPECT_EQ(c.At(key).k, co.At("co_" + key).k) << i << key;
    }
  }
}

TEST(ClassifyLaws, IntersectionsStayInTheClass) {
  const std::vector<std::string> closed = {"star_free",
                                           "r_g",
                                           "r_infinity",
                                           "c_rasp",
                                           "c_rasp_last",
                                           "r_trivial",
                                           "l_trivial",
                                           "piecewise_testable",
                                           "da",
                                           "locally_testable",
                                           "locally_threshold_testable",
                                           "dot_depth_one",
                                           "strictly_local",
                                           "strictly_piecewise",
                                           "definite",
                                           "reverse_definite",
                                           "finite",
                                           "commutative",
                                           "solvable",
                                           "ac0"};
  std::size_t tried = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Dfa a = RandomLanguage(2 * i, "meet"), b = RandomLanguage(2 * i + 1, "meet");
    Effort effort("test");
    const Classification of_a = Classify(a), of_b = Classify(b),
                         both = Classify(Intersect(a, b, effort));
    for (const std::string& key : closed) {
      if (of_a.At(key).holds != true || of_b.At(key).holds != true) continue;
      EXPECT_EQ(both.At(key).holds, true) << i << key;
      ++tried;
    }
  }
  EXPECT_GT(tried, 500u);
}

TEST(Classify, JsonHasItsKeysInOrder) {
  const Classification c = Classify(CompileRegex("(01)*"));
  const Json json = classes::ClassificationToJson(c);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json["properties"].items()) {
    keys.push_back(key);
    std::vector<std::string> members;
    for (const auto& [member, content] : value.items()) members.push_back(member);
    std::vector<std::string> expected{"holds", "k", "witness"};
    if (key.starts_with("c_rasp")) expected.push_back("certificate");
    EXPECT_EQ(members, expected);
  }
  const std::vector<std::string> first = {"star_free",
                                          "r_trivial",
                                          "l_trivial",
                                          "j_trivial",
                                          "piecewise_testable",
                                          "da",
                                          "locally_testable",
                                          "locally_threshold_testable",
                                          "dot_depth_one",
                                          "strictly_local",
                                          "strictly_piecewise",
                                          "definite",
                                          "reverse_definite",
                                          "finite",
                                          "group",
                                          "commutative",
                                          "solvable",
                                          "ac0",
                                          "r_g",
                                          "r_infinity",
                                          "c_rasp",
                                          "c_rasp_last"};
  ASSERT_GT(keys.size(), first.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), keys.begin()));
  for (std::size_t i = first.size(); i < keys.size(); ++i) {
    EXPECT_TRUE(keys[i].starts_with("tier_") || keys[i].starts_with("co_")) << keys[i];
  }
}

TEST(ClassFilter, SelectsByClass) {
  const Classification c = Classify(CompileRegex("(01)*"));
  EXPECT_EQ(Satisfies(c, classes::ParseClassFilter("star_free,!r_trivial", "")), true);
  EXPECT_EQ(Satisfies(c, classes::ParseClassFilter("star_free,group", "")), false);
  const Classification open =
      Classify(CompileRegex("(a(ab)*b|c)*cc(a(ab)*b|c)*"), {.max_elements = 2});
  EXPECT_EQ(Satisfies(open, classes::ParseClassFilter("da", "")), std::nullopt);
  try {
    (void)classes::ParseClassFilter("starfree", "--classes");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.hint(), "did you mean star_free?");
  }
}

}  // namespace
}  // namespace flare
