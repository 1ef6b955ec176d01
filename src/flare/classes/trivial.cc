#include <algorithm>

#include "flare/classes/class_tests.h"

namespace flare::classes {
namespace {

State FirstDifference(const Monoid& monoid, Element x, Element y) {
  const auto a = monoid.Action(x);
  const auto b = monoid.Action(y);
  return static_cast<State>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

}  // namespace

Property TestRTrivial(const SyntacticAutomaton& automaton) {
  const Components components =
      StrongComponents(automaton.table(), automaton.num_states(), automaton.num_letters());
  for (State p = 0; p < automaton.num_states(); ++p) {
    if (components.size[components.of[p]] == 1) continue;
    State q = p + 1;
    while (components.of[q] != components.of[p]) ++q;
    return Property::No(WitnessMaker(automaton, "u leaves a state to which v leads back")
                            .Add('u', *automaton.Path(p, q))
                            .Add('v', *automaton.Path(q, p))
                            .Move("u", p)
                            .Move("v", q)
                            .Take());
  }
  return Property::Yes();
}

Property TestLTrivial(const Algebra& algebra) {
  const Monoid& monoid = algebra.monoid;
  if (!monoid.complete()) return Property::Unknown(monoid.limit());
  const Components& l = algebra.green->l;
  if (l.size.size() == monoid.size()) return Property::Yes();
  Element s = 0;
  while (l.size[l.of[s]] == 1) ++s;
  Element t = s + 1;
  while (l.of[t] != l.of[s]) ++t;
  const State q = FirstDifference(monoid, s, t);
  return Property::No(
      WitnessMaker(algebra.automaton,
                   "yxs acts on all states as s does, but xs does not: s and xs are two elements "
                   "that left multiplication takes to each other")
          .Add('s', monoid.WordOf(s))
          .Add('x', LeftPath(monoid, s, t))
          .Add('y', LeftPath(monoid, t, s))
          .Move("s", q)
          .Move("xs", q)
          .Move("yxs", q)
          .Take());
}

Property JTrivial(const Property& r_trivial, const Property& l_trivial) {
  if (r_trivial.holds == false) return r_trivial;
  return l_trivial;
}

Property TestDA(const Algebra& algebra) {
  const Monoid& monoid = algebra.monoid;
  if (!monoid.complete()) return Property::Unknown(monoid.limit());
  const GreenRelations& green = *algebra.green;
  for (Element u = 0; u < monoid.size(); ++u) {
    if (green.is_idempotent[u] != 0 || !green.IsRegular(u)) continue;
    // The R-class of a regular u has an idempotent e = uv, and uvu = eu = u.
    Element e = 0;
    while (green.r.of[e] != green.r.of[u] || green.is_idempotent[e] == 0) ++e;
    const State q = FirstDifference(monoid, u, monoid.Product(u, u));
    return Property::No(WitnessMaker(algebra.automaton,
                                     "uvu acts on all states as u does, but uu does not: u is "
                                     "regular and not idempotent")
                            .Add('u', monoid.WordOf(u))
                            .Add('v', RightPath(monoid, u, e))
                            .Move("u", q)
                            .Move("uvu", q)
                            .Move("uu", q)
                            .Take());
  }
  return Property::Yes();
}

}  // namespace flare::classes
