// The positions that an encoder gives to the symbols of a string, BOS first.

#ifndef FLARE_NN_POSITIONS_H_
#define FLARE_NN_POSITIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace flare {

struct PositionRange {
  enum class Kind {
    kCounted,     // 0, 1, 2, …
    kShifted,     // in training from a random offset on (SHAPE; Kiyono et al. 2021), else from 0 on
    kRandomized,  // in training a random subset, in order (Ruoss et al. 2023), else evenly spaced
  };
  Kind kind = Kind::kCounted;
  std::size_t size = 0;  // positions are below it, if they are not counted

  // The longest string: BOS has a position of its own.
  std::size_t longest() const { return size - 1; }
};

// Appends those of `count` symbols of a string, which is the string-th of its batch. `seed` is that
// of a training step. Requires: count <= range.size, if positions are not counted.
//
// Evenly spaced are the means of the subset's order statistics, rounded down: position t of n is
// ⌊(t + 1)(size + 1)/(n + 1)⌋ − 1.
void AppendPositions(const PositionRange& range, std::size_t count,
                     std::optional<std::uint64_t> seed, std::uint32_t string,
                     std::vector<std::uint32_t>& positions);

}  // namespace flare

#endif  // FLARE_NN_POSITIONS_H_
