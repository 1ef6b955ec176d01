// The vectors of the kernels. Included once per SIMD target.

#if defined(FLARE_NN_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FLARE_NN_KERNELS_LANES_INL_H_
#undef FLARE_NN_KERNELS_LANES_INL_H_
#else
#define FLARE_NN_KERNELS_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most eight lanes, on wider machines too: widths are multiples of eight, and so results do not
// depend on how much wider the machine is.
using F = hn::CappedTag<float, 8>;
using U = hn::CappedTag<std::uint32_t, 8>;

// The sum of eight partial sums at 8k + l, in a fixed order, whatever the vector's size.
HWY_INLINE float SumEight(const float* partial) {
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
         ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

// sums[i] = SumEight(partial + 8i) for i < 8, in that order. Aligned.
HWY_INLINE void SumEachOfEight(const float* HWY_RESTRICT partial, float* HWY_RESTRICT sums) {
#if HWY_TARGET != HWY_SCALAR
  const F d;
  if (hn::Lanes(d) == 8) {
    const hn::Repartition<double, F> pairs;
    // Sums of neighbours, of a at even places and of b at odd ones.
    const auto neighbours = [&](auto a, auto b) HWY_ATTR {
      return hn::Add(hn::OddEven(hn::DupEven(b), a), hn::OddEven(b, hn::DupOdd(a)));
    };
    // The sums of each block of four, of four rows.
    const auto four = [&](const float* rows) HWY_ATTR {
      const auto ab = hn::BitCast(pairs, neighbours(hn::Load(d, rows), hn::Load(d, rows + 8)));
      const auto cd =
          hn::BitCast(pairs, neighbours(hn::Load(d, rows + 16), hn::Load(d, rows + 24)));
      return hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, ab, cd)),
                     hn::BitCast(d, hn::InterleaveUpper(pairs, ab, cd)));
    };
    const auto low = four(partial), high = four(partial + 32);
    hn::Store(hn::Add(hn::ConcatLowerLower(d, high, low), hn::ConcatUpperUpper(d, high, low)), d,
              sums);
    return;
  }
#endif
  for (std::size_t i = 0; i < 8; ++i) sums[i] = SumEight(partial + i * 8);
}

// sums[i] = the sum of the eight floats from partial + 8i on, for i < count. Aligned; the order of
// each sum depends on the vectors' size and on whether another seven follow.
HWY_INLINE void SumsOfEight(std::size_t count, const float* HWY_RESTRICT partial,
                            float* HWY_RESTRICT sums) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const F d;
  const auto both = [&](auto a, auto b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  const auto four = [&](const float* rows) HWY_ATTR {
    // The order of these rows makes each block of four the sums of rows 0, 1, 2, 3.
    return both(both(hn::Load(d, rows), hn::Load(d, rows + 16)),
                both(hn::Load(d, rows + 8), hn::Load(d, rows + 24)));
  };
  for (; hn::Lanes(d) == 8 && i + 8 <= count; i += 8) {
    const auto low = four(partial + i * 8), high = four(partial + i * 8 + 32);
    hn::Store(hn::Add(hn::ConcatLowerLower(d, high, low), hn::ConcatUpperUpper(d, high, low)), d,
              sums + i);
  }
#endif
  for (; i < count; ++i) sums[i] = SumEight(partial + i * 8);
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
