#include "flare/nn/dropout.h"

#include <cmath>

#include "flare/base/error.h"
#include "flare/base/rng.h"

namespace flare {

Dropout MakeDropout(double rate, std::uint64_t seed, std::uint64_t step) {
  FLARE_CHECK(0 <= rate && rate < 1);
  const std::uint64_t key = Rng::For(seed, "dropout", step).Bits();
  return {static_cast<std::uint32_t>(std::lround(rate * 65536)),
          {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}},
          Rng::For(seed, "positions", step).Bits()};
}

}  // namespace flare
