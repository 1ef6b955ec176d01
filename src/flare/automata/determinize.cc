#include "flare/automata/determinize.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flare/automata/trim.h"

namespace flare {
namespace {

using Subset = std::vector<StateId>;  // sorted, without repetitions, closed under ε

struct SubsetHash {
  std::size_t operator()(const Subset& subset) const {
    std::uint64_t hash = subset.size();
    for (const StateId q : subset) {
      hash = (hash ^ Index(q)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

// Closes sets of states under ε, with marks that are reset by the states found, not one by one.
class Closure {
 public:
  Closure(const Nfa& nfa, Effort& effort)
      : effort_(effort), silent_(nfa.states.size()), marked_(nfa.states.size(), 0) {
    // Kept apart, so that closing a state does not look at its transitions over a large alphabet.
    for (std::size_t q = 0; q < nfa.states.size(); ++q) {
      for (const auto& t : nfa.states[q].transitions) {
        if (!t.symbol && t.weight) silent_[q].push_back(t.target);
      }
    }
  }

  Subset operator()(const Subset& states) {
    Subset closed;
    const auto visit = [&](StateId q) {
      if (marked_[Index(q)] != 0) return;
      marked_[Index(q)] = 1;
      closed.push_back(q);
    };
    for (const StateId q : states) visit(q);
    for (std::size_t i = 0; i < closed.size(); ++i) {
      for (const StateId r : silent_[Index(closed[i])]) visit(r);
      effort_.Spend(1 + silent_[Index(closed[i])].size());
    }
    for (const StateId q : closed) marked_[Index(q)] = 0;
    std::sort(closed.begin(), closed.end());
    return closed;
  }

 private:
  Effort& effort_;
  std::vector<std::vector<StateId>> silent_;
  std::vector<std::uint8_t> marked_;
};

}  // namespace

Dfa Determinize(const Nfa& nfa, Effort& effort) {
  effort.SpendAutomaton(nfa.alphabet.size());
  DfaBuilder builder(nfa.alphabet);
  Closure close(nfa, effort);
  std::unordered_map<Subset, StateId, SubsetHash> names;
  std::vector<const Subset*> order;
  std::size_t transitions = 0;
  const auto name = [&](Subset subset) {
    const auto [entry, is_new] = names.try_emplace(std::move(subset));
    if (is_new) {
      const bool accepting = std::any_of(entry->first.begin(), entry->first.end(),
                                         [&](StateId q) { return nfa.at(q).accept_weight; });
      entry->second = builder.AddState(accepting);
      order.push_back(&entry->first);
    }
    return entry->second;
  };

  const StateId start = name(close({nfa.start}));
  std::vector<std::pair<Symbol, StateId>> moves;
  for (std::size_t i = 0; i < order.size(); ++i) {
    moves.clear();
    for (const StateId q : *order[i]) {
      effort.Spend(nfa.at(q).transitions.size());
      for (const auto& t : nfa.at(q).transitions) {
        if (t.symbol && t.weight) moves.emplace_back(*t.symbol, t.target);
      }
    }
    std::sort(moves.begin(), moves.end());
    for (auto group = moves.begin(); group != moves.end();) {
      const Symbol a = group->first;
      Subset targets;
      for (; group != moves.end() && group->first == a; ++group) targets.push_back(group->second);
      builder.AddTransition(StateAt(i), a, name(close(targets)));
      effort.CheckSize(order.size() + ++transitions);
    }
  }
  return Trim(std::move(builder).Build(start));
}

}  // namespace flare
