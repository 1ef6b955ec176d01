// Strings against a DFA: membership, and the distance from it.

#ifndef FLARE_AUTOMATA_MATCHING_H_
#define FLARE_AUTOMATA_MATCHING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flare/automata/dfa.h"

namespace flare {

// Runs a DFA at one table look-up per symbol: the fast membership test.
//
// States that have no transition fall into a dead row, so the loop has no branch but its end. The
// table takes (|Q|+1)·|Σ| entries of 4 bytes; a DFA for which that is more than kLargestTable is
// run by binary search instead.
class Matcher {
 public:
  static constexpr std::size_t kLargestTable = std::size_t{1} << 24;

  explicit Matcher(Dfa dfa);

  const Dfa& dfa() const { return dfa_; }
  bool Accepts(StringView w) const;

 private:
  Dfa dfa_;
  // row_[q·|Σ| + a] is δ(q, a)·|Σ|: states are kept multiplied, one operation less per symbol.
  std::vector<std::uint32_t> row_;
  std::vector<std::uint8_t> accepting_;
};

// The edit distance of a string to a regular language: the least number of single-symbol
// insertions, deletions and replacements that make w a member (paper, Appendix J).
//
// O(|w|·(|Q| + |δ|)) time and O(|Q|) memory: a shortest path through the graph of (position, state)
// with weights 0 and 1, one position at a time.
// Requires: a trim DFA of a language that is not empty.
std::size_t EditDistance(const Dfa& trim, StringView w);

}  // namespace flare

#endif  // FLARE_AUTOMATA_MATCHING_H_
