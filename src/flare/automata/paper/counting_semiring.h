// (ℕ, +, ×, 0, 1) in big integers: how many paths there are, exactly (paper, Appendix F).

#ifndef FLARE_AUTOMATA_PAPER_COUNTING_SEMIRING_H_
#define FLARE_AUTOMATA_PAPER_COUNTING_SEMIRING_H_

#include <gmpxx.h>

#include "flare/base/error.h"

namespace flare {

struct CountingSemiring {
  using Weight = mpz_class;
  Weight Zero() const { return 0; }
  Weight One() const { return 1; }
  Weight Plus(const Weight& a, const Weight& b) const { return a + b; }
  Weight Times(const Weight& a, const Weight& b) const { return a * b; }
  // Only 0* = 1 is a natural number. Requires: a = 0.
  Weight Star(const Weight& a) const {
    FLARE_CHECK(a == 0);
    return 1;
  }
  bool ApproxEqual(const Weight& a, const Weight& b) const { return a == b; }
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_COUNTING_SEMIRING_H_
