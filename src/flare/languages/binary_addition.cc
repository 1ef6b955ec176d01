// binary-addition: x + y = z in binary, least significant bit first.

#include "flare/languages/binary_operation.h"
#include "flare/languages/catalog.h"

namespace flare {

std::unique_ptr<Language> MakeBinaryAddition() {
  return std::make_unique<BinaryOperation>(BinaryOperation::Definition{
      .symbol = "+",
      .result = [](const mpz_class& x, const mpz_class& y) { return mpz_class(x + y); },
      .alpha = {1, 1, 1},
      .largest_x = [](const mpz_class& most) { return std::optional(most); },
      .largest_y = [](const mpz_class& x,
                      const mpz_class& most) { return std::optional(mpz_class(most - x)); },
  });
}

}  // namespace flare
