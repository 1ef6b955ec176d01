// Languages about numbers in binary: addition, multiplication and square roots.

#ifndef FLARE_LANGUAGES_BINARY_ARITHMETIC_H_
#define FLARE_LANGUAGES_BINARY_ARITHMETIC_H_

#include <gmpxx.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/base/rng.h"
#include "flare/languages/language.h"

namespace flare {

// Exact arithmetic on numbers written in binary, least significant bit first, possibly with
// trailing zeros: what binary-addition, binary-multiplication and compute-sqrt are made of. 0 is
// written 0.

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

// Languages of the form ⟨x⟩0* ∘ ⟨y⟩0* = ⟨x∘y⟩0* for an operation ∘ on natural numbers in binary,
// least significant bit first: addition and multiplication (paper, Appendix E).
class BinaryOperation : public Language {
 public:
  struct Definition {
    std::string symbol;  // how ∘ is written
    mpz_class (*result)(const mpz_class& x, const mpz_class& y);
    // The Dirichlet parameters of the lengths of x, y and z.
    std::array<std::size_t, 3> alpha;
    // The largest x, and given x the largest y, for which the result is at most `most`; nothing if
    // there is no limit.
    std::optional<mpz_class> (*largest_x)(const mpz_class& most);
    std::optional<mpz_class> (*largest_y)(const mpz_class& x, const mpz_class& most);
  };

  explicit BinaryOperation(Definition definition);

  const Alphabet& alphabet() const override { return alphabet_; }
  bool Contains(StringView w) const override;
  void NextSymbols(StringView w, NextSymbolSets& sets) const override;
  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override;

 private:
  class Sampler;
  struct Operands;

  // The three numbers of w as strings of digits, if w has the format.
  std::optional<Operands> Split(StringView w) const;

  Definition definition_;
  Alphabet alphabet_;
  BinaryDigits digits_;
  Symbol operator_, equals_;
};

}  // namespace flare

#endif  // FLARE_LANGUAGES_BINARY_ARITHMETIC_H_
