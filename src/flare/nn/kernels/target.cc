#include "flare/nn/target.h"

#include <hwy/targets.h>
#include <libxsmm.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <fmt/format.h>

#include <cstdlib>
#include <new>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

#ifdef __SSE__
constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
#endif

// Without memory for its registry, libxsmm would crash when it is first asked for a kernel.
void InitializeLibxsmm() {
  libxsmm_init();
  libxsmm_registry_info registry;
  if (libxsmm_get_registry_info(&registry) != EXIT_SUCCESS) throw std::bad_alloc();
}

// libxsmm keeps the kernels that it has made, whatever target they were made for: those go first.
void UseLibxsmmTarget(int archid) {
  InitializeLibxsmm();
  if (libxsmm_get_target_archid() != archid) {
    libxsmm_finalize();
    InitializeLibxsmm();
    libxsmm_set_target_archid(archid);
  }
}

}  // namespace

void UseTarget(Target target) {
  hwy::SetSupportedTargetsForTest(0);
  const auto supported = hwy::SupportedTargets();
  switch (target) {
    case Target::kNative:
      UseLibxsmmTarget(libxsmm_cpuid());
      return;
    case Target::kAvx2:
#if HWY_ARCH_X86
      if ((supported & HWY_AVX2) == 0) {
        throw InputError("target", "this CPU has no AVX2", "choose native or portable");
      }
      // A smaller bit is a better target: drop those.
      hwy::SetSupportedTargetsForTest(supported & ~(HWY_AVX2 - 1));
      UseLibxsmmTarget(LIBXSMM_X86_AVX2);
#else
      throw InputError("target", "avx2 is for x86-64", "choose native or portable");
#endif
      return;
    case Target::kPortable:
      hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
      UseLibxsmmTarget(LIBXSMM_TARGET_ARCH_GENERIC);
      return;
  }
}

std::string NativeTargetName() {
  hwy::SetSupportedTargetsForTest(0);
  // A smaller bit is a better target.
  const auto supported = hwy::SupportedTargets();
  UseLibxsmmTarget(libxsmm_cpuid());
  return fmt::format("{} {}", hwy::TargetName(supported & -supported), libxsmm_get_target_arch());
}

Target ParseTarget(std::string_view name) {
  if (name == "avx2") return Target::kAvx2;
  if (name == "native") return Target::kNative;
  if (name == "portable") return Target::kPortable;
  throw InputError("target", fmt::format("unknown target {}", Quoted(name)),
                   "expected avx2, native or portable");
}

FlushDenormals::FlushDenormals() {
#ifdef __SSE__
  saved_ = _mm_getcsr();
  _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero);
#endif
}

FlushDenormals::~FlushDenormals() {
#ifdef __SSE__
  _mm_setcsr(saved_);
#endif
}

}  // namespace flare
