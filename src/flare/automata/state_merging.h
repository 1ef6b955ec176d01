// Learns an automaton from labelled strings alone: evidence-driven state merging on a blue fringe
// (Lang, Pearlmutter, Price, "Results of the Abbadingo One DFA learning competition", 1998).
//
//   const MergedAutomaton learned = LearnByMerging(alphabet, strings, labels, limits);
//   if (learned.dfa) Matcher(*learned.dfa).Accepts(w);
//
// It begins with the tree of all prefixes of the strings. Red states belong to the result; blue
// states are the successors of red ones that are not red. A blue state may be merged with a red one
// if no string with a label then loses it. Until no state is blue:
//
//   - the first blue state that can be merged with no red one becomes red;
//   - if there is none, the merge that joins the most pairs of labelled states is made; among
//     equals that of the first blue state, and of those the one with the first red state.
//
// States are ordered by the words that lead to them, shorter ones first, then lexicographically.
// If the strings have, for every two states p ≠ q of the minimal DFA, of which p is reached by its
// first word u and q by v, that or another first word with a symbol behind it, two continuations uw
// and vw with different labels, then every state is made red by its first word and every merge is
// right: the result is the minimal DFA.

#ifndef FLARE_AUTOMATA_STATE_MERGING_H_
#define FLARE_AUTOMATA_STATE_MERGING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"

namespace flare {

// Counts instead of seconds, so that every machine stops at the same place.
struct MergingLimits {
  std::uint64_t most_visits = 500'000'000;  // visits of states while merges are tried
  std::size_t most_transitions = 1u << 26;  // states × symbols of the tree of prefixes
};

struct MergedAutomaton {
  // The learned automaton, which is partial. It accepts in the states in which positive strings
  // end. Nullopt if learning stopped.
  std::optional<Dfa> dfa = {};
  std::string stopped = {};  // why and where learning stopped, if it did
  std::uint64_t visits = 0;
};

// Requires: as many labels as strings, 1 for members, and symbols of the alphabet.
MergedAutomaton LearnByMerging(const Alphabet& alphabet, std::span<const StringView> strings,
                               std::span<const std::uint8_t> labels,
                               const MergingLimits& limits = {});

}  // namespace flare

#endif  // FLARE_AUTOMATA_STATE_MERGING_H_
