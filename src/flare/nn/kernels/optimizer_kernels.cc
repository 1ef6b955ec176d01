#include "flare/nn/kernels/optimizer_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/optimizer_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double SumOfSquares(std::size_t count, const float* HWY_RESTRICT x) {
  // Eight float sums over short runs, added up in double.
  const F d;
  constexpr std::size_t kRun = 512;
  double total = 0;
  HWY_ALIGN float lanes[8];
  for (std::size_t begin = 0; begin < count; begin += kRun) {
    const std::size_t end = begin + kRun < count ? begin + kRun : count;
    for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
      auto sum = hn::Zero(d);
      for (std::size_t i = begin + l; i < end; i += 8) {
        const auto value = hn::Load(d, x + i);
        sum = hn::MulAdd(value, value, sum);
      }
      hn::Store(sum, d, lanes + l);
    }
    for (const float lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}

void AdamStep(std::size_t count, float gradient_scale, float step_size, AdamDecay of_mean,
              AdamDecay of_square, float epsilon, const float* HWY_RESTRICT g,
              float* HWY_RESTRICT m, float* HWY_RESTRICT v, float* HWY_RESTRICT x) {
  const F d;
  const auto scale = hn::Set(d, gradient_scale), step = hn::Set(d, step_size),
             b1 = hn::Set(d, of_mean.beta), c1 = hn::Set(d, of_mean.complement),
             b2 = hn::Set(d, of_square.beta), c2 = hn::Set(d, of_square.complement),
             eps = hn::Set(d, epsilon);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto gradient = hn::Mul(scale, hn::Load(d, g + i));
    const auto first = hn::MulAdd(b1, hn::Load(d, m + i), hn::Mul(c1, gradient));
    const auto second =
        hn::MulAdd(b2, hn::Load(d, v + i), hn::Mul(c2, hn::Mul(gradient, gradient)));
    hn::Store(first, d, m + i);
    hn::Store(second, d, v + i);
    const auto change = hn::Div(hn::Mul(step, first), hn::Add(hn::Sqrt(second), eps));
    hn::Store(hn::Sub(hn::Load(d, x + i), change), d, x + i);
  }
}

void AdamStepWithDecay(std::size_t count, float gradient_scale, float coupled, float shrink,
                       float step_size, AdamDecay of_mean, AdamDecay of_square, float epsilon,
                       const float* HWY_RESTRICT g, float* HWY_RESTRICT m, float* HWY_RESTRICT v,
                       float* HWY_RESTRICT x) {
  const F d;
  const auto scale = hn::Set(d, gradient_scale), l2 = hn::Set(d, coupled),
             shrunk = hn::Set(d, shrink), step = hn::Set(d, step_size),
             b1 = hn::Set(d, of_mean.beta), c1 = hn::Set(d, of_mean.complement),
             b2 = hn::Set(d, of_square.beta), c2 = hn::Set(d, of_square.complement),
             eps = hn::Set(d, epsilon);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto value = hn::Load(d, x + i);
    const auto gradient = hn::MulAdd(l2, value, hn::Mul(scale, hn::Load(d, g + i)));
    const auto first = hn::MulAdd(b1, hn::Load(d, m + i), hn::Mul(c1, gradient));
    const auto second =
        hn::MulAdd(b2, hn::Load(d, v + i), hn::Mul(c2, hn::Mul(gradient, gradient)));
    hn::Store(first, d, m + i);
    hn::Store(second, d, v + i);
    const auto change = hn::Div(hn::Mul(step, first), hn::Add(hn::Sqrt(second), eps));
    hn::Store(hn::MulSub(shrunk, value, change), d, x + i);
  }
}

