#include "flare/nn/target.h"

#include <hwy/targets.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/nn/default_target.h"
#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/kernel_maker.h"

namespace flare {
namespace {

#ifdef __SSE__
constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
#endif

bool HasAvx2() {
#if HWY_ARCH_X86
  return (hwy::SupportedTargets() & HWY_AVX2) != 0;
#else
  return false;
#endif
}

thread_local constinit Target thread_target = Target::kNative;

struct Choices {
  Choices() {
    const auto supported = hwy::SupportedTargets();
    native.Update(supported);
#if HWY_ARCH_X86
    // A smaller bit is a better target: drop those.
    avx2.Update(supported & ~(HWY_AVX2 - 1));
#endif
    portable.Update(HWY_STATIC_TARGET);
  }
  hwy::ChosenTarget native, avx2, portable;
};

}  // namespace

const hwy::ChosenTarget& ThreadTarget() {
  static const Choices choices;
  switch (thread_target) {
    case Target::kAvx2:
      return choices.avx2;
    case Target::kPortable:
      return choices.portable;
    default:
      return choices.native;
  }
}

void CheckTarget(Target target) {
  if (target != Target::kAvx2 || HasAvx2()) return;
  throw Unavailable("target", "this CPU has no AVX2", "choose native or portable");
}

std::string DefaultTarget() { return DefaultTarget(HasAvx2()); }

std::string DefaultTarget(bool has_avx2) { return has_avx2 ? "avx2" : "portable"; }

std::string NativeTargetName() {
  // A smaller bit is a better target.
  const auto supported = hwy::SupportedTargets();
  return fmt::format("{} {}", hwy::TargetName(supported & -supported), NativeKernelsName());
}

std::vector<std::string> TargetNames() { return {"avx2", "native", "portable"}; }

Target ParseTarget(std::string_view name) {
  if (name == "avx2") return Target::kAvx2;
  if (name == "native") return Target::kNative;
  if (name == "portable") return Target::kPortable;
  throw InputError("target", fmt::format("unknown target {}", Quoted(name)),
                   "expected avx2, native or portable");
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
