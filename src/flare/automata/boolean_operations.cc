#include "flare/automata/boolean_operations.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "flare/automata/trim.h"
#include "flare/base/check.h"
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

Dfa Complete(const Dfa& dfa) {
  const std::size_t width = dfa.alphabet().size();
  if (dfa.num_transitions() == dfa.num_states() * width) return dfa;
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

Dfa Complement(const Dfa& dfa) {
  const Dfa complete = Complete(dfa);
  return Trim(WithAccepting(complete, [&](StateId q) { return !complete.IsAccepting(q); }));
}

Dfa Intersect(const Dfa& a, const Dfa& b, const std::string& where) {
  FLARE_CHECK(a.alphabet() == b.alphabet());
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
    if (pairs.size() + transitions > kLargestProduct) {
      throw InputError(where, fmt::format("the intersection is too large: over {} states and "
                                          "transitions",
                                          kLargestProduct));
    }
    const auto [q, r] = pairs[i];
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
