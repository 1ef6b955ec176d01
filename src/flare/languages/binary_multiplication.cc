// binary-multiplication: x × y = z in binary, least significant bit first.

#include "flare/languages/binary_operation.h"
#include "flare/languages/catalog.h"

namespace flare {
namespace {

std::optional<mpz_class> LargestFactor(const mpz_class& x, const mpz_class& most) {
  if (x == 0) return std::nullopt;
  return mpz_class(most / x);
}

}  // namespace

std::unique_ptr<Language> MakeBinaryMultiplication() {
  return std::make_unique<BinaryOperation>(BinaryOperation::Definition{
      .symbol = "×",
      .result = [](const mpz_class& x, const mpz_class& y) { return mpz_class(x * y); },
      // A product has about as many bits as both factors together.
      .alpha = {1, 1, 2},
      // Any x will do, with y = 0 if need be.
      .largest_x = [](const mpz_class&) { return std::optional<mpz_class>(); },
      .largest_y = LargestFactor,
  });
}

}  // namespace flare
