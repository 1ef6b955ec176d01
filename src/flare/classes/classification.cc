#include "flare/classes/classification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/classes/aperiodic.h"
#include "flare/classes/class_tests.h"

namespace flare::classes {
namespace {

MonoidSummary Summarize(const Algebra& algebra, const std::vector<MaximalSubgroup>& groups) {
  MonoidSummary summary{.limit = algebra.monoid.limit(), .size = algebra.monoid.size()};
  if (!algebra.green) return summary;
  const GreenRelations& green = *algebra.green;
  summary.idempotents = green.num_idempotents;
  summary.r_classes = green.r.size.size();
  summary.l_classes = green.l.size.size();
  summary.d_classes = green.num_d;
  summary.h_classes = green.num_h;
  summary.regular_d_classes = green.NumRegularD();
  for (const MaximalSubgroup& group : groups) {
    const GroupSummary described{group.order, group.abelian, group.derived_series};
    if (std::find(summary.groups.begin(), summary.groups.end(), described) ==
        summary.groups.end()) {
      summary.groups.push_back(described);
    }
  }
  return summary;
}

// A witness that was found for the complement.
Property OfComplement(Property property) {
  if (!property.witness) return property;
  const std::string language = "the language", complement = "the complement";
  std::string& claim = property.witness->claim;
  for (std::size_t at = claim.find(language); at != std::string::npos;
       at = claim.find(language, at + complement.size())) {
    claim.replace(at, language.size(), complement);
  }
  return property;
}

// Tests the classes that depend on the letters and not only on the monoid, so that neutral ones
// matter.
void TestLocal(const Algebra& algebra, const Property& star_free, const std::string& prefix,
               std::map<std::string, Property>& answers) {
  const SyntacticAutomaton& automaton = algebra.automaton;
  answers[prefix + "strictly_local"] = TestStrictlyLocal(automaton);
  answers[prefix + "co_strictly_local"] = OfComplement(TestStrictlyLocal(automaton.Complement()));
  answers[prefix + "locally_testable"] = WithLocalOrder(algebra, TestLocallyTestable(algebra));
  answers[prefix + "locally_threshold_testable"] = TestLocallyThresholdTestable(algebra, star_free);
  answers[prefix + "dot_depth_one"] = TestDotDepthOne(algebra, star_free);
  answers[prefix + "definite"] = TestDefinite(automaton);
  answers[prefix + "reverse_definite"] = TestReverseDefinite(automaton);
}

// Classes that the monoid decides and whose k it is asked for: the limit that was met says why a k
// is not known, even of a language that is known to belong.
bool IsAskedForK(std::string_view key) {
  return key.ends_with("locally_testable") || key == "piecewise_testable";
}

// Fills in what was not decided from what was, both ways along the inclusions. A witness against a
// class is one against its parts.
void Infer(std::map<std::string, Property>& answers) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [part, whole] : Inclusions()) {
      Property& p = answers[std::string(part)];
      Property& w = answers[std::string(whole)];
      if (p.holds == true && !w.holds) {
        w.holds = true;
        if (!IsAskedForK(whole)) w.limit.clear();
        changed = true;
      }
      if (w.holds == false && !p.holds) {
        p = w;
        changed = true;
      }
    }
  }
}

}  // namespace

std::span<const std::string_view> PropertyKeys() {
  static constexpr std::array<std::string_view, 32> keys = {
      "star_free", "r_trivial", "l_trivial", "j_trivial", "piecewise_testable", "da",
      "locally_testable", "locally_threshold_testable", "dot_depth_one", "strictly_local",
      "strictly_piecewise", "definite", "reverse_definite", "finite", "group", "commutative",
      "solvable", "ac0", "r_g", "r_infinity", "c_rasp", "c_rasp_last",
      // on the tier of the symbols that are not neutral
      "tier_strictly_local", "tier_co_strictly_local", "tier_locally_testable",
      "tier_locally_threshold_testable", "tier_dot_depth_one", "tier_definite",
      "tier_reverse_definite",
      // of the complement
      "co_strictly_local", "co_strictly_piecewise", "co_finite"};
  return keys;
}

