#include "flare/automata/matching.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "flare/base/error.h"

namespace flare {

Matcher::Matcher(Dfa dfa) : dfa_(std::move(dfa)) {
  const std::size_t width = dfa_.alphabet().size();
  const std::size_t dead = dfa_.num_states();
  if ((dead + 1) * width > kLargestTable) return;
  row_.assign((dead + 1) * width, static_cast<std::uint32_t>(dead * width));
  accepting_.assign(dead + 1, 0);
  for (std::size_t i = 0; i < dfa_.num_states(); ++i) {
    const StateId q = StateAt(i);
    accepting_[i] = dfa_.IsAccepting(q) ? 1 : 0;
    for (const auto& [a, r] : dfa_.TransitionsFrom(q)) {
      row_[i * width + Index(a)] = static_cast<std::uint32_t>(Index(r) * width);
    }
  }
}

bool Matcher::Accepts(StringView w) const {
  if (row_.empty()) return dfa_.Accepts(w);
  const std::size_t width = dfa_.alphabet().size();
  std::size_t row = Index(dfa_.start()) * width;
  for (const Symbol a : w) row = row_[row + Index(a)];
  return accepting_[row / width] != 0;
}

namespace {

constexpr std::size_t kUnreached = std::numeric_limits<std::size_t>::max();

// The states at one position of w with their distances, in order of distance.
struct Layer {
  explicit Layer(std::size_t num_states) : distance(num_states, kUnreached) {}

  void Clear() {
    for (const StateId q : order) distance[Index(q)] = kUnreached;
    order.clear();
  }
  // The first distance that a state is offered is its least: offers come in ascending order.
  void Offer(StateId q, std::size_t d) {
    if (distance[Index(q)] != kUnreached) return;
    distance[Index(q)] = d;
    order.push_back(q);
  }
  // The distance of the i-th state in order, or "never".
  std::size_t At(std::size_t i) const {
    return i < order.size() ? distance[Index(order[i])] : kUnreached;
  }

  std::vector<std::size_t> distance;
  std::vector<StateId> order;
};

std::size_t PlusOne(std::size_t d) { return d == kUnreached ? d : d + 1; }

// Inserting: every transition may be taken at cost 1 without moving on in w. Called while states of
// distance d-1 at `settled` remain; states of distance d are appended after them.
void OfferInsertions(const Dfa& dfa, std::size_t d, std::size_t& settled, Layer& layer) {
  for (; PlusOne(layer.At(settled)) == d; ++settled) {
    for (const auto& t : dfa.TransitionsFrom(layer.order[settled])) layer.Offer(t.target, d);
  }
}

// Advances from the states before the symbol a of w to those after it. It merges three queues, each
// in ascending order: keeping a (cost 0), deleting or replacing it (cost 1), and inserting after it
// (cost 1).
void Advance(const Dfa& dfa, Symbol a, const Layer& from, Layer& to) {
  to.Clear();
  std::size_t kept = 0, changed = 0, settled = 0;
  while (true) {
    const std::size_t d =
        std::min({from.At(kept), PlusOne(from.At(changed)), PlusOne(to.At(settled))});
    if (d == kUnreached) return;
    for (; from.At(kept) == d; ++kept) {
      if (const auto next = dfa.Next(from.order[kept], a)) to.Offer(*next, d);
    }
    for (; PlusOne(from.At(changed)) == d; ++changed) {
      const StateId q = from.order[changed];
      to.Offer(q, d);
      for (const auto& t : dfa.TransitionsFrom(q)) to.Offer(t.target, d);
    }
    OfferInsertions(dfa, d, settled, to);
  }
}

}  // namespace

std::size_t EditDistance(const Dfa& trim, StringView w) {
  Layer layer(trim.num_states()), next(trim.num_states());
  layer.Offer(trim.start(), 0);
  std::size_t settled = 0;
  while (settled < layer.order.size()) {
    OfferInsertions(trim, PlusOne(layer.At(settled)), settled, layer);
  }
  for (const Symbol a : w) {
    Advance(trim, a, layer, next);
    std::swap(layer, next);
  }
  std::size_t least = kUnreached;
  for (const StateId q : layer.order) {
    if (trim.IsAccepting(q)) least = std::min(least, layer.distance[Index(q)]);
  }
  FLARE_CHECK(least != kUnreached);
  return least;
}

}  // namespace flare
