#include "flare/automata/paper/pdfa.h"

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "flare/automata/paper/path_sums.h"
#include "flare/automata/paper/semirings.h"
#include "flare/base/error.h"

namespace flare {
namespace {

std::vector<bool> ReachableFrom(const std::vector<std::vector<std::size_t>>& edges,
                                std::vector<std::size_t> stack) {
  std::vector<bool> reached(edges.size(), false);
  for (const std::size_t q : stack) reached[q] = true;
  while (!stack.empty()) {
    const std::size_t q = stack.back();
    stack.pop_back();
    for (const std::size_t r : edges[q]) {
      if (!reached[r]) {
        reached[r] = true;
        stack.push_back(r);
      }
    }
  }
  return reached;
}

}  // namespace

bool IsLocallyNormalized(const Wfa<double>& wdfa) {
  for (const auto& state : wdfa.states) {
    double sum = state.accept_weight;
    if (!(state.accept_weight >= 0)) return false;
    for (const auto& t : state.transitions) {
      if (!(t.weight >= 0)) return false;
      sum += t.weight;
    }
    if (!(std::abs(sum - 1) <= 1e-12)) return false;
  }
  return true;
}

bool IsTight(const Wfa<double>& wdfa) {
  std::vector<std::vector<std::size_t>> forward(wdfa.states.size());
  std::vector<std::vector<std::size_t>> backward(wdfa.states.size());
  std::vector<std::size_t> accepting;
  for (std::size_t q = 0; q < wdfa.states.size(); ++q) {
    if (wdfa.states[q].accept_weight > 0) accepting.push_back(q);
    for (const auto& t : wdfa.states[q].transitions) {
      if (t.weight <= 0) continue;
      forward[q].push_back(Index(t.target));
      backward[Index(t.target)].push_back(q);
    }
  }
  const auto accessible = ReachableFrom(forward, {Index(wdfa.start)});
  const auto coaccessible = ReachableFrom(backward, accepting);
  for (std::size_t q = 0; q < wdfa.states.size(); ++q) {
    if (accessible[q] && !coaccessible[q]) return false;
  }
  return true;
}

bool IsDeterministic(const Wfa<double>& wdfa) {
  for (const auto& state : wdfa.states) {
    std::set<Symbol> seen;
    for (const auto& t : state.transitions) {
      if (!t.symbol || !seen.insert(*t.symbol).second) return false;
    }
  }
  return true;
}

Pdfa::Pdfa(Wfa<double> wdfa) : wdfa_(std::move(wdfa)) {
  FLARE_CHECK(IsDeterministic(wdfa_));
  FLARE_CHECK(IsLocallyNormalized(wdfa_));
  FLARE_CHECK(IsTight(wdfa_));
}

Pdfa Pdfa::UniformOverActions(const Dfa& trim) {
  Wfa<double> wdfa(trim.alphabet());
  for (std::size_t i = 0; i < trim.num_states(); ++i) {
    const StateId q = StateAt(i);
    const auto transitions = trim.TransitionsFrom(q);
    const std::size_t k = transitions.size() + (trim.IsAccepting(q) ? 1 : 0);
    FLARE_CHECK(k > 0);
    const double p = 1.0 / static_cast<double>(k);
    wdfa.AddState(trim.IsAccepting(q) ? p : 0);
    for (const auto& [a, r] : transitions) wdfa.AddTransition(q, a, p, r);
  }
  wdfa.start = trim.start();
  return Pdfa(std::move(wdfa));
}

double Pdfa::Probability(StringView w) const { return StringSum(RealSemiring{}, wdfa_, w); }

}  // namespace flare