std::span<const Inclusion> Inclusions() {
  static constexpr std::array<Inclusion, 51> inclusions = {{
      {"finite", "definite"},
      {"finite", "reverse_definite"},
      {"co_finite", "definite"},
      {"co_finite", "reverse_definite"},
      {"finite", "piecewise_testable"},
      {"co_finite", "piecewise_testable"},
      {"definite", "strictly_local"},
      {"definite", "co_strictly_local"},
      {"reverse_definite", "strictly_local"},
      {"reverse_definite", "co_strictly_local"},
      {"definite", "tier_definite"},
      {"reverse_definite", "tier_reverse_definite"},
      {"tier_definite", "tier_strictly_local"},
      {"tier_definite", "tier_co_strictly_local"},
      {"tier_reverse_definite", "tier_strictly_local"},
      {"tier_reverse_definite", "tier_co_strictly_local"},
      {"tier_definite", "l_trivial"},
      {"tier_reverse_definite", "r_trivial"},
      {"strictly_local", "locally_testable"},
      {"co_strictly_local", "locally_testable"},
      {"strictly_local", "tier_strictly_local"},
      {"co_strictly_local", "tier_co_strictly_local"},
      {"locally_testable", "locally_threshold_testable"},
      {"locally_threshold_testable", "dot_depth_one"},
      {"tier_strictly_local", "tier_locally_testable"},
      {"tier_co_strictly_local", "tier_locally_testable"},
      {"locally_testable", "tier_locally_testable"},
      {"tier_locally_testable", "tier_locally_threshold_testable"},
      {"locally_threshold_testable", "tier_locally_threshold_testable"},
      {"tier_locally_threshold_testable", "tier_dot_depth_one"},
      {"dot_depth_one", "tier_dot_depth_one"},
      {"tier_dot_depth_one", "star_free"},
      {"strictly_piecewise", "piecewise_testable"},
      {"co_strictly_piecewise", "piecewise_testable"},
      {"piecewise_testable", "dot_depth_one"},
      {"piecewise_testable", "j_trivial"},
      {"j_trivial", "r_trivial"},
      {"j_trivial", "l_trivial"},
      {"r_trivial", "da"},
      {"l_trivial", "da"},
      {"da", "star_free"},
      {"r_trivial", "c_rasp"},
      {"c_rasp", "c_rasp_last"},
      {"c_rasp", "r_infinity"},
      {"c_rasp_last", "star_free"},
      {"r_infinity", "star_free"},
      {"r_infinity", "r_g"},
      {"group", "r_g"},
      {"star_free", "ac0"},
      {"ac0", "solvable"},
      {"commutative", "solvable"},
  }};
  return inclusions;
}

const Property& Classification::At(std::string_view key) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const NamedProperty& p) { return p.key == key; });
  FLARE_CHECK(found != properties.end());
  return found->property;
}

