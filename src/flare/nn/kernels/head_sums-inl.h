// Sums over the lanes of one head. Included once per SIMD target by the kernels.

#if defined(FLARE_NN_KERNELS_HEAD_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FLARE_NN_KERNELS_HEAD_SUMS_INL_H_
#undef FLARE_NN_KERNELS_HEAD_SUMS_INL_H_
#else
#define FLARE_NN_KERNELS_HEAD_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "flare/nn/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Σ over i < size of term(i), where term gives a vector from i on; size is a multiple of 8. The
// order does not depend on the vectors' length.
template <class Term>
HWY_INLINE float SumOfVectors(std::size_t size, Term term) {
  const F d;
  HWY_ALIGN float partial[8];
  for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
    auto sum = term(l);
    for (std::size_t i = l + 8; i < size; i += 8) sum = hn::Add(sum, term(i));
    hn::Store(sum, d, partial + l);
  }
  return SumEight(partial);
}

// sums[j] += Σ of the eight floats from parts + 8j on, for j < count, each in SumEight's order;
// there are whole blocks of eight rows of parts, whatever the count.
HWY_INLINE void AddRowsOfEight(std::size_t count, const float* HWY_RESTRICT parts,
                               float* HWY_RESTRICT sums) {
  HWY_ALIGN float whole[8];
  for (std::size_t first = 0; first < count; first += 8, parts += 64) {
    const std::size_t rows = std::min<std::size_t>(8, count - first);
    SumEachOfEight(parts, whole);
    for (std::size_t j = 0; j < rows; ++j) sums[first + j] += whole[j];
  }
}

// y = Σ_j x_j · rows[j], with rows of `size` floats: a product with a small matrix.
HWY_INLINE void SumOfRows(std::size_t count, std::size_t size, const float* HWY_RESTRICT x,
                          const float* HWY_RESTRICT rows, float* HWY_RESTRICT y) {
  const F d;
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    auto sum = hn::Mul(hn::Set(d, x[0]), hn::Load(d, rows + i));
    for (std::size_t j = 1; j < count; ++j) {
      sum = hn::MulAdd(hn::Set(d, x[j]), hn::Load(d, rows + j * size + i), sum);
    }
    hn::Store(sum, d, y + i);
  }
}

// rows[j] += x_j · y: an outer product.
HWY_INLINE void AddOuterProduct(std::size_t count, std::size_t size, const float* HWY_RESTRICT x,
                                const float* HWY_RESTRICT y, float* HWY_RESTRICT rows) {
  const F d;
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto factor = hn::Load(d, y + i);
    for (std::size_t j = 0; j < count; ++j) {
      float* row = rows + j * size + i;
      hn::Store(hn::MulAdd(hn::Set(d, x[j]), factor, hn::Load(d, row)), d, row);
    }
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
