// Random numbers: every draw is named by (seed, stream, index, position), so nothing depends on the
// number of threads, on the order of work, or on what was drawn before elsewhere.
//
//   Rng rng = Rng::For(seed, "parity/train", i);   // example i of a split
//   std::uint64_t die = rng.UniformInt(6);
//
// The generator is Philox4x32-10 (Random123): a block cipher over a 128-bit counter. The key is
// derived from (seed, stream); the counter holds the index (high half) and the block number (low
// half). No std distribution is used anywhere: their algorithms are not specified.

#ifndef FLARE_BASE_RNG_H_
#define FLARE_BASE_RNG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace flare {

class Rng {
 public:
  static Rng For(std::uint64_t seed, std::string_view stream, std::uint64_t index = 0);

  // 64 uniform bits.
  std::uint64_t Bits() {
    if (next_ == kWordsPerBlock) Refill();
    return words_[next_++];
  }

  // Uniform over the 2^53 multiples of 2^-53 in [0, 1).
  double Uniform() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }

  // Uniform over {0, ..., n-1}, without bias (Lemire's multiplication with rejection).
  // Requires: n > 0.
  std::uint64_t UniformInt(std::uint64_t n);

  // Draws one fair bit. Unlike Bits(), 64 of these share one draw.
  bool Bit() {
    if (coins_left_ == 0) {
      coins_ = Bits();
      coins_left_ = 64;
    }
    const bool bit = (coins_ & 1) != 0;
    coins_ >>= 1;
    --coins_left_;
    return bit;
  }

  // A uniform permutation (Fisher-Yates).
  template <class T>
  void Shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[UniformInt(static_cast<std::uint64_t>(i))]);
    }
  }

 private:
  static constexpr std::size_t kWordsPerBlock = 2;

  Rng(std::array<std::uint32_t, 2> key, std::uint64_t index) : key_(key), index_(index) {}
  void Refill();

  std::array<std::uint32_t, 2> key_;
  std::uint64_t index_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, kWordsPerBlock> words_{};
  std::size_t next_ = kWordsPerBlock;
  std::uint64_t coins_ = 0;
  int coins_left_ = 0;
};

}  // namespace flare

#endif  // FLARE_BASE_RNG_H_
