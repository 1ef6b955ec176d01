// The tests of the classes: for each, whether a language belongs to it, and why not. Each group is
// implemented in the file of its name: groups.cc, trivial.cc, prefixes.cc, suffixes.cc,
// piecewise.cc, local.cc and local_order.cc. Star-free languages have aperiodic.h, and C-RASP
// counting.h.

#ifndef FLARE_CLASSES_CLASS_TESTS_H_
#define FLARE_CLASSES_CLASS_TESTS_H_

#include <cstddef>
#include <vector>

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"
#include "flare/classes/syntactic_automaton.h"

namespace flare::classes {

// Commutative and group languages, and the groups inside a monoid.

// xy = yx: membership depends on how often each letter occurs. Iff letters commute.
Property TestCommutative(const SyntacticAutomaton& automaton);

// M is a group. Iff every letter permutes the states.
Property TestGroup(const SyntacticAutomaton& automaton);

// One of the maximal subgroups H_e of M, one for each regular D-class whose groups are not trivial.
struct MaximalSubgroup {
  Element e;
  std::size_t order;
  bool abelian;
  // The orders of H, [H,H], …, down to the last that differs from the one before.
  std::vector<std::size_t> derived_series;
  bool solvable() const { return derived_series.back() == 1; }
  // If it is not solvable: generators of the perfect group at the end of the series.
  std::vector<Element> perfect_generators;
};

// Requires: a complete monoid. In the order of e.
std::vector<MaximalSubgroup> MaximalSubgroups(const Algebra& algebra);

// All groups in M are solvable.
Property TestSolvable(const Algebra& algebra, const std::vector<MaximalSubgroup>& groups);

// Languages whose monoid is trivial for one of Green's relations, and DA.

// (xy)ⁿx = (xy)ⁿ. Iff the minimal complete DFA is partially ordered: its only cycles are loops at a
// state (Brzozowski, Fich 1980). Needs no monoid.
Property TestRTrivial(const SyntacticAutomaton& automaton);

// y(xy)ⁿ = (xy)ⁿ: the mirror image of an R-trivial language.
Property TestLTrivial(const Algebra& algebra);

// Both: for a finite monoid D = J, so the J-classes are trivial iff the R- and L-classes are.
Property JTrivial(const Property& r_trivial, const Property& l_trivial);

// (xyz)ⁿ y (xyz)ⁿ = (xyz)ⁿ; iff every regular element is idempotent (Schützenberger 1976). What
// two-variable first-order logic with < defines (Thérien, Wilke 1998).
Property TestDA(const Algebra& algebra);

// Classes in which the automaton comes to rest: reverse definite and finite languages.

// k-reverse-definite: of strings of length ≥ k, membership depends on the first k symbols. Iff
// every word of length k leads to a state that no letter leaves.
Property TestReverseDefinite(const SyntacticAutomaton& automaton);

// Iff no live state lies on a cycle. `k` is not used.
Property TestFinite(const SyntacticAutomaton& automaton);

// Classes that forget all but the last symbols: definite and strictly local languages. Both ask how
// long two states can be told apart while they read the same word.

// Pairs of states are followed up to this many states.
constexpr std::size_t kMostStatesForPairs = 5'000;

// k-definite: of strings of length ≥ k, membership depends on the last k symbols. Iff all words of
// length k take all states to one (Perles, Rabin, Shamir 1963).
Property TestDefinite(const SyntacticAutomaton& automaton);

// Strictly k-local: some prefixes and suffixes of length k−1 and some factors of length k are
// allowed (McNaughton, Papert 1971). Iff suffixes can be substituted: with |t| = k−1,
// xtz, ytw ∈ L implies ytz ∈ L (De Luca, Restivo 1980); that is, a word of length k−1 takes any two
// live states to one, or one of them to the sink.
Property TestStrictlyLocal(const SyntacticAutomaton& automaton);

// Languages that look at scattered subsequences: strictly piecewise and piecewise testable ones.

// Strictly k-piecewise: the strings without certain subsequences of length ≤ k. Iff the language is
// closed under deletion of symbols: L(qa) ⊆ L(q) for every state q and letter a (Rogers et al.
// 2010). k is the length of the longest minimal forbidden subsequence, 0 if there is none but ε.
Property TestStrictlyPiecewise(const SyntacticAutomaton& automaton);

// Piecewise k-testable: membership depends on the set of subsequences of length ≤ k. For some k iff
// M is J-trivial (Simon 1975). Adds the smallest k to that answer. Deciding k ≥ 4 is coNP-complete
// (Klíma, Kunc, Polák 2014), so there is a limit; the longest path of the DFA without a repeated
// state is an upper bound (Klíma, Polák 2013).
Property WithPiecewiseOrder(const SyntacticAutomaton& automaton, Property j_trivial);

// Locally testable and locally threshold testable languages, dot-depth one: what the sets eSf
// around idempotents decide. Here S is the image of Σ⁺, not of Σ*.

// For all idempotents e of S: eSe is a commutative band, xx = x and xy = yx (Brzozowski, Simon
// 1973; McNaughton 1974). `k` is left to WithLocalOrder.
Property TestLocallyTestable(const Algebra& algebra);

// S is aperiodic, and pqr = rqp for all idempotents e, f of S, p, r ∈ eSf and q ∈ fSe (Thérien,
// Weiss 1985; Beauquier, Pin 1989).
Property TestLocallyThresholdTestable(const Algebra& algebra, const Property& star_free);

// For all idempotents e, f of S, p, r ∈ eSf and q, s ∈ fSe (Knast 1983):
//   (pq)ⁿ ps (rs)ⁿ = (pq)ⁿ (rs)ⁿ.
// With x = (pq)ⁿ, y = (rs)ⁿ: for idempotents x, y of eSe, x′ ∈ Sf in the R-class of x and y′ ∈ fS
// in the L-class of y, x′y′ = xy.
Property TestDotDepthOne(const Algebra& algebra, const Property& star_free);

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

}  // namespace flare::classes

#endif  // FLARE_CLASSES_CLASS_TESTS_H_
