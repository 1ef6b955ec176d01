// Languages of the form ⟨x⟩0* ∘ ⟨y⟩0* = ⟨x∘y⟩0* for an operation ∘ on natural numbers in binary,
// least significant bit first: addition and multiplication (paper, Appendix E).

#ifndef FLARE_LANGUAGES_BINARY_OPERATION_H_
#define FLARE_LANGUAGES_BINARY_OPERATION_H_

#include <gmpxx.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "flare/languages/binary_numbers.h"
#include "flare/languages/language.h"

namespace flare {

class BinaryOperation : public Language {
 public:
  struct Definition {
    std::string symbol;  // of ∘
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

#endif  // FLARE_LANGUAGES_BINARY_OPERATION_H_