Classification Classify(const Dfa& dfa, const MonoidLimits& limits) {
  const Algebra algebra(SyntacticAutomaton(dfa), limits);
  const SyntacticAutomaton& automaton = algebra.automaton;
  const auto groups = algebra.green ? MaximalSubgroups(algebra) : std::vector<MaximalSubgroup>{};

  std::map<std::string, Property> answers;
  Property star_free = TestStarFree(algebra);
  if (!star_free.holds) {
    Property on_tuples = TestStarFreeOnTuples(automaton).property;
    if (on_tuples.holds) star_free = std::move(on_tuples);
  }
  answers["star_free"] = star_free;
  answers["r_trivial"] = TestRTrivial(automaton);
  answers["l_trivial"] = TestLTrivial(algebra);
  answers["j_trivial"] = JTrivial(answers["r_trivial"], answers["l_trivial"]);
  answers["da"] = TestDA(algebra);
  answers["strictly_piecewise"] = TestStrictlyPiecewise(automaton);
  answers["co_strictly_piecewise"] = OfComplement(TestStrictlyPiecewise(automaton.Complement()));
  answers["finite"] = TestFinite(automaton);
  answers["co_finite"] = OfComplement(TestFinite(automaton.Complement()));
  answers["group"] = TestGroup(automaton);
  answers["commutative"] = TestCommutative(automaton);
  answers["solvable"] = TestSolvable(algebra, groups);
  answers["ac0"] = TestAC0(algebra, star_free);
  answers["r_g"] = TestRG(automaton);
  answers["r_infinity"] = RInfinity(answers["r_g"], star_free);
  CountingAnswer after = TestCounting(automaton), at_last = TestCountingAtLast(automaton, after);
  answers["c_rasp"] = std::move(after.property);
  answers["c_rasp_last"] = std::move(at_last.property);
  // Subsequences of neutral letters say nothing.
  answers["piecewise_testable"] = WithPiecewiseOrder(automaton.OnTier(), answers["j_trivial"]);

  TestLocal(algebra, star_free, "", answers);
  if (automaton.HasNeutral()) {
    const Algebra tier(automaton.OnTier(), limits);
    TestLocal(tier, star_free, "tier_", answers);
  } else {
    for (const char* key :
         {"strictly_local", "co_strictly_local", "locally_testable", "locally_threshold_testable",
          "dot_depth_one", "definite", "reverse_definite"}) {
      answers[std::string("tier_") + key] = answers[key];
    }
  }
  Infer(answers);

  Classification result{.alphabet = automaton.alphabet(), .num_states = automaton.num_states()};
  if (automaton.sink()) result.sink = StateAt(*automaton.sink());
  result.tier = automaton.Tier();
  result.symbol_circles = CirclesOfLetters(automaton);
  result.monoid = Summarize(algebra, groups);
  for (const std::string_view key : PropertyKeys()) {
    result.properties.push_back({std::string(key), std::move(answers.at(std::string(key)))});
  }
  result.circuit_class = CircuitClassOf(result.At("ac0"), result.At("solvable"));
  result.c_rasp_proof = std::move(after.proof);
  result.c_rasp_last_proof = std::move(at_last.proof);
  return result;
}

std::string PropertyTitle(std::string_view key) {
  static const std::map<std::string_view, std::string> special = {
      {"star_free", "star-free"},
      {"r_trivial", "R-trivial"},
      {"l_trivial", "L-trivial"},
      {"j_trivial", "J-trivial"},
      {"da", "DA"},
      {"dot_depth_one", "dot-depth one"},
      {"tier_dot_depth_one", "dot-depth one on a tier"},
      {"tier_co_strictly_local", "co-strictly local on a tier"},
      {"ac0", "in AC⁰"},
      {"r_g", "R∘G"},
      {"r_infinity", "R∞"},
      {"c_rasp", "C-RASP, read after the string"},
      {"c_rasp_last", "C-RASP, read at the last symbol"},
      {"co_strictly_local", "co-strictly local"},
      {"co_strictly_piecewise", "co-strictly piecewise"},
      {"co_finite", "cofinite"}};
  if (const auto found = special.find(key); found != special.end()) return found->second;
  std::string title(key.starts_with("tier_") ? key.substr(5) : key);
  std::replace(title.begin(), title.end(), '_', ' ');
  return key.starts_with("tier_") ? title + " on a tier" : title;
}

std::vector<std::string> SmallestClasses(const Classification& classification) {
  const auto is_told_elsewhere = [](std::string_view key) {
    return key == "ac0" || key == "solvable" || key == "r_g" || key == "r_infinity" ||
           key.starts_with("c_rasp");
  };
  std::vector<std::string> classes;
  for (const auto& [key, property] : classification.properties) {
    if (property.holds != true || is_told_elsewhere(key)) continue;
    const bool follows = std::any_of(
        Inclusions().begin(), Inclusions().end(), [&, &key = key](const Inclusion& inclusion) {
          return inclusion.whole == key && !is_told_elsewhere(inclusion.part) &&
                 classification.At(inclusion.part).holds == true;
        });
    // If no symbol is neutral, the tier is the alphabet.
    const bool is_same =
        key.starts_with("tier_") && classification.tier.size() == classification.alphabet.size();
    if (follows || is_same) continue;
    std::string title = PropertyTitle(key);
    if (property.k) title += fmt::format(" (k = {})", *property.k);
    classes.push_back(std::move(title));
  }
  return classes;
}

