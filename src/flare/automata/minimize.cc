#include "flare/automata/minimize.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "flare/automata/trim.h"

namespace flare {
namespace {

// A partition of {0, ..., n-1} that is refined by marking elements and splitting every set that is
// partly marked. Elements of a set lie side by side, the marked ones first.
class Partition {
 public:
  // One set, or none for n = 0.
  explicit Partition(std::size_t n) : items_(n), place_(n), set_of_(n, 0) {
    std::iota(items_.begin(), items_.end(), std::size_t{0});
    std::iota(place_.begin(), place_.end(), std::size_t{0});
    if (n > 0) sets_.push_back({0, n, 0});
  }

  std::size_t size() const { return sets_.size(); }
  std::size_t SetOf(std::size_t item) const { return set_of_[item]; }
  // A copy, because marking moves elements about.
  std::vector<std::size_t> Members(std::size_t set) const {
    const auto begin = items_.begin();
    return {begin + static_cast<std::ptrdiff_t>(sets_[set].begin),
            begin + static_cast<std::ptrdiff_t>(sets_[set].end)};
  }

  void Mark(std::size_t item) {
    const std::size_t s = set_of_[item];
    Set& set = sets_[s];
    const std::size_t boundary = set.begin + set.marked;
    if (place_[item] < boundary) return;
    if (set.marked++ == 0) touched_.push_back(s);
    const std::size_t other = items_[boundary];
    std::swap(items_[place_[item]], items_[boundary]);
    std::swap(place_[item], place_[other]);
  }

  // Splits every partly marked set. The smaller part gets the new number: an element moves at most
  // log n times, which is where the bound on the running time comes from.
  void SplitMarked() {
    for (const std::size_t s : touched_) {
      const Set set = sets_[s];
      sets_[s].marked = 0;
      const std::size_t middle = set.begin + set.marked;
      if (middle == set.end) continue;
      Set part{set.begin, middle, 0};
      if (set.marked <= set.end - middle) {
        sets_[s].begin = middle;
      } else {
        part = {middle, set.end, 0};
        sets_[s].end = middle;
      }
      for (std::size_t i = part.begin; i < part.end; ++i) set_of_[items_[i]] = sets_.size();
      sets_.push_back(part);
    }
    touched_.clear();
  }

 private:
  struct Set {
    std::size_t begin, end, marked;
  };
  std::vector<std::size_t> items_;
  std::vector<std::size_t> place_;  // items_[place_[x]] == x
  std::vector<std::size_t> set_of_;
  std::vector<Set> sets_;
  std::vector<std::size_t> touched_;
};

}  // namespace

Dfa Minimize(const Dfa& dfa) {
  const Dfa trim = Trim(dfa);
  const auto transitions = trim.transitions();
  std::vector<std::size_t> source(transitions.size());
  std::vector<std::vector<std::size_t>> incoming(trim.num_states());
  for (std::size_t q = 0; q < trim.num_states(); ++q) {
    const std::size_t begin = trim.FirstTransition(StateAt(q));
    for (std::size_t t = begin; t < begin + trim.TransitionsFrom(StateAt(q)).size(); ++t) {
      source[t] = q;
      incoming[Index(transitions[t].target)].push_back(t);
    }
  }

  // States are split by acceptance, transitions by symbol; then each partition refines the other
  // until states of a set agree on which sets their transitions lead to.
  Partition states(trim.num_states());
  for (std::size_t q = 0; q < trim.num_states(); ++q) {
    if (trim.IsAccepting(StateAt(q))) states.Mark(q);
  }
  states.SplitMarked();
  Partition cords(transitions.size());
  std::vector<std::vector<std::size_t>> by_symbol(trim.alphabet().size());
  for (std::size_t t = 0; t < transitions.size(); ++t) {
    by_symbol[Index(transitions[t].symbol)].push_back(t);
  }
  for (const auto& group : by_symbol) {
    for (const std::size_t t : group) cords.Mark(t);
    cords.SplitMarked();
  }

  std::size_t next_set = 1;
  for (std::size_t cord = 0; cord < cords.size(); ++cord) {
    for (const std::size_t t : cords.Members(cord)) states.Mark(source[t]);
    states.SplitMarked();
    for (; next_set < states.size(); ++next_set) {
      for (const std::size_t q : states.Members(next_set)) {
        for (const std::size_t t : incoming[q]) cords.Mark(t);
      }
      cords.SplitMarked();
    }
  }

  DfaBuilder quotient(trim.alphabet());
  std::vector<std::size_t> representative(states.size(), trim.num_states());
  for (std::size_t q = 0; q < trim.num_states(); ++q) {
    representative[states.SetOf(q)] = std::min(representative[states.SetOf(q)], q);
  }
  for (const std::size_t q : representative) quotient.AddState(trim.IsAccepting(StateAt(q)));
  for (std::size_t set = 0; set < representative.size(); ++set) {
    for (const auto& [a, r] : trim.TransitionsFrom(StateAt(representative[set]))) {
      quotient.AddTransition(StateAt(set), a, StateAt(states.SetOf(Index(r))));
    }
  }
  return Trim(std::move(quotient).Build(StateAt(states.SetOf(Index(trim.start())))));
}

}  // namespace flare
