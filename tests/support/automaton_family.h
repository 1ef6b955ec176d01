// Many automata judged by one process: a family is one automaton in which, from a common start, tag
// i leads to automaton i. Starting OpenFst's tools is what costs, and they treat a family as they
// treat one automaton: the union, intersection or difference of two families is the family of the
// unions, intersections or differences, and the minimal automaton of a family holds that of each
// member.
//
// Text is OpenFst's, for acceptors with numeric labels: symbol a is label a + 1, label 0 is ε.

#ifndef FLARE_TESTS_SUPPORT_AUTOMATON_FAMILY_H_
#define FLARE_TESTS_SUPPORT_AUTOMATON_FAMILY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/operations.h"

namespace flare {

// Labels that lead to members; apart from those of symbols.
constexpr std::size_t kFirstTag = 1'000;

constexpr std::size_t LabelOf(Symbol a) { return Index(a) + 1; }

// Writes a family member by member. A symbol has weight 1 and all else 0, so that the weight of a
// path is the length of its string.
class FamilyWriter {
 public:
  void Add(const Nfa& nfa);
  void Add(const Dfa& dfa);

  // For `fstcompile --acceptor --keep_state_numbering`; the common start is state 0.
  const std::string& text() const { return text_; }
  // The start of each member among the family's states.
  const std::vector<std::size_t>& starts() const { return starts_; }

 private:
  void BeginMember(std::size_t num_states, StateId start);
  void Arc(std::size_t source, std::size_t target, std::size_t label, int weight);

  std::string text_;
  std::vector<std::size_t> starts_;
  std::size_t first_ = 1;  // state of the next member
};

// What `fstprint --acceptor` wrote.
struct PrintedAutomaton {
  explicit PrintedAutomaton(std::string_view text);

  std::size_t start = 0;
  std::map<std::size_t, std::map<std::size_t, std::size_t>> arcs;  // by source and label
  std::map<std::size_t, bool> final;

  // The deterministic automaton behind a path of labels from the start, its states numbered breadth
  // first by symbol; one rejecting state if there is no such path. Tags of other families must not
  // lie behind it.
  Dfa Behind(const std::vector<std::size_t>& path, const Alphabet& alphabet) const;
};

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_AUTOMATON_FAMILY_H_
