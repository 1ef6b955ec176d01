// Runs a DFA at one table look-up per symbol: the fast membership test.
//
// States that have no transition fall into a dead row, so the loop has no branch but its end. The
// table takes (|Q|+1)·|Σ| entries of 4 bytes; a DFA for which that is more than kLargestTable is
// run by binary search instead.

#ifndef FLARE_AUTOMATA_MATCHER_H_
#define FLARE_AUTOMATA_MATCHER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flare/automata/dfa.h"

namespace flare {

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

}  // namespace flare

#endif  // FLARE_AUTOMATA_MATCHER_H_
