// Star-free languages.

#ifndef FLARE_CLASSES_APERIODIC_H_
#define FLARE_CLASSES_APERIODIC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"

namespace flare::classes {

// L is star-free iff M is aperiodic, xⁿ = xⁿ⁺¹ for some n (Schützenberger 1965); equivalently
// definable in first-order logic with < (McNaughton, Papert 1971). Not so iff some word u has a
// cycle p → pu → … → p of two states or more. A *no* needs only the elements up to u, so it may
// come from a monoid that is too large to be completed.
Property TestStarFree(const Algebra& algebra);

// Why no word takes states in a circle, in an automaton with n states: by (s, t), at s·n + t, for
// every two states s ≠ t of one strong component.
//
// A word takes (s, t) to a pair of the same or a lower `level`, unless it makes the two equal or
// leads out of their component. On the pairs of one component and level, each state has one rank,
// and that of s is lower than that of t. If u took q₀ → q₁ → … → q₀, it would
// take each of the pairs (qᵢ, qᵢ₊₁) to the next, and the last back to the first, so that all had
// one level; and the ranks on it would rise from q₀ to q₀.
struct RankedPairs {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};  // the level of all other pairs
  struct Pair {
    std::uint32_t level = kNone;
    std::uint32_t rank_of_s = 0, rank_of_t = 0;
  };
  std::size_t num_states = 0;
  std::vector<Pair> pairs;
};

struct StarFreeAnswer {
  Property property;
  std::optional<RankedPairs> proof;  // of a *yes*, where pairs are enough
};

// The same without the monoid, and in time polynomial in the automaton wherever pairs of states
// decide, which they do of every language that is definable in C-RASP. Otherwise p-tuples are
// looked at, for every prime p up to the length of the longest circle that pairs leave possible;
// *unknown* if the steps are spent. Nothing polynomial decides all: star-freeness is
// PSPACE-complete (Cho, Huynh 1991).
StarFreeAnswer TestStarFreeOnTuples(const SyntacticAutomaton& automaton);

// The strong components of more than one state, which are where words go round: each ascending, by
// their first state.
std::vector<std::vector<State>> LargeComponents(const SyntacticAutomaton& automaton);

// The lengths, of at least 2, of the circles in which single letters take states: ascending, each
// once.
std::vector<std::size_t> CirclesOfLetters(const SyntacticAutomaton& automaton);

}  // namespace flare::classes

#endif  // FLARE_CLASSES_APERIODIC_H_
