#include "flare/nn/target.h"

#include <hwy/nanobenchmark.h>
#include <hwy/targets.h>

#include <cstdint>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/kernel_maker.h"

// Highway's shared library initializes a variable of its benchmarks with this function, which takes
// 3 ms, a third of what every command takes to start. The library calls the program's definition
// instead of its own. Nothing of ours uses the benchmarks.
std::uint64_t hwy::platform::TimerResolution() { return 1; }

namespace flare {
namespace {

#ifdef __SSE__
constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
#endif

#if HWY_ARCH_X86
// The targets that Highway may choose: this one and worse ones, of which each has a greater bit.
std::int64_t NoBetterThan(std::int64_t best) { return hwy::SupportedTargets() & ~(best - 1); }
#endif

thread_local constinit Target thread_target = Target::kNative;

struct Choices {
  Choices() {
    native.Update(hwy::SupportedTargets());
#if HWY_ARCH_X86
    avx2.Update(NoBetterThan(HWY_AVX2));
    avx512.Update(NoBetterThan(HWY_AVX3));
#endif
    portable.Update(HWY_STATIC_TARGET);
  }
  hwy::ChosenTarget native, avx2, avx512, portable;
};

}  // namespace

const hwy::ChosenTarget& ThreadTarget() {
  static const Choices choices;
  switch (thread_target) {
    case Target::kAvx2:
      return choices.avx2;
    case Target::kAvx512:
      return choices.avx512;
    case Target::kPortable:
      return choices.portable;
    default:
      return choices.native;
  }
}

bool HasTarget(Target target) {
  switch (target) {
#if HWY_ARCH_X86
    case Target::kAvx2:
      return (hwy::SupportedTargets() & HWY_AVX2) != 0;
    case Target::kAvx512:
      return (hwy::SupportedTargets() & HWY_AVX3) != 0;
#else
    case Target::kAvx2:
    case Target::kAvx512:
      return false;
#endif
    default:
      return true;
  }
}

void CheckTarget(Target target) {
  if (HasTarget(target)) return;
  if (target == Target::kAvx512) {
    throw Unavailable("target", "this CPU has no AVX-512 (F, BW, CD, DQ, VL)",
                      fmt::format("choose {} or native", DefaultTarget()));
  }
  throw Unavailable("target", "this CPU has no AVX2", "choose native or portable");
}

std::string DefaultTarget() { return DefaultTarget(HasTarget(Target::kAvx2)); }

std::string DefaultTarget(bool has_avx2) { return has_avx2 ? "avx2" : "portable"; }

std::string NativeTargetName() {
  // A smaller bit is a better target.
  const auto supported = hwy::SupportedTargets();
  return fmt::format("{} {}", hwy::TargetName(supported & -supported), NativeKernelsName());
}

std::vector<std::string> TargetNames() { return {"avx2", "avx512", "native", "portable"}; }

Target ParseTarget(std::string_view name) {
  if (name == "avx2") return Target::kAvx2;
  if (name == "avx512") return Target::kAvx512;
  if (name == "native") return Target::kNative;
  if (name == "portable") return Target::kPortable;
  throw InputError("target", fmt::format("unknown target {}", Quoted(name)),
                   "expected avx2, avx512, native or portable");
}

TargetScope::TargetScope(Target target) : outer_(thread_target) {
  thread_target = target;
#ifdef __SSE__
  saved_ = _mm_getcsr();
  _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero);
#endif
}

TargetScope::~TargetScope() {
  thread_target = outer_;
#ifdef __SSE__
  _mm_setcsr(saved_);
#endif
}

}  // namespace flare
