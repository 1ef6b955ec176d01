// Limits the memory of next-symbol sets. A set has a bit for each symbol, so that with a large
// alphabet the sets are much larger than the strings.

#ifndef FLARE_DATA_NEXT_SYMBOLS_LIMIT_H_
#define FLARE_DATA_NEXT_SYMBOLS_LIMIT_H_

#include <cstddef>
#include <string>

#include "flare/base/error.h"
#include "flare/data/split.h"

namespace flare {

// Bytes of the sets of a split, or of a string.
inline constexpr std::size_t kLargestNextSymbols = std::size_t{1} << 30;

struct NextSymbolsTooLarge : InputError {
  using InputError::InputError;
};

// Throw NextSymbolsTooLarge with `where` if so many sets, or those of the split's positives, exceed
// the limit.
void CheckNextSymbolsFit(std::size_t sets, std::size_t alphabet_size, const std::string& where);
void CheckNextSymbolsFit(const Split& split, const std::string& where);

}  // namespace flare

#endif  // FLARE_DATA_NEXT_SYMBOLS_LIMIT_H_