std::string DifferenceInClasses(const Classification& learned, const Classification& target) {
  struct Rung {
    const char *key, *title;
  };
  // It is enough to name the smallest class of a chain that was gained, and the largest that was
  // lost.
  static const std::vector<std::vector<Rung>> chains = {
      {{"finite", "finite"}},
      {{"co_finite", "cofinite"}},
      {{"group", "a group language"}},
      {{"r_trivial", "R-trivial"},
       {"c_rasp", "in C-RASP"},
       {"c_rasp_last", "in C-RASP at the last symbol"},
       {"star_free", "star-free"},
       {"ac0", "in AC⁰"},
       {"solvable", "solvable"}}};
  std::vector<std::string> gained, lost;
  for (const auto& chain : chains) {
    const char *first_gained = nullptr, *last_lost = nullptr;
    for (const auto& [key, title] : chain) {
      const auto &now = learned.At(key).holds, &wanted = target.At(key).holds;
      if (!now || !wanted || *now == *wanted) continue;
      if (!*now) last_lost = title;
      if (*now && first_gained == nullptr) first_gained = title;
    }
    if (first_gained != nullptr) gained.emplace_back(first_gained);
    if (last_lost != nullptr) lost.emplace_back(last_lost);
  }
  std::vector<std::string> parts;
  if (!gained.empty()) {
    parts.push_back(fmt::format("{}, which the target is not", fmt::join(gained, " and ")));
  }
  if (!lost.empty()) {
    parts.push_back(fmt::format("not {}, which the target is", fmt::join(lost, " and ")));
  }
  return parts.empty() ? "in the same classes as the target"
                       : fmt::format("{}", fmt::join(parts, "; "));
}

std::string CountingTitle(const Classification& classification) {
  const auto& after = classification.At("c_rasp").holds;
  const auto& last = classification.At("c_rasp_last").holds;
  if (after == true) return "in C-RASP";
  if (last == false) return "not in C-RASP";
  if (!after || !last) return "unknown";
  return "in C-RASP at the last symbol only";
}

std::string CircuitClassTitle(CircuitClass c) {
  switch (c) {
    case CircuitClass::kAC0:
      return "in AC⁰";
    case CircuitClass::kACC0:
      return "in ACC⁰, not in AC⁰";
    case CircuitClass::kNC1Complete:
      return "NC¹-complete";
    case CircuitClass::kUnknown:
      break;
  }
  return "unknown";
}

ClassFilter ParseClassFilter(std::string_view text, const std::string& where) {
  ClassFilter filter;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    const bool holds = !item.starts_with('!');
    if (!holds) item.remove_prefix(1);
    const auto keys = PropertyKeys();
    if (std::find(keys.begin(), keys.end(), item) == keys.end()) {
      const std::vector<std::string> names(keys.begin(), keys.end());
      const auto nearest = Nearest(item, names);
      throw InputError(where, fmt::format("{} is not a class", Quoted(item)),
                       nearest ? fmt::format("did you mean {}?", *nearest)
                               : "'flare classify --json' lists them");
    }
    filter.push_back({std::string(item), holds});
    if (comma == std::string_view::npos) return filter;
    text.remove_prefix(comma + 1);
  }
}

std::optional<bool> Satisfies(const Classification& classification, const ClassFilter& filter) {
  bool known = true;
  for (const auto& [key, holds] : filter) {
    const auto& answer = classification.At(key).holds;
    if (answer && *answer != holds) return false;
    if (!answer) known = false;
  }
  return known ? std::optional(true) : std::nullopt;
}

}  // namespace flare::classes
