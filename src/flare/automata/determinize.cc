#include "flare/automata/determinize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flare/automata/trim.h"
#include "flare/base/error.h"

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
  explicit Closure(const Nfa& nfa) : silent_(nfa.states.size()), marked_(nfa.states.size(), 0) {
    // Kept apart, so that closing a state does not look at its transitions over a large alphabet.
    for (std::size_t q = 0; q < nfa.states.size(); ++q) {
      for (const auto& t : nfa.states[q].transitions) {
        if (!t.symbol && t.weight) silent_[q].push_back(t.target);
      }
    }
  }

  Subset operator()(Subset states) {
    Subset closed;
    const auto visit = [&](StateId q) {
      if (marked_[Index(q)] != 0) return;
      marked_[Index(q)] = 1;
      closed.push_back(q);
    };
    for (const StateId q : states) visit(q);
    for (std::size_t i = 0; i < closed.size(); ++i) {
      for (const StateId r : silent_[Index(closed[i])]) visit(r);
    }
    for (const StateId q : closed) marked_[Index(q)] = 0;
    std::sort(closed.begin(), closed.end());
    return closed;
  }

 private:
  std::vector<std::vector<StateId>> silent_;
  std::vector<std::uint8_t> marked_;
};

}  // namespace

Dfa Determinize(const Nfa& nfa, const std::string& where) {
  DfaBuilder builder(nfa.alphabet);
  Closure close(nfa);
  std::unordered_map<Subset, StateId, SubsetHash> names;
  std::vector<const Subset*> order;
  std::size_t members = 0;
  const auto name = [&](Subset subset) {
    const auto [entry, is_new] = names.try_emplace(std::move(subset));
    if (is_new) {
      const bool accepting = std::any_of(entry->first.begin(), entry->first.end(),
                                         [&](StateId q) { return nfa.at(q).accept_weight; });
      entry->second = builder.AddState(accepting);
      order.push_back(&entry->first);
      members += entry->first.size();
      if (order.size() > kMostSubsets || members > kMostMembers) {
        throw InputError(where, fmt::format("the deterministic automaton is too large (over {} "
                                            "states or {} members of subsets)",
                                            kMostSubsets, kMostMembers));
      }
    }
    return entry->second;
  };

  const StateId start = name(close({nfa.start}));
  std::vector<std::pair<Symbol, StateId>> moves;
  for (std::size_t i = 0; i < order.size(); ++i) {
    moves.clear();
    for (const StateId q : *order[i]) {
      for (const auto& t : nfa.at(q).transitions) {
        if (t.symbol && t.weight) moves.emplace_back(*t.symbol, t.target);
      }
    }
    std::sort(moves.begin(), moves.end());
    for (auto group = moves.begin(); group != moves.end();) {
      const Symbol a = group->first;
      Subset targets;
      for (; group != moves.end() && group->first == a; ++group) targets.push_back(group->second);
      builder.AddTransition(StateAt(i), a, name(close(std::move(targets))));
    }
  }
  return Trim(std::move(builder).Build(start));
}

}  // namespace flare
