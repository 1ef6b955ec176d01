#include "flare/nn/positions.h"

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/rng.h"

namespace flare {
namespace {

// A uniform subset of {0, …, size − 1}, in order (Floyd's algorithm).
void AppendSubset(std::size_t size, std::size_t count, Rng& rng,
                  std::vector<std::uint32_t>& positions) {
  const std::size_t first = positions.size();
  for (std::size_t most = size - count; most < size; ++most) {
    const auto drawn = static_cast<std::uint32_t>(rng.UniformInt(most + 1));
    const auto begin = positions.begin() + static_cast<std::ptrdiff_t>(first);
    const auto place = std::lower_bound(begin, positions.end(), drawn);
    if (place != positions.end() && *place == drawn) {
      positions.push_back(static_cast<std::uint32_t>(most));
    } else {
      positions.insert(place, drawn);
    }
  }
}

}  // namespace

void AppendPositions(const PositionRange& range, std::size_t count,
                     std::optional<std::uint64_t> seed, std::uint32_t string,
                     std::vector<std::uint32_t>& positions) {
  std::size_t first = 0;
  if (range.kind != PositionRange::Kind::kCounted) {
    FLARE_CHECK(count <= range.size);
    if (range.kind == PositionRange::Kind::kRandomized) {
      if (seed) {
        Rng rng = Rng::For(*seed, "positions/subset", string);
        return AppendSubset(range.size, count, rng, positions);
      }
      for (std::size_t t = 0; t < count; ++t) {
        positions.push_back(
            static_cast<std::uint32_t>((t + 1) * (range.size + 1) / (count + 1) - 1));
      }
      return;
    }
    if (seed) {
      Rng rng = Rng::For(*seed, "positions/offset", string);
      first = static_cast<std::size_t>(rng.UniformInt(range.size - count + 1));
    }
  }
  for (std::size_t t = 0; t < count; ++t) {
    positions.push_back(static_cast<std::uint32_t>(first + t));
  }
}

}  // namespace flare
