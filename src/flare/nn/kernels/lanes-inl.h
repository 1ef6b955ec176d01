// The vectors of the kernels. Included once per SIMD target.

#if defined(FLARE_NN_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FLARE_NN_KERNELS_LANES_INL_H_
#undef FLARE_NN_KERNELS_LANES_INL_H_
#else
#define FLARE_NN_KERNELS_LANES_INL_H_
#endif

#include <hwy/highway.h>

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

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
