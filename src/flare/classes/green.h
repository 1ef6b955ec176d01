// Green's relations of a finite monoid: who generates the same right, left and two-sided ideals.
//
//   x R y  iff  xM = yM,   x L y  iff  Mx = My,   D = R∘L,   H = R ∩ L.
//
// R- and L-classes are the strong components of the right and the left Cayley graph. A D-class is
// regular if it has an idempotent; the H-class of an idempotent e is the largest group around e,
// and those of one D-class are isomorphic.

#ifndef FLARE_CLASSES_GREEN_H_
#define FLARE_CLASSES_GREEN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/classes/monoid.h"

namespace flare::classes {

struct GreenRelations {
  // Requires: a complete monoid.
  explicit GreenRelations(const Monoid& monoid);

  Components r, l;
  std::vector<std::uint32_t> d;  // by element; numbered from 0 by first element
  std::size_t num_d = 0;
  std::size_t num_h = 0;
  std::size_t num_idempotents = 0;
  std::vector<std::uint8_t> is_idempotent;  // by element
  // The first idempotent of each D-class, if the class is regular.
  std::vector<std::optional<Element>> idempotent;

  bool IsRegular(Element x) const { return idempotent[d[x]].has_value(); }
  bool SameH(Element x, Element y) const { return r.of[x] == r.of[y] && l.of[x] == l.of[y]; }
  std::size_t NumRegularD() const;
};

// The group H_e, in the order of elements. Requires: e is idempotent.
std::vector<Element> GroupAround(const Monoid& monoid, const GreenRelations& green, Element e);

// The first of the shortest words w with x·w = y (right) or w·x = y (left). Requires: there is one.
Word RightPath(const Monoid& monoid, Element x, Element y);
Word LeftPath(const Monoid& monoid, Element x, Element y);

}  // namespace flare::classes

#endif  // FLARE_CLASSES_GREEN_H_
