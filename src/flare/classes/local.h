// Locally testable and locally threshold testable languages, dot-depth one: what the sets eSf
// around idempotents decide. Here S is the image of Σ⁺, not of Σ*.

#ifndef FLARE_CLASSES_LOCAL_H_
#define FLARE_CLASSES_LOCAL_H_

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"

namespace flare::algebra {

// For all idempotents e of S: eSe is a commutative band, xx = x and xy = yx (Brzozowski, Simon
// 1973; McNaughton 1974). `k` is left to local_order.h.
Property TestLocallyTestable(const Algebra& algebra);

// S is aperiodic, and pqr = rqp for all idempotents e, f of S, p, r ∈ eSf and q ∈ fSe (Thérien,
// Weiss 1985; Beauquier, Pin 1989).
Property TestLocallyThresholdTestable(const Algebra& algebra, const Property& star_free);

// For all idempotents e, f of S, p, r ∈ eSf and q, s ∈ fSe (Knast 1983):
//   (pq)ⁿ ps (rs)ⁿ = (pq)ⁿ (rs)ⁿ.
// With x = (pq)ⁿ, y = (rs)ⁿ: for idempotents x, y of eSe, x′ ∈ Sf in the R-class of x and y′ ∈ fS
// in the L-class of y, x′y′ = xy.
Property TestDotDepthOne(const Algebra& algebra, const Property& star_free);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_LOCAL_H_
