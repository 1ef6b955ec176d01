// The star of a binning semiring exists only if that of its base does: a compile-time error.

#include "flare/automata/paper/binning_semiring.h"
#include "flare/automata/paper/path_sums.h"
#include "flare/automata/paper/semirings.h"

// The natural numbers without a star.
struct Unclosed {
  using Weight = unsigned;
  unsigned Zero() const { return 0; }
  unsigned One() const { return 1; }
  unsigned Plus(unsigned a, unsigned b) const { return a + b; }
  unsigned Times(unsigned a, unsigned b) const { return a * b; }
  bool ApproxEqual(unsigned a, unsigned b) const { return a == b; }
};

static_assert(flare::Closed<flare::BinningSemiring<flare::RealSemiring>>);
static_assert(flare::Semiring<flare::BinningSemiring<Unclosed>>);

#ifdef FLARE_MUST_FAIL
auto Sums(const flare::Wfa<std::vector<unsigned>>& m) {
  return flare::Backward(flare::BinningSemiring<Unclosed>(3), m);
}
#else
auto Sums(const flare::Wfa<std::vector<double>>& m) {
  return flare::Backward(flare::BinningSemiring<flare::RealSemiring>(3), m);
}
#endif
