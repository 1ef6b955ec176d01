// Operations on automata: trimming, minimizing, determinizing, the Boolean operations, deciding
// equality, and strong components. What may grow shares an Effort.

#ifndef FLARE_AUTOMATA_OPERATIONS_H_
#define FLARE_AUTOMATA_OPERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flare/automata/dfa.h"

namespace flare {

// A limit to what automata may cost. A pattern of a few bytes can ask for gigabytes and for hours,
// so all that is built from one text of a user shares an Effort, which throws when it is spent.
class Effort {
 public:
  // States and transitions of one automaton: some hundred megabytes while it is minimized.
  static constexpr std::size_t kLargest = 5'000'000;
  // The most visits of states and transitions in all, which take about a second.
  static constexpr std::size_t kMostSteps = 30'000'000;

  // `where` is what errors start with.
  explicit Effort(std::string where) : where_(std::move(where)) {}

  // Throw InputError.
  void Spend(std::size_t steps);
  void CheckSize(std::size_t states_and_transitions) const;
  // Counts another automaton, with the names of its symbols.
  void SpendAutomaton(std::size_t alphabet_size) { Spend(100 * alphabet_size); }

 private:
  std::string where_;
  std::size_t left_ = kMostSteps;
};

// Keeps the states that are reachable from the start and can reach an accepting state, numbered in
// breadth-first order by symbol, so that the start is state 0 and isomorphic automata become equal.
// The empty language becomes one rejecting state without transitions.
Dfa Trim(const Dfa& dfa);

// True if no string is accepted.
bool IsEmpty(const Dfa& dfa);

// Returns 1 for every state from which an accepting state can be reached, else 0.
std::vector<std::uint8_t> Coaccessible(const Dfa& dfa);

// The unique minimal trim DFA of the same language, numbered as by Trim: two DFAs over one alphabet
// have equal languages exactly if their minimal DFAs are equal. O((|Q| + |δ|) log |Q|), with no
// factor |Σ|: partition refinement on states and transitions together (A. Valmari, "Fast brief
// practical DFA minimization", 2012), which a partial DFA needs no completion for.
Dfa Minimize(const Dfa& dfa);

using Nfa = Wfa<bool>;

// Returns a DFA of the same language, by the subset construction; trim. It can be exponentially
// large: throws InputError when the effort is spent.
Dfa Determinize(const Nfa& nfa, Effort& effort);

// Completion, complement and intersection may be much larger than what they are made from, and
// throw InputError when the effort is spent.

// Returns a DFA of the same language with a transition for every state and symbol. The missing ones
// lead to a rejecting sink, which is added only if it is needed.
Dfa Complete(const Dfa& dfa, Effort& effort);

// Σ* minus the language; trim.
Dfa Complement(const Dfa& dfa, Effort& effort);

// The product automaton; trim. Requires: equal alphabets.
Dfa Intersect(const Dfa& a, const Dfa& b, Effort& effort);

// A shortest string that exactly one of the two accepts, the first of those in symbol order;
// nothing if the languages are equal. Breadth-first through the pairs of states.
// Requires: equal alphabets.
std::optional<String> ShortestDifference(const Dfa& a, const Dfa& b);

// The strongly connected components of a graph: of automata, Cayley graphs and grammars. All of
// them come from one implementation of Tarjan's algorithm, which is linear and does not recurse.
struct Components {
  // By node. An edge never leads to a component of a higher number.
  std::vector<std::uint32_t> of;
  std::vector<std::uint32_t> size;  // by component
};

// A graph in which every node has the same number of edges: node v has the edges
// targets[v·width …]. Requires: width > 0 unless there is one node.
Components StrongComponents(std::span<const std::uint32_t> targets, std::size_t num_nodes,
                            std::size_t width);

// A graph with an edge from v to every entry of successors[v]. A component comes after all those
// that it leads to; its first node is the one that the search entered last.
std::vector<std::vector<std::size_t>> StrongComponents(
    const std::vector<std::vector<std::size_t>>& successors);

}  // namespace flare

#endif  // FLARE_AUTOMATA_OPERATIONS_H_
