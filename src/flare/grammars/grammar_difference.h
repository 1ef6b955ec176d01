// How much a regular language differs from an unambiguous context-free one that it should be,
// length by length. In the product of grammar and automaton (grammar_product.h),
//
//   Nₙ(p, A, q) = Σ_{A→a} [n=1][δ(p,a)=q] + Σ_{A→XY} Σ_{r,k} Nₖ(p, X, r) · Nₙ₋ₖ(r, Y, q)
//
// counts the derivations, and so the strings, of A that lead from p to q. What the claim accepts
// and the target does not have is a difference of such numbers, nearly equal where the claim is
// nearly right: so they are whole numbers of any size.

#ifndef FLARE_GRAMMARS_GRAMMAR_DIFFERENCE_H_
#define FLARE_GRAMMARS_GRAMMAR_DIFFERENCE_H_

#include <cstddef>

#include "flare/automata/dfa.h"
#include "flare/automata/language_difference.h"
#include "flare/grammars/normal_form.h"
#include "flare/grammars/recognizer.h"

namespace flare {

// The paper's law of a context-free target is its grammar's. `known_up_to` is `longest`, or less
// where the product is so large that longer strings would take more than seconds. Whole numbers are
// exact before they become ExtendedReals. Requires: equal alphabets; every string of the grammar
// has one derivation; the recognizer is of the same normal form. Throws InputError if the product
// is too large even for short strings, or the first wrongly accepted string is not among the
// million first that the claim accepts of its length.
LanguageDifference CompareWithGrammar(const NormalForm& target, const Recognizer& recognizer,
                                      const Dfa& claim, std::size_t longest);

}  // namespace flare

#endif  // FLARE_GRAMMARS_GRAMMAR_DIFFERENCE_H_
