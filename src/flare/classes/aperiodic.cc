#include "flare/classes/aperiodic.h"

#include <fmt/format.h>

#include <set>

namespace flare::algebra {
namespace {

struct Cycle {
  State state;
  std::size_t length;
};

// A cycle of length ≥ 2 of a map of states, the one through the smallest state that lies on one.
std::optional<Cycle> FindCycle(std::span<const std::uint16_t> map,
                               std::vector<std::uint32_t>& mark) {
  mark.assign(map.size(), 0);
  std::optional<Cycle> found;
  for (State start = 0; start < map.size(); ++start) {
    const std::uint32_t name = start + 1;
    State q = start;
    while (mark[q] == 0) {
      mark[q] = name;
      q = map[q];
    }
    if (mark[q] != name || map[q] == q) continue;
    Cycle cycle{q, 0};
    State r = q;
    do {
      r = map[r];
      cycle.state = std::min(cycle.state, r);
      ++cycle.length;
    } while (r != q);
    if (!found || cycle.state < found->state) found = cycle;
  }
  return found;
}

Witness PeriodicWitness(const SyntacticAutomaton& automaton, const Word& u, const Cycle& cycle) {
  const State p = cycle.state;
  const State q = automaton.Run(p, u);
  WitnessMaker maker(automaton,
                     fmt::format("u takes {} states in a circle, so membership of x uⁱ z "
                                 "depends on i modulo {} however large i is",
                                 cycle.length, cycle.length));
  maker.Add('x', automaton.Access(p)).Add('u', u).Add('z', automaton.Separate(p, q));
  State r = p;
  do {
    maker.Move("u", r);
    r = automaton.Run(r, u);
  } while (r != p);
  return maker.FromStart("xz").FromStart("xuz").Take();
}

}  // namespace

Property TestStarFree(const Algebra& algebra) {
  const Monoid& monoid = algebra.monoid;
  // A finite monoid is aperiodic iff each of its H-classes has one element.
  if (monoid.complete() && algebra.green->num_h == monoid.size()) return Property::Yes();
  std::vector<std::uint32_t> mark;
  for (Element x = 0; x < monoid.size(); ++x) {
    if (const auto cycle = FindCycle(monoid.Action(x), mark)) {
      return Property::No(PeriodicWitness(algebra.automaton, monoid.WordOf(x), *cycle));
    }
  }
  return Property::Unknown(monoid.limit());
}

std::vector<std::size_t> CirclesOfLetters(const SyntacticAutomaton& automaton) {
  std::set<std::size_t> lengths;
  for (Letter a = 0; a < automaton.num_letters(); ++a) {
    std::vector<std::size_t> step(automaton.num_states(), 0);  // on the current path, from 1
    std::vector<bool> done(automaton.num_states(), false);
    for (State start = 0; start < automaton.num_states(); ++start) {
      std::vector<State> path;
      State q = start;
      while (!done[q] && step[q] == 0) {
        path.push_back(q);
        step[q] = path.size();
        q = automaton.Next(q, a);
      }
      if (!done[q] && path.size() > step[q]) lengths.insert(path.size() + 1 - step[q]);
      for (const State r : path) done[r] = true;
    }
  }
  return {lengths.begin(), lengths.end()};
}

}  // namespace flare::algebra
