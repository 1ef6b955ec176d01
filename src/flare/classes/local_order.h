// The smallest k for which a locally testable language is k-testable.

#ifndef FLARE_CLASSES_LOCAL_ORDER_H_
#define FLARE_CLASSES_LOCAL_ORDER_H_

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"

namespace flare::algebra {

// L is k-testable if membership of w depends on its prefix and suffix of length k−1 and on the set
// of its factors of length k. Factors are the edges of the de Bruijn graph with vertices Σ^{k−1}.
// By Simon's theorem on paths in graphs (Eilenberg 1976, B, VIII.8), L is k-testable iff at every
// vertex t the loops x, y (tx and ty end in t) satisfy
//
//   txx = tx,   txy = tyx.
//
// A loop is either t's own period (|x| < |t|, tx ends in t) or x = zt with any z ∈ M. Where the
// class of t is regular, t = tvt, the loops embed in the monoid around the idempotent tv, so the
// equations hold already if L is locally testable at all: only words t of irregular class are
// asked.
//
// Adds `k`, and words that show why k−1 is not enough, to the answer of a locally testable
// language.
Property WithLocalOrder(const Algebra& algebra, Property locally_testable);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_LOCAL_ORDER_H_
