#include <fmt/format.h>

#include <algorithm>

#include "flare/automata/operations.h"
#include "flare/classes/class_tests.h"

namespace flare::classes {
namespace {

// A state that counts and a word that leads from it back to it.
struct StateLoop {
  State state;
  Word word;
};

std::optional<StateLoop> FindLoop(const SyntacticAutomaton& automaton, const Components& components,
                                  const std::vector<std::uint8_t>& counts) {
  for (State q = 0; q < automaton.num_states(); ++q) {
    if (counts[q] == 0) continue;
    for (Letter a = 0; a < automaton.num_letters(); ++a) {
      const State to = automaton.Next(q, a);
      if (components.of[to] != components.of[q]) continue;
      Word word{a};
      const Word back = *automaton.Path(to, q);
      word.insert(word.end(), back.begin(), back.end());
      return StateLoop{q, word};
    }
  }
  return std::nullopt;
}

Components StateComponents(const SyntacticAutomaton& automaton) {
  return StrongComponents(automaton.table(), automaton.num_states(), automaton.num_letters());
}

}  // namespace

Property TestReverseDefinite(const SyntacticAutomaton& automaton) {
  std::vector<std::uint8_t> moves(automaton.num_states(), 0);
  for (State q = 0; q < automaton.num_states(); ++q) {
    for (Letter a = 0; a < automaton.num_letters(); ++a) {
      if (automaton.Next(q, a) != q) moves[q] = 1;
    }
  }
  const Components components = StateComponents(automaton);
  if (const auto loop = FindLoop(automaton, components, moves)) {
    const State p = loop->state;
    return Property::No(WitnessMaker(automaton,
                                     "for every i, x uⁱ z is in the language and x uⁱ w is not, "
                                     "however long their common prefix")
                            .Add('x', automaton.Access(p))
                            .Add('u', loop->word)
                            .Add('z', *automaton.PathToOutcome(p, true))
                            .Add('w', *automaton.PathToOutcome(p, false))
                            .Move("u", p)
                            .FromStart("xuz")
                            .FromStart("xuw")
                            .Take());
  }
  if (moves[automaton.start()] == 0) return Property::Yes(0);
  // Components are numbered against the edges, and here each is a state: a longest path from each.
  std::vector<State> by_component(automaton.num_states());
  for (State q = 0; q < automaton.num_states(); ++q) by_component[components.of[q]] = q;
  std::vector<std::size_t> height(automaton.num_states(), 0);  // steps before it comes to rest
  for (const State q : by_component) {
    if (moves[q] == 0) continue;
    for (Letter a = 0; a < automaton.num_letters(); ++a) {
      height[q] = std::max(height[q], height[automaton.Next(q, a)] + 1);
    }
  }
  const std::size_t k = height[automaton.start()];
  Word t;
  State q = automaton.start();
  while (height[q] > 1) {
    Letter a = 0;
    while (height[automaton.Next(q, a)] + 1 != height[q]) ++a;
    t.push_back(a);
    q = automaton.Next(q, a);
  }
  return Property::Yes(
      k, WitnessMaker(automaton, fmt::format("tz is in the language and tw is not, with the same "
                                             "first {} symbols t",
                                             k - 1))
             .Add('t', t)
             .Add('z', *automaton.PathToOutcome(q, true))
             .Add('w', *automaton.PathToOutcome(q, false))
             .FromStart("t")
             .FromStart("tz")
             .FromStart("tw")
             .Take());
}

Property TestFinite(const SyntacticAutomaton& automaton) {
  const auto loop = FindLoop(automaton, StateComponents(automaton), automaton.CanReach(true));
  if (!loop) return Property::Yes();
  return Property::No(WitnessMaker(automaton, "x uⁱ z is in the language for every i")
                          .Add('x', automaton.Access(loop->state))
                          .Add('u', loop->word)
                          .Add('z', *automaton.PathToOutcome(loop->state, true))
                          .Move("u", loop->state)
                          .FromStart("xuz")
                          .Take());
}

}  // namespace flare::classes
