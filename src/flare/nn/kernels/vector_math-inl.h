// tanh and the logistic function on vectors. Included once per SIMD target by the kernels.
//
// What counts is not the absolute error of h = tanh(x) but the relative one of 1 − h, of σ(x) for
// negative x, and of the derivatives 1 − h² and σ(1 − σ): Adam divides by the size of the gradient,
// so that a saturated unit with a gradient that should be 0 would be moved like any other, in a
// direction that means nothing. Hence exponentials of negative numbers, which lose nothing where
// these quantities are small, and values that are exactly ±1 and 0 where single precision has no
// other. (Rational functions that stop at |x| = 7.8, as in version 0.1, kept a derivative of
// 7·10⁻⁷ for ever.)
//
// Nothing here calls libm: bits depend on the target alone. NaN stays NaN.

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

// exp(−y) for y >= 0, relatively to 2 ulp while it is a normal number; 0 from y = 87.7 on.
//
// With n = round(−y/ln 2) and r = −y − n ln 2, |r| <= ½ ln 2: 2ⁿ (1 + r + r² Q(r)). Adding 2²³·1.5
// rounds to a whole number and leaves n + 127 in the lowest bits, from where a shift makes 2ⁿ. For
// n = −127 these bits, and so the result, are 0. ln 2 is taken in two parts, the first of 9 bits,
// so that n times it is exact without fused multiply-adds too.
template <class D, class V>
HWY_INLINE V ExpOfMinus(D d, V y) {
  const V largest = hn::Set(d, 88.0f);
  y = hn::IfThenElse(hn::Lt(largest, y), largest, y);
  const V rounder = hn::Set(d, 12582912.0f + 127.0f);
  const V rounded = hn::NegMulAdd(y, hn::Set(d, 1.44269504088896341f), rounder);
  const V n = hn::Sub(rounded, rounder);
  V r = hn::NegMulSub(n, hn::Set(d, 0.693359375f), y);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440054690583e-4f), r);
  V q = hn::Set(d, 0.0013814583653584123f);
  q = hn::MulAdd(q, r, hn::Set(d, 0.008368724025785923f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.04166838899254799f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.1666652113199234f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.4999999403953552f));
  const V one = hn::Set(d, 1.0f);
  const V power = hn::MulAdd(hn::Mul(r, r), q, hn::Add(r, one));
  const hn::RebindToUnsigned<D> bits;
  return hn::Mul(power, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, rounded))));
}

// 2^(−y) for y >= 0, relatively to 2 ulp while it is a normal number; 0 from y = 126.5 on. As
// above, but what is left of y after rounding is exact: with f = round(y) − y, 2^f = 1 + f Q(f).
template <class D, class V>
HWY_INLINE V Exp2OfMinus(D d, V y) {
  y = hn::Min(hn::Set(d, 127.0f), y);
  const V rounder = hn::Set(d, 12582912.0f + 127.0f);
  const V rounded = hn::Sub(rounder, y);
  const V f = hn::Sub(hn::Sub(rounder, rounded), y);
  V q = hn::Set(d, 0.001326472731307149f);
  q = hn::MulAdd(q, f, hn::Set(d, 0.009671512991189957f));
  q = hn::MulAdd(q, f, hn::Set(d, 0.05550733581185341f));
  q = hn::MulAdd(q, f, hn::Set(d, 0.24022242426872253f));
  q = hn::MulAdd(q, f, hn::Set(d, 0.6931470036506653f));
  const V power = hn::MulAdd(q, f, hn::Set(d, 1.0f));
  const hn::RebindToUnsigned<D> bits;
  return hn::Mul(power, hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, rounded))));
}

// Let a = |x|. The result is a + a³ P(a²) below 0.55, else 1 − 2t/(1 + t), t = exp(−2a), whose
// error is that of the last subtraction as soon as t is small. Within 2 ulp, within 1 for a > 4, 1
// from 9.011 on.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  const V a = hn::Abs(x), one = hn::Set(d, 1.0f);
  const V u = hn::Mul(a, a);
  V p = hn::Set(d, 0.016437575221061707f);
  p = hn::MulAdd(p, u, hn::Set(d, -0.05267181247472763f));
  p = hn::MulAdd(p, u, hn::Set(d, 0.13320724666118622f));
  p = hn::MulAdd(p, u, hn::Set(d, -0.3333294689655304f));
  const V near_zero = hn::MulAdd(hn::Mul(a, u), p, a);
  const V t = ExpOfMinus(d, hn::Add(a, a));
  const V elsewhere = hn::Sub(one, hn::Div(hn::Add(t, t), hn::Add(one, t)));
  return hn::CopySignToAbs(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.55f)), near_zero, elsewhere), x);
}

// Let t = exp(−|x|). The result is 1/(1 + t) for positive x, t/(1 + t) for negative ones. Its
// relative error is within 3 ulp while it is a normal number; it is 0 from −87.7 on.
template <class D, class V>
HWY_INLINE V Logistic(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V t = ExpOfMinus(d, hn::Abs(x));
  return hn::Div(hn::IfNegativeThenElse(x, t, one), hn::Add(one, t));
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
