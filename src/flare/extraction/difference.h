// How a regular language, the claim, differs from its target: exactly, and length by length.

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

// The differences between target and claim on the strings of one length. A count is exact up to
// 2^53. Beyond, every sum rounds, so that its relative error at length n is at most
// n·(|Q|·|Σ|+1)·2^-53. A count of 0 is exact.
struct LengthDifference {
  std::size_t length = 0;
  ExtendedReal members, non_members;  // of the target
  ExtendedReal wrongly_rejected;      // members that the claim rejects
  ExtendedReal wrongly_accepted;      // non-members that the claim accepts
  // The probability that the claim rejects a member drawn by the paper's law (Eq. 1), that it
  // rejects a uniform member, and that it accepts a uniform non-member; nothing if the length has
  // no such string.
  std::optional<double> rejects_by_paper;
  std::optional<double> rejects_uniformly;
  std::optional<double> accepts_uniformly;
};

inline constexpr std::size_t kMostListed = 5;

struct LanguageDifference {
  // The shortlex-first string of each kind; nothing if there is none of any length, or, for a
  // target that is not regular, none up to `known_up_to`.
  std::optional<String> first_wrongly_rejected, first_wrongly_accepted;
  // All strings on which a regular target and the claim differ, in shortlex order, if there are at
  // most kMostListed; else nothing.
  std::optional<std::vector<String>> only_differs_on = {};
  std::vector<LengthDifference> by_length;  // 0 … longest
  // The length of the longest strings that were compared, if the target is not regular.
  std::optional<std::size_t> known_up_to = {};

  bool equal() const { return !first_wrongly_rejected && !first_wrongly_accepted; }
};

// Follows the product of both automata forwards with extended-range weights, in O(|δ|) for each
// length. Requires: equal alphabets. Throws InputError if the product is too large.
LanguageDifference CompareLanguages(const Dfa& target, const Dfa& claim, std::size_t longest);

// The same for a target with an unambiguous grammar. In the product of grammar and automaton
// (grammars/grammar_product.h),
//
//   Nₙ(p, A, q) = Σ_{A→a} [n=1][δ(p,a)=q] + Σ_{A→XY} Σ_{r,k} Nₖ(p, X, r) · Nₙ₋ₖ(r, Y, q)
//
// counts the derivations, and so the strings, of A that lead from p to q. The number of wrongly
// accepted strings is a difference of such counts, which are nearly equal where the claim is nearly
// right. So counts are integers of any size until they become ExtendedReals.
//
// Members are weighed by the grammar's own law instead of Eq. 1. `known_up_to` is `longest`, or
// less if the product is so large that longer strings would take more than a few seconds. Requires:
// equal alphabets; every string has exactly one derivation; the recognizer has the same normal
// form. Throws InputError if the product is too large even for short strings, or if the first
// wrongly accepted string is not among the first million strings of its length that the claim
// accepts.
LanguageDifference CompareWithGrammar(const NormalForm& target, const Recognizer& recognizer,
                                      const Dfa& claim, std::size_t longest);

}  // namespace flare

#endif  // FLARE_EXTRACTION_DIFFERENCE_H_
