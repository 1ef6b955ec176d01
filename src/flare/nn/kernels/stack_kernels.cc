#include "flare/nn/kernels/stack_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/stack_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include <algorithm>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/head_sums-inl.h"
#include "flare/nn/kernels/lanes-inl.h"
#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The softmax of the first three of eight, in place.
HWY_INLINE void SoftmaxOfThree(float* HWY_RESTRICT x) {
  const F d;
  const float highest = std::max({x[0], x[1], x[2]});
  for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
    const auto below = hn::Sub(hn::Set(d, highest), hn::Load(d, x + l));
    hn::Store(ExpOfMinus(d, hn::Max(below, hn::Zero(d))), d, x + l);
  }
  const float sum = x[0] + x[1] + x[2];
  for (std::size_t a = 0; a < 3; ++a) x[a] /= sum;
}

void StackForward(const StackShape& shape, const float* HWY_RESTRICT before,
                  float* HWY_RESTRICT signals, float* HWY_RESTRICT stack) {
  const F d;
  const std::size_t width = shape.width, had = shape.depth_before;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    float* actions = signals + r * shape.signals();
    float* pushed = actions + 8;
    SoftmaxOfThree(actions);
    for (std::size_t l = 0; l < width; l += hn::Lanes(d)) {
      hn::Store(Logistic(d, hn::Load(d, pushed + l)), d, pushed + l);
    }
    std::fill(pushed + shape.units, pushed + width, 0.0f);
    const auto push = hn::Set(d, actions[0]), pop = hn::Set(d, actions[1]),
               stay = hn::Set(d, actions[2]);
    const float* old = before + r * shape.stride;
    float* now = stack + r * shape.stride;
    for (std::size_t i = 0; i < shape.depth; ++i) {
      const float* above = i == 0 ? pushed : old + (i - 1) * width;
      for (std::size_t l = 0; l < width; l += hn::Lanes(d)) {
        auto value = hn::Mul(push, hn::Load(d, above + l));
        if (i < had) value = hn::MulAdd(stay, hn::Load(d, old + i * width + l), value);
        if (i + 1 < had) value = hn::MulAdd(pop, hn::Load(d, old + (i + 1) * width + l), value);
        hn::Store(value, d, now + i * width + l);
      }
    }
  }
}

void StackBackward(const StackShape& shape, const float* HWY_RESTRICT before,
                   const float* HWY_RESTRICT d_stack, float* HWY_RESTRICT signals,
                   float* HWY_RESTRICT d_before) {
  const F d;
  const std::size_t width = shape.width, had = shape.depth_before, has = shape.depth;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    float* actions = signals + r * shape.signals();
    float* pushed = actions + 8;
    const float* old = before + r * shape.stride;
    const float* g = d_stack + r * shape.stride;
    float* d_old = d_before + r * shape.stride;
    const auto push = hn::Set(d, actions[0]), pop = hn::Set(d, actions[1]),
               stay = hn::Set(d, actions[2]);

    // Element j goes to j + 1, j − 1 and j.
    for (std::size_t j = 0; j < had; ++j) {
      for (std::size_t l = 0; l < width; l += hn::Lanes(d)) {
        auto value = hn::Zero(d);
        if (j + 1 < has) value = hn::Mul(push, hn::Load(d, g + (j + 1) * width + l));
        if (j > 0 && j - 1 < has) {
          value = hn::MulAdd(pop, hn::Load(d, g + (j - 1) * width + l), value);
        }
        if (j < has) value = hn::MulAdd(stay, hn::Load(d, g + j * width + l), value);
        hn::Store(value, d, d_old + j * width + l);
      }
    }

    // The gradient of an action is what it brings to each element times that element's.
    const auto bring = [&](const float* elements, const float* gradient, std::size_t count) {
      if (count == 0) return 0.0f;
      return SumOfVectors(count * width, [&](std::size_t i) {
        return hn::Mul(hn::Load(d, elements + i), hn::Load(d, gradient + i));
      });
    };
    float d_action[3] = {0, 0, 0};
    if (has > 0) {
      d_action[0] = bring(pushed, g, 1) + bring(old, g + width, std::min(has - 1, had));
      d_action[1] = had == 0 ? 0 : bring(old + width, g, std::min(has, had - 1));
      d_action[2] = bring(old, g, std::min(has, had));
    }
    for (std::size_t l = 0; l < width; l += hn::Lanes(d)) {
      const auto s = hn::Load(d, pushed + l);
      const auto d_pushed = has > 0 ? hn::Mul(push, hn::Load(d, g + l)) : hn::Zero(d);
      hn::Store(hn::Mul(d_pushed, hn::Mul(s, hn::Sub(one, s))), d, pushed + l);
    }
    float mean = 0;
    for (std::size_t a = 0; a < 3; ++a) mean += actions[a] * d_action[a];
    for (std::size_t a = 0; a < 3; ++a) actions[a] *= d_action[a] - mean;
    std::fill(actions + 3, actions + 8, 0.0f);
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(StackForward);
HWY_EXPORT(StackBackward);

void StackForward(const StackShape& shape, const float* before, float* signals, float* stack) {
  ForThread(HWY_DISPATCH_TABLE(StackForward))(shape, before, signals, stack);
}
void StackBackward(const StackShape& shape, const float* before, const float* d_stack,
                   float* signals, float* d_before) {
  ForThread(HWY_DISPATCH_TABLE(StackBackward))(shape, before, d_stack, signals, d_before);
}

}  // namespace flare
#endif  // HWY_ONCE