void SgdStep(std::size_t count, float gradient_scale, float weight_decay, float learning_rate,
             float momentum, const float* HWY_RESTRICT g, float* HWY_RESTRICT buffer,
             float* HWY_RESTRICT x) {
  const F d;
  const auto scale = hn::Set(d, gradient_scale), l2 = hn::Set(d, weight_decay),
             rate = hn::Set(d, learning_rate), mu = hn::Set(d, momentum);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto value = hn::Load(d, x + i);
    const auto gradient = hn::MulAdd(l2, value, hn::Mul(scale, hn::Load(d, g + i)));
    const auto velocity = hn::MulAdd(mu, hn::Load(d, buffer + i), gradient);
    hn::Store(velocity, d, buffer + i);
    hn::Store(hn::NegMulAdd(rate, velocity, value), d, x + i);
  }
}

void RmsPropStep(std::size_t count, float gradient_scale, float weight_decay, float learning_rate,
                 AdamDecay of_square, float momentum, float epsilon, const float* HWY_RESTRICT g,
                 float* HWY_RESTRICT v, float* HWY_RESTRICT buffer, float* HWY_RESTRICT x) {
  const F d;
  const auto scale = hn::Set(d, gradient_scale), l2 = hn::Set(d, weight_decay),
             rate = hn::Set(d, learning_rate), mu = hn::Set(d, momentum),
             b = hn::Set(d, of_square.beta), c = hn::Set(d, of_square.complement),
             eps = hn::Set(d, epsilon);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto value = hn::Load(d, x + i);
    const auto gradient = hn::MulAdd(l2, value, hn::Mul(scale, hn::Load(d, g + i)));
    const auto square = hn::MulAdd(b, hn::Load(d, v + i), hn::Mul(c, hn::Mul(gradient, gradient)));
    hn::Store(square, d, v + i);
    const auto velocity =
        hn::MulAdd(mu, hn::Load(d, buffer + i), hn::Div(gradient, hn::Add(hn::Sqrt(square), eps)));
    hn::Store(velocity, d, buffer + i);
    hn::Store(hn::NegMulAdd(rate, velocity, value), d, x + i);
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(SumOfSquares);
HWY_EXPORT(AdamStep);
HWY_EXPORT(AdamStepWithDecay);
HWY_EXPORT(SgdStep);
HWY_EXPORT(RmsPropStep);

double SumOfSquares(std::size_t count, const float* x) {
  return ForThread(HWY_DISPATCH_TABLE(SumOfSquares))(count, x);
}
void AdamStep(std::size_t count, float gradient_scale, float step_size, AdamDecay of_mean,
              AdamDecay of_square, float epsilon, const float* g, float* m, float* v, float* x) {
  ForThread(HWY_DISPATCH_TABLE(AdamStep))(count, gradient_scale, step_size, of_mean, of_square,
                                          epsilon, g, m, v, x);
}
void AdamStepWithDecay(std::size_t count, float gradient_scale, float coupled, float shrink,
                       float step_size, AdamDecay of_mean, AdamDecay of_square, float epsilon,
                       const float* g, float* m, float* v, float* x) {
  ForThread(HWY_DISPATCH_TABLE(AdamStepWithDecay))(
      count, gradient_scale, coupled, shrink, step_size, of_mean, of_square, epsilon, g, m, v, x);
}
void SgdStep(std::size_t count, float gradient_scale, float weight_decay, float learning_rate,
             float momentum, const float* g, float* buffer, float* x) {
  ForThread(HWY_DISPATCH_TABLE(SgdStep))(count, gradient_scale, weight_decay, learning_rate,
                                         momentum, g, buffer, x);
}
void RmsPropStep(std::size_t count, float gradient_scale, float weight_decay, float learning_rate,
                 AdamDecay of_square, float momentum, float epsilon, const float* g, float* v,
                 float* buffer, float* x) {
  ForThread(HWY_DISPATCH_TABLE(RmsPropStep))(count, gradient_scale, weight_decay, learning_rate,
                                             of_square, momentum, epsilon, g, v, buffer, x);
}

}  // namespace flare
#endif  // HWY_ONCE
