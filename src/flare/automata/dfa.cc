#include "flare/automata/dfa.h"

#include <algorithm>
#include <utility>

#include "flare/base/error.h"

namespace flare {

std::optional<StateId> Dfa::Next(StateId q, Symbol a) const {
  const auto row = TransitionsFrom(q);
  const auto found =
      std::lower_bound(row.begin(), row.end(), a,
                       [](const Transition& t, Symbol symbol) { return t.symbol < symbol; });
  if (found == row.end() || found->symbol != a) return std::nullopt;
  return found->target;
}

bool Dfa::Accepts(StringView w) const {
  StateId q = start_;
  for (const Symbol a : w) {
    const auto next = Next(q, a);
    if (!next) return false;
    q = *next;
  }
  return IsAccepting(q);
}

StateId DfaBuilder::AddState(bool accepting) {
  dfa_.accepting_.push_back(accepting ? 1 : 0);
  return StateAt(dfa_.num_states() - 1);
}

Dfa DfaBuilder::Build(StateId start) && {
  FLARE_CHECK(Index(start) < dfa_.num_states());
  std::sort(arcs_.begin(), arcs_.end(), [](const Arc& x, const Arc& y) {
    return std::pair(x.source, x.transition.symbol) < std::pair(y.source, y.transition.symbol);
  });
  dfa_.start_ = start;
  dfa_.first_.assign(dfa_.num_states() + 1, 0);
  dfa_.transitions_.reserve(arcs_.size());
  for (std::size_t i = 0; i < arcs_.size(); ++i) {
    const auto& [source, transition] = arcs_[i];
    FLARE_CHECK(Index(source) < dfa_.num_states());
    FLARE_CHECK(Index(transition.target) < dfa_.num_states());
    FLARE_CHECK(Index(transition.symbol) < dfa_.alphabet().size());
    const bool repeats = i > 0 && arcs_[i - 1].source == source &&
                         arcs_[i - 1].transition.symbol == transition.symbol;
    FLARE_CHECK(!repeats);
    ++dfa_.first_[Index(source) + 1];
    dfa_.transitions_.push_back(transition);
  }
  for (std::size_t q = 0; q < dfa_.num_states(); ++q) dfa_.first_[q + 1] += dfa_.first_[q];
  return std::move(dfa_);
}

NextSymbolSets ComputeNext(const Dfa& trim) {
  NextSymbolSets next(trim.alphabet().size());
  for (std::size_t i = 0; i < trim.num_states(); ++i) {
    const StateId q = StateAt(i);
    next.Append();
    for (const auto& [a, r] : trim.TransitionsFrom(q)) next.Add(a);
    if (trim.IsAccepting(q)) next.AddEos();
  }
  return next;
}

}  // namespace flare
