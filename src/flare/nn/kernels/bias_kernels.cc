#include "flare/nn/kernels/bias_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/bias_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void AddBias(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
             float* HWY_RESTRICT x) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, x += width) {
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      hn::Store(hn::Add(hn::Load(d, x + j), hn::Load(d, bias + j)), d, x + j);
    }
  }
}

void AddColumnSums(std::size_t rows, std::size_t width, const float* HWY_RESTRICT x,
                   float* HWY_RESTRICT sum) {
  const F d;
  for (std::size_t i = 0; i < width; i += hn::Lanes(d)) {
    auto total = hn::Zero(d);
    for (std::size_t r = 0; r < rows; ++r) total = hn::Add(total, hn::Load(d, x + r * width + i));
    hn::Store(hn::Add(hn::Load(d, sum + i), total), d, sum + i);
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(AddBias);
HWY_EXPORT(AddColumnSums);

void AddBias(std::size_t rows, std::size_t width, const float* bias, float* x) {
  ForThread(HWY_DISPATCH_TABLE(AddBias))(rows, width, bias, x);
}
void AddColumnSums(std::size_t rows, std::size_t width, const float* d, float* sum) {
  ForThread(HWY_DISPATCH_TABLE(AddColumnSums))(rows, width, d, sum);
}

}  // namespace flare
#endif  // HWY_ONCE
