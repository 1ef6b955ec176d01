#include "flare/nn/kernels/dropout_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/dropout_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void ApplyDropout(std::size_t count, const std::uint8_t* HWY_RESTRICT mask, float scale,
                  const float* x, float* y) {
  const F d;
  const auto factor = hn::Set(d, scale);
  for (std::size_t i = 0; i < count; i += 8) {
    for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
      const std::uint8_t bits[8] = {static_cast<std::uint8_t>(mask[i / 8] >> l)};
      const auto keep = hn::LoadMaskBits(d, bits);
      hn::Store(hn::IfThenElseZero(keep, hn::Mul(factor, hn::Load(d, x + i + l))), d, y + i + l);
    }
  }
}

// High and low halves of the 64-bit products of two vectors of 32-bit numbers.
template <class V>
HWY_INLINE void MultiplyWide(U d, V a, V b, V& high, V& low) {
#if HWY_TARGET == HWY_SCALAR
  const std::uint64_t product = std::uint64_t{hn::GetLane(a)} * hn::GetLane(b);
  high = hn::Set(d, static_cast<std::uint32_t>(product >> 32));
  low = hn::Set(d, static_cast<std::uint32_t>(product));
#else
  const hn::RepartitionToWide<U> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  const auto lower = hn::Set(wide, 0xFFFFFFFFu);
  low = hn::BitCast(d, hn::Or(hn::ShiftLeft<32>(odd), hn::And(even, lower)));
  high = hn::BitCast(d, hn::Or(hn::ShiftRight<32>(even), hn::AndNot(lower, odd)));
#endif
}

// A lane is a row: eight rows at once, one byte (eight units) of each. Two such sets go side by
// side, because the rounds of one are a chain of multiplications that would leave the core waiting.
void DropoutBits(std::size_t rows, std::size_t width, const std::uint32_t* HWY_RESTRICT position,
                 const std::uint32_t* HWY_RESTRICT string, std::uint32_t site, DropoutKey key,
                 std::uint32_t threshold, std::uint8_t* HWY_RESTRICT bits) {
  const U d;
  using V = hn::Vec<U>;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t bytes = width / 8;
  const V limit = hn::Set(d, threshold), low_half = hn::Set(d, 0xFFFFu);
  const V factor0 = hn::Set(d, 0xD2511F53u), factor1 = hn::Set(d, 0xCD9E8D57u);
  const auto byte_of = [&](V c0, V c1, V c2, V c3) {
    V byte = hn::Zero(d);
    std::uint32_t bit = 1;
    // Not a list of vectors: those of Arm's SVE have no size, and cannot be in one.
    const auto add_half = [&](V half) {
      byte = hn::Or(byte, hn::IfThenZeroElse(hn::Lt(half, limit), hn::Set(d, bit)));
      bit <<= 1;
    };
    const auto add_word = [&](V word) {
      add_half(hn::And(word, low_half));
      add_half(hn::ShiftRight<16>(word));
    };
    add_word(c0);
    add_word(c1);
    add_word(c2);
    add_word(c3);
    return byte;
  };
  HWY_ALIGN std::uint32_t out[16], where[16], which[16];
  for (std::size_t r = 0; r < rows; r += 2 * lanes) {
    const std::size_t here = rows - r < 2 * lanes ? rows - r : 2 * lanes;
    for (std::size_t l = 0; l < 2 * lanes; ++l) {
      where[l] = position[r + (l < here ? l : 0)];
      which[l] = string[r + (l < here ? l : 0)];
    }
    for (std::size_t b = 0; b < bytes; ++b) {
      V a0 = hn::Set(d, static_cast<std::uint32_t>(b)), b0 = a0;
      V a1 = hn::Load(d, where), b1 = hn::Load(d, where + lanes);
      V a2 = hn::Load(d, which), b2 = hn::Load(d, which + lanes);
      V a3 = hn::Set(d, site), b3 = a3;
      std::uint32_t k0 = key.key[0], k1 = key.key[1];
      for (int round = 0; round < 10; ++round) {
        const V key0 = hn::Set(d, k0), key1 = hn::Set(d, k1);
        V high0, low0, high1, low1;
        MultiplyWide(d, a0, factor0, high0, low0);
        MultiplyWide(d, a2, factor1, high1, low1);
        a0 = hn::Xor(hn::Xor(high1, a1), key0);
        a1 = low1;
        a2 = hn::Xor(hn::Xor(high0, a3), key1);
        a3 = low0;
        MultiplyWide(d, b0, factor0, high0, low0);
        MultiplyWide(d, b2, factor1, high1, low1);
        b0 = hn::Xor(hn::Xor(high1, b1), key0);
        b1 = low1;
        b2 = hn::Xor(hn::Xor(high0, b3), key1);
        b3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
      }
      hn::Store(byte_of(a0, a1, a2, a3), d, out);
      hn::Store(byte_of(b0, b1, b2, b3), d, out + lanes);
      for (std::size_t l = 0; l < here; ++l) {
        bits[(r + l) * bytes + b] = static_cast<std::uint8_t>(out[l]);
      }
    }
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(ApplyDropout);
HWY_EXPORT(DropoutBits);

void ApplyDropout(std::size_t count, const std::uint8_t* mask, float scale, const float* x,
                  float* y) {
  ForThread(HWY_DISPATCH_TABLE(ApplyDropout))(count, mask, scale, x, y);
}
void DropoutBits(std::size_t rows, std::size_t width, const std::uint32_t* position,
                 const std::uint32_t* string, std::uint32_t site, DropoutKey key,
                 std::uint32_t threshold, std::uint8_t* bits) {
  ForThread(HWY_DISPATCH_TABLE(DropoutBits))(rows, width, position, string, site, key, threshold,
                                             bits);
}

}  // namespace flare
#endif  // HWY_ONCE
