// ({false, true}, ∨, ∧, false, true): is there a path at all?

#ifndef FLARE_AUTOMATA_PAPER_BOOLEAN_SEMIRING_H_
#define FLARE_AUTOMATA_PAPER_BOOLEAN_SEMIRING_H_

namespace flare {

struct BooleanSemiring {
  using Weight = bool;
  bool Zero() const { return false; }
  bool One() const { return true; }
  bool Plus(bool a, bool b) const { return a || b; }
  bool Times(bool a, bool b) const { return a && b; }
  bool Star(bool) const { return true; }
  bool ApproxEqual(bool a, bool b) const { return a == b; }
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_BOOLEAN_SEMIRING_H_
