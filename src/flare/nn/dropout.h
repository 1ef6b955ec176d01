// The randomness of a training step. Dropout's masks are named, not drawn in sequence: whether an
// element is dropped depends on (seed, step, site, string, position, unit) and on nothing else in
// the batch. Likewise, random positions depend on (seed, step, string) and the string's length
// only.

#ifndef FLARE_NN_DROPOUT_H_
#define FLARE_NN_DROPOUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "flare/nn/kernels/dropout_kernels.h"

namespace flare {

struct Dropout {
  // 16 bits decide per element, so the rate is a multiple of 2^-16.
  std::uint32_t threshold = 0;  // elements below it are dropped; 0: no dropout
  DropoutKey key{};
  // The seed of random positions (positions.h); none: as without training.
  std::optional<std::uint64_t> positions = {};

  bool active() const { return threshold != 0; }
  float scale() const { return 65536.0f / static_cast<float>(65536 - threshold); }
};

// The dropout and positions of one training step. Requires: 0 <= rate < 1.
Dropout MakeDropout(double rate, std::uint64_t seed, std::uint64_t step);

}  // namespace flare

#endif  // FLARE_NN_DROPOUT_H_
