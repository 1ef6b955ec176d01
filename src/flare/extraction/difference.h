// How much a regular language differs from one that it should be, exactly and length by length: the
// product of their automata, followed forwards with extended-range weights, O(|δ|) for each length.

#ifndef FLARE_EXTRACTION_DIFFERENCE_H_
#define FLARE_EXTRACTION_DIFFERENCE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/extended_real.h"
#include "flare/grammars/normal_form.h"
#include "flare/grammars/recognizer.h"

namespace flare {

// Of the strings of one length. Counts are whole numbers up to 2^53, then within a relative
// n·(|Q|·|Σ|+1)·2^-53 at length n, as every sum of counts rounds; 0 is exactly 0.
struct LengthDifference {
  std::size_t length = 0;
  ExtendedReal members, non_members;  // of the target
  ExtendedReal wrongly_rejected;      // members that the claim does not have
  ExtendedReal wrongly_accepted;      // non-members that it has
  // The probability that a member is rejected, drawn by the paper's law (Eq. 1) and uniformly, and
  // that a uniform non-member is accepted; nothing if there is no such string.
  std::optional<double> rejects_by_paper;
  std::optional<double> rejects_uniformly;
  std::optional<double> accepts_uniformly;
};

struct LanguageDifference {
  // The shortlex-first of each kind; nothing if there is none, whatever the length, or up to
  // `known_up_to`.
  std::optional<String> first_wrongly_rejected, first_wrongly_accepted;
  std::vector<LengthDifference> by_length;  // 0 … longest
  // For a target that is not regular: longer strings were not looked at.
  std::optional<std::size_t> known_up_to = {};

  bool equal() const { return !first_wrongly_rejected && !first_wrongly_accepted; }
};

// Requires: equal alphabets. Throws InputError if the product is too large.
LanguageDifference CompareLanguages(const Dfa& target, const Dfa& claim, std::size_t longest);

// How much a regular language differs from an unambiguous context-free one that it should be,
// length by length. In the product of grammar and automaton (grammar_product.h),
//
//   Nₙ(p, A, q) = Σ_{A→a} [n=1][δ(p,a)=q] + Σ_{A→XY} Σ_{r,k} Nₖ(p, X, r) · Nₙ₋ₖ(r, Y, q)
//
// counts the derivations, and so the strings, of A that lead from p to q. What the claim accepts
// and the target does not have is a difference of such numbers, nearly equal where the claim is
// nearly right: so they are whole numbers of any size.
//
// The paper's law of a context-free target is its grammar's. `known_up_to` is `longest`, or less
// where the product is so large that longer strings would take more than seconds. Whole numbers are
// exact before they become ExtendedReals. Requires: equal alphabets; every string of the grammar
// has one derivation; the recognizer is of the same normal form. Throws InputError if the product
// is too large even for short strings, or the first wrongly accepted string is not among the
// million first that the claim accepts of its length.
LanguageDifference CompareWithGrammar(const NormalForm& target, const Recognizer& recognizer,
                                      const Dfa& claim, std::size_t longest);

}  // namespace flare

#endif  // FLARE_EXTRACTION_DIFFERENCE_H_
