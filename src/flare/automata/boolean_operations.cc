#include "flare/automata/boolean_operations.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "flare/automata/trim.h"
#include "flare/base/error.h"

namespace flare {
namespace {

// `dfa` with F turned into `accepting(q)`.
template <class Accepting>
Dfa WithAccepting(const Dfa& dfa, Accepting accepting) {
  DfaBuilder b(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) b.AddState(accepting(StateAt(q)));
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) b.AddTransition(StateAt(q), a, r);
  }
  return std::move(b).Build(dfa.start());
}

}  // namespace

Dfa Complete(const Dfa& dfa, Effort& effort) {
  const std::size_t width = dfa.alphabet().size();
  effort.SpendAutomaton(width);
  if (dfa.num_transitions() == dfa.num_states() * width) return dfa;
  effort.CheckSize((dfa.num_states() + 1) * (width + 1));
  effort.Spend((dfa.num_states() + 1) * (width + 1));
  DfaBuilder b(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) b.AddState(dfa.IsAccepting(StateAt(q)));
  const StateId sink = b.AddState(false);
  for (std::size_t q = 0; q <= dfa.num_states(); ++q) {
    std::vector<StateId> target(width, sink);
    if (StateAt(q) != sink) {
      for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) target[Index(a)] = r;
    }
    for (std::size_t a = 0; a < width; ++a) b.AddTransition(StateAt(q), SymbolAt(a), target[a]);
  }
  return std::move(b).Build(dfa.start());
}

Dfa Complement(const Dfa& dfa, Effort& effort) {
  const Dfa complete = Complete(dfa, effort);
  return Trim(WithAccepting(complete, [&](StateId q) { return !complete.IsAccepting(q); }));
}

Dfa Intersect(const Dfa& a, const Dfa& b, Effort& effort) {
  FLARE_CHECK(a.alphabet() == b.alphabet());
  effort.SpendAutomaton(a.alphabet().size());
  DfaBuilder product(a.alphabet());
  std::unordered_map<std::uint64_t, StateId> names;
  std::vector<std::pair<StateId, StateId>> pairs;
  const auto name = [&](StateId q, StateId r) {
    const std::uint64_t key = std::uint64_t{Index(q)} << 32 | Index(r);
    const auto [entry, is_new] = names.try_emplace(key);
    if (is_new) {
      entry->second = product.AddState(a.IsAccepting(q) && b.IsAccepting(r));
      pairs.emplace_back(q, r);
    }
    return entry->second;
  };
  const StateId start = name(a.start(), b.start());
  std::size_t transitions = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [q, r] = pairs[i];
    effort.CheckSize(pairs.size() + transitions);
    effort.Spend(1 + a.TransitionsFrom(q).size() + b.TransitionsFrom(r).size());
    // Both rows are sorted by symbol: walk them together.
    const auto row = b.TransitionsFrom(r);
    auto other = row.begin();
    for (const auto& [symbol, target] : a.TransitionsFrom(q)) {
      while (other != row.end() && other->symbol < symbol) ++other;
      if (other == row.end()) break;
      if (other->symbol == symbol) {
        product.AddTransition(StateAt(i), symbol, name(target, other->target));
        ++transitions;
      }
    }
  }
  return Trim(std::move(product).Build(start));
}

}  // namespace flare
