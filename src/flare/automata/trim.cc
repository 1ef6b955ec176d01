#include "flare/automata/trim.h"

#include <optional>

namespace flare {

std::vector<std::uint8_t> Coaccessible(const Dfa& dfa) {
  // Backwards from F, over the transitions grouped by target.
  const std::size_t n = dfa.num_states();
  std::vector<std::size_t> first(n + 1, 0);
  for (const auto& t : dfa.transitions()) ++first[Index(t.target) + 1];
  for (std::size_t q = 0; q < n; ++q) first[q + 1] += first[q];
  std::vector<StateId> sources(dfa.num_transitions());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t q = 0; q < n; ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      sources[next[Index(r)]++] = StateAt(q);
    }
  }

  std::vector<std::uint8_t> reached(n, 0);
  std::vector<StateId> stack;
  const auto visit = [&](StateId q) {
    if (reached[Index(q)] == 0) {
      reached[Index(q)] = 1;
      stack.push_back(q);
    }
  };
  for (std::size_t q = 0; q < n; ++q) {
    if (dfa.IsAccepting(StateAt(q))) visit(StateAt(q));
  }
  while (!stack.empty()) {
    const std::size_t r = Index(stack.back());
    stack.pop_back();
    for (std::size_t i = first[r]; i < first[r + 1]; ++i) visit(sources[i]);
  }
  return reached;
}

Dfa Trim(const Dfa& dfa) {
  const std::vector<std::uint8_t> useful = Coaccessible(dfa);
  DfaBuilder trim(dfa.alphabet());
  if (useful[Index(dfa.start())] == 0) {
    const StateId only = trim.AddState(false);
    return std::move(trim).Build(only);
  }
  std::vector<std::optional<StateId>> renamed(dfa.num_states());
  std::vector<StateId> order;
  const auto rename = [&](StateId q) {
    auto& name = renamed[Index(q)];
    if (!name) {
      name = trim.AddState(dfa.IsAccepting(q));
      order.push_back(q);
    }
    return *name;
  };
  const StateId start = rename(dfa.start());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const StateId q = order[i];
    for (const auto& [a, r] : dfa.TransitionsFrom(q)) {
      if (useful[Index(r)] != 0) trim.AddTransition(*renamed[Index(q)], a, rename(r));
    }
  }
  return std::move(trim).Build(start);
}

bool IsEmpty(const Dfa& dfa) { return Coaccessible(dfa)[Index(dfa.start())] == 0; }

}  // namespace flare
