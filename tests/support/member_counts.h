// How many strings of each length an automaton accepts, by the program's counting semiring.

#ifndef FLARE_TESTS_SUPPORT_MEMBER_COUNTS_H_
#define FLARE_TESTS_SUPPORT_MEMBER_COUNTS_H_

#include <cstddef>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/paper/binning_semiring.h"
#include "flare/automata/paper/path_sums.h"
#include "flare/automata/paper/semirings.h"

namespace flare {

// Of lengths 0 to `longest`.
inline std::vector<mpz_class> MemberCounts(const Dfa& dfa, std::size_t longest) {
  const BinningSemiring<CountingSemiring> s(longest);
  Wfa<std::vector<mpz_class>> lifted(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    lifted.AddState(dfa.IsAccepting(StateAt(q)) ? s.One() : s.Zero());
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      lifted.AddTransition(StateAt(q), a, s.Bin(1, 1), r);
    }
  }
  lifted.start = dfa.start();
  return Backward(s, lifted)[Index(lifted.start)];
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_MEMBER_COUNTS_H_
