#include "flare/base/rng.h"

#include <Random123/philox.h>

#include "flare/base/error.h"

namespace flare {
namespace {

std::uint32_t Low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t High(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
std::uint64_t Join(std::uint32_t low, std::uint32_t high) {
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

// FNV-1a, 64 bits. Stream names are few and chosen by us; Philox does the mixing.
std::uint64_t HashName(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

}  // namespace

Rng Rng::For(std::uint64_t seed, std::string_view stream, std::uint64_t index) {
  const std::uint64_t name = HashName(stream);
  const r123::Philox4x32 philox;
  const auto block = philox({{Low(seed), High(seed), Low(name), High(name)}}, {{0, 0}});
  return Rng({block[0], block[1]}, index);
}

void Rng::Refill() {
  const r123::Philox4x32 philox;
  const auto block =
      philox({{Low(block_), High(block_), Low(index_), High(index_)}}, {{key_[0], key_[1]}});
  words_ = {Join(block[0], block[1]), Join(block[2], block[3])};
  next_ = 0;
  ++block_;
}

std::uint64_t Rng::UniformInt(std::uint64_t n) {
  FLARE_DCHECK(n > 0);
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(Bits()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>(Bits()) * n;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace flare
