// Exact arithmetic on numbers written in binary, least significant bit first, possibly with
// trailing zeros: what binary-addition, binary-multiplication and compute-sqrt are made of. 0 is
// written 0.

#ifndef FLARE_LANGUAGES_BINARY_NUMBERS_H_
#define FLARE_LANGUAGES_BINARY_NUMBERS_H_

#include <gmpxx.h>

#include <cstddef>
#include <span>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/base/rng.h"

namespace flare {

// The symbols that numbers are written in.
struct BinaryDigits {
  Symbol zero, one;
  bool IsDigit(Symbol a) const { return a == zero || a == one; }
};

// Requires: only digits.
mpz_class ParseBinary(const BinaryDigits& digits, StringView bits);

// Appends x in exactly `length` digits. Requires: x < 2^length, length >= 1.
void AppendBinary(const BinaryDigits& digits, const mpz_class& x, std::size_t length, String& w);

// ⟨x⟩, the shortest notation, has this many digits; at least 1.
std::size_t BinaryLength(const mpz_class& x);

// Appends the next-symbol sets after the `=` of "… = z" for a z that is written in `written`
// digits: the digits of ⟨z⟩ one by one, then any number of zeros.
void AppendResultSets(const BinaryDigits& digits, const mpz_class& z, std::size_t written,
                      NextSymbolSets& sets);

// 2^n − 1, the largest number of n digits.
mpz_class LargestOfLength(std::size_t n);

// Uniform over {0, …, most}, by rejection of too large numbers of as many bits.
mpz_class UniformUpTo(const mpz_class& most, Rng& rng);

// Splits `total` into parts of random sizes: a Dirichlet draw with integer parameters `alpha` times
// `total`, rounded by largest remainder with random ties, so that no part is favoured. With
// A = Σ alpha, the draw is the spacings of A−1 sorted uniform numbers, alpha[i] neighbours in one
// part; all in integers, so exact.
std::vector<std::size_t> DirichletSplit(std::span<const std::size_t> alpha, std::size_t total,
                                        Rng& rng);

}  // namespace flare

#endif  // FLARE_LANGUAGES_BINARY_NUMBERS_H_
