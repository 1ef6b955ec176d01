// The automaton behind the loss term st: the minimal complete DFA of a dataset's language, which
// gives the state after every prefix of a string. `nn` gets the numbers of the states and nothing
// else.

#ifndef FLARE_TRAINING_STATE_TRACKER_H_
#define FLARE_TRAINING_STATE_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/runs/run_directory.h"

namespace flare {

class StateTracker {
 public:
  // Takes a minimal trim DFA, whose states keep their numbers. Missing transitions lead to one more
  // state, from which nothing is accepted. Strings are over `alphabet`, whose symbols may be
  // numbered differently from the DFA's. Requires: a DFA with at least one state.
  StateTracker(const Dfa& minimal, const Alphabet& alphabet);

  std::size_t num_states() const { return next_.size() / symbols_; }
  // Appends the |w|+1 states of the prefixes of w.
  void Append(StringView w, std::vector<std::uint32_t>& states) const;

 private:
  std::uint32_t start_;
  std::size_t symbols_;
  std::vector<std::uint32_t> next_;  // (states, symbols)
};

// The language is that of the dataset's manifest; without one, that of the catalogue whose name the
// dataset has. Throws InputError if it is not known or not regular.
StateTracker TrackerOf(const PinnedData& data);

}  // namespace flare

#endif  // FLARE_TRAINING_STATE_TRACKER_H_
