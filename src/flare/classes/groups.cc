#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "flare/classes/class_tests.h"

namespace flare::classes {
namespace {

// Subgroups of one H_e, by lists of elements.
class GroupComputer {
 public:
  GroupComputer(const Monoid& monoid, Element e) : monoid_(monoid), e_(e) {}

  // The subgroup that the generators generate, breadth first.
  std::vector<Element> Generate(const std::vector<Element>& generators) const {
    std::vector<Element> group{e_};
    std::unordered_set<Element> seen{e_};
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (const Element g : generators) {
        const Element product = monoid_.Product(group[i], g);
        if (seen.insert(product).second) group.push_back(product);
      }
    }
    return group;
  }

  // Few elements of a group that generate it: each one at least doubles what there is.
  std::vector<Element> Generators(const std::vector<Element>& group) const {
    std::vector<Element> generators;
    std::unordered_set<Element> generated{e_};
    for (const Element g : group) {
      if (generated.contains(g)) continue;
      generators.push_back(g);
      const auto now = Generate(generators);
      generated = {now.begin(), now.end()};
      if (generated.size() == group.size()) break;
    }
    return generators;
  }

  // Two elements that generate a group, if a pair is soon found; else Generators.
  std::vector<Element> FewGenerators(const std::vector<Element>& group) const {
    constexpr std::size_t kTries = 200;
    std::size_t tries = 0;
    for (const Element g : group) {
      for (const Element h : group) {
        if (h == g || g == e_ || h == e_) continue;
        if (Generate({g, h}).size() == group.size()) return {g, h};
        if (++tries == kTries) return Generators(group);
      }
    }
    return Generators(group);
  }

  Element Inverse(Element g) const {
    Element power = e_;
    while (true) {
      const Element next = monoid_.Product(power, g);
      if (next == e_) return power;
      power = next;
    }
  }

  // [G, G]: the least normal subgroup with the commutators of the generators of G.
  std::vector<Element> Derived(const std::vector<Element>& generators) const {
    std::vector<Element> of_derived;
    std::unordered_set<Element> derived{e_};
    std::vector<Element> list{e_};
    const auto add = [&](Element g) {
      if (derived.contains(g)) return;
      of_derived.push_back(g);
      list = Generate(of_derived);
      derived = {list.begin(), list.end()};
    };
    std::vector<Element> inverse;
    for (const Element g : generators) inverse.push_back(Inverse(g));
    for (std::size_t i = 0; i < generators.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        add(Product({inverse[i], inverse[j], generators[i], generators[j]}));
      }
    }
    for (std::size_t k = 0; k < of_derived.size(); ++k) {
      for (std::size_t i = 0; i < generators.size(); ++i) {
        add(Product({inverse[i], of_derived[k], generators[i]}));
      }
    }
    return list;
  }

 private:
  Element Product(std::initializer_list<Element> factors) const {
    Element product = e_;
    for (const Element g : factors) product = monoid_.Product(product, g);
    return product;
  }

  const Monoid& monoid_;
  Element e_;
};

MaximalSubgroup Describe(const Monoid& monoid, Element e, const std::vector<Element>& group) {
  const GroupComputer computer(monoid, e);
  MaximalSubgroup result{e, group.size(), false, {group.size()}, {}};
  std::vector<Element> current = group;
  while (current.size() > 1) {
    const auto generators = computer.Generators(current);
    auto derived = computer.Derived(generators);
    if (derived.size() == current.size()) {
      std::sort(current.begin(), current.end());
      result.perfect_generators = computer.FewGenerators(current);
      break;
    }
    current = std::move(derived);
    result.derived_series.push_back(current.size());
  }
  result.abelian = result.derived_series.size() == 2 && result.derived_series[1] == 1;
  return result;
}

}  // namespace

Property TestCommutative(const SyntacticAutomaton& automaton) {
  for (Letter a = 0; a < automaton.num_letters(); ++a) {
    for (Letter b = a + 1; b < automaton.num_letters(); ++b) {
      for (State q = 0; q < automaton.num_states(); ++q) {
        const State ab = automaton.Run(q, {a, b}), ba = automaton.Run(q, {b, a});
        if (ab == ba) continue;
        return Property::No(
            WitnessMaker(automaton, "of xabz and xbaz, one is in the language and one is not")
                .Add('x', automaton.Access(q))
                .Add('a', {a})
                .Add('b', {b})
                .Add('z', automaton.Separate(ab, ba))
                .FromStart("xabz")
                .FromStart("xbaz")
                .Take());
      }
    }
  }
  return Property::Yes();
}

Property TestGroup(const SyntacticAutomaton& automaton) {
  constexpr State kNobody = UINT32_MAX;
  for (Letter a = 0; a < automaton.num_letters(); ++a) {
    std::vector<State> source(automaton.num_states(), kNobody);
    for (State q = 0; q < automaton.num_states(); ++q) {
      State& other = source[automaton.Next(q, a)];
      if (other == kNobody) {
        other = q;
        continue;
      }
      return Property::No(WitnessMaker(automaton, "a takes two states to one")
                              .Add('a', {a})
                              .Move("a", other)
                              .Move("a", q)
                              .Take());
    }
  }
  return Property::Yes();
}

std::vector<MaximalSubgroup> MaximalSubgroups(const Algebra& algebra) {
  const Monoid& monoid = algebra.monoid;
  const GreenRelations& green = *algebra.green;
  std::vector<MaximalSubgroup> groups;
  if (green.num_h == monoid.size()) return groups;
  for (const auto& e : green.idempotent) {
    if (!e) continue;
    const auto group = GroupAround(monoid, green, *e);
    if (group.size() > 1) groups.push_back(Describe(monoid, *e, group));
  }
  return groups;
}

Property TestSolvable(const Algebra& algebra, const std::vector<MaximalSubgroup>& groups) {
  const Monoid& monoid = algebra.monoid;
  if (!monoid.complete()) return Property::Unknown(monoid.limit());
  for (const MaximalSubgroup& group : groups) {
    if (group.solvable()) continue;
    WitnessMaker maker(
        algebra.automaton,
        fmt::format("e acts as ee does; the words around it form a group of order {} with derived "
                    "series {}, whose last group is its own commutator group and is generated by "
                    "the other words",
                    group.order, fmt::join(group.derived_series, " > ")));
    maker.Add('e', WordInS(monoid, group.e));
    std::unordered_set<std::uint16_t> seen;
    char name = 'g';
    for (const Element g : group.perfect_generators) maker.Add(name++, monoid.WordOf(g));
    name = 'g';
    for (std::size_t i = 0; i < group.perfect_generators.size(); ++i, ++name) {
      seen.clear();
      for (const std::uint16_t q : monoid.Action(group.e)) {
        if (seen.insert(q).second) maker.Move(std::string(1, name), q);
      }
    }
    return Property::No(maker.Take());
  }
  return Property::Yes();
}

}  // namespace flare::classes
