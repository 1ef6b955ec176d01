// log(1 + eˣ) on vectors, and SiLU. Included once per SIMD target by the kernels.

#if defined(FLARE_NN_KERNELS_SOFTPLUS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FLARE_NN_KERNELS_SOFTPLUS_INL_H_
#undef FLARE_NN_KERNELS_SOFTPLUS_INL_H_
#else
#define FLARE_NN_KERNELS_SOFTPLUS_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// max(x, 0) + log(1 + exp(−|x|)), whose relative error stays small for negative x. Its derivative
// is Logistic(x), and log σ(x) = −Softplus(−x).
template <class D, class V>
HWY_INLINE V Softplus(D d, V x) {
  const V t = ExpOfMinus(d, hn::Abs(x));
  return hn::Add(hn::Max(x, hn::Zero(d)), hn::Log1p(d, t));
}

// x σ(x) and its derivative σ(x) (1 + x (1 − σ(x))), of s = σ(x).
template <class D, class V>
HWY_INLINE V SiluSlope(D d, V x, V s) {
  const V one = hn::Set(d, 1.0f);
  return hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one));
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
