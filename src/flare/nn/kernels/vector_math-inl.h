// tanh and the logistic function on vectors, as rational functions instead of exponentials.
// Included once per SIMD target by the kernels.

#if defined(FLARE_NN_KERNELS_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FLARE_NN_KERNELS_VECTOR_MATH_INL_H_
#undef FLARE_NN_KERNELS_VECTOR_MATH_INL_H_
#else
#define FLARE_NN_KERNELS_VECTOR_MATH_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// x·P(x²)/Q(x²) with the minimax polynomials of degrees 5 and 3 for [-7.8, 7.8]; beyond, tanh is 1
// to within 3.4e-7. Absolute error in float: below 4e-7; the result never exceeds 1 in magnitude.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  const V limit = hn::Set(d, 7.8f);
  x = hn::Max(hn::Neg(limit), hn::Min(limit, x));
  const V u = hn::Mul(x, x);
  V p = hn::Set(d, 2.4221996927261373e-11f);
  p = hn::MulAdd(p, u, hn::Set(d, -1.4924650037331188e-08f));
  p = hn::MulAdd(p, u, hn::Set(d, 9.938658878247135e-06f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.002991586149707394f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.1298426933119002f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.999999932185436f));
  V q = hn::Set(d, 0.00023804253874325795f);
  q = hn::MulAdd(q, u, hn::Set(d, 0.0240505117373488f));
  q = hn::MulAdd(q, u, hn::Set(d, 0.4631757438500458f));
  q = hn::MulAdd(q, u, hn::Set(d, 1.0f));
  return hn::Div(hn::Mul(x, p), q);
}

// σ(x) = ½ + ½ tanh(x/2).
template <class D, class V>
HWY_INLINE V Logistic(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  return hn::MulAdd(half, Tanh(d, hn::Mul(half, x)), half);
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
