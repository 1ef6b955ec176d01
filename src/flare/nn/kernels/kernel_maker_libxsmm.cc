#include <fmt/format.h>
#include <libxsmm.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "flare/base/error.h"
#include "flare/nn/kernels/kernel_maker.h"

namespace flare {
namespace {

// libxsmm opens this file in order to lock it and would follow a link that somebody else has put
// there; 1.17 has neither an option nor a variable against that.
void RefuseLinkedLock() {
  const std::string lock = fmt::format("/tmp/.libxsmm.{}", getuid());
  std::error_code no_such_file;
  if (std::filesystem::is_symlink(lock, no_such_file)) {
    throw InputError(lock,
                     "is a symbolic link, which libxsmm would follow; remove it, or choose the "
                     "target portable, which does without libxsmm");
  }
}

// Returns the best architecture that this CPU has.
int InitializeLibxsmm() {
  RefuseLinkedLock();
  libxsmm_init();
  // If libxsmm has no memory for its registry, it crashes when it is first asked for a kernel.
  libxsmm_registry_info registry;
  if (libxsmm_get_registry_info(&registry) != EXIT_SUCCESS) throw std::bad_alloc();
  return libxsmm_cpuid();
}

}  // namespace

// libxsmm makes kernels for a target that it is told, one for the whole process, so that only one
// of us can be here at a time; and it keeps what it has made for good, by shape and not by target.
KernelMaker::KernelMaker(Target target) : target_(target), lock_(mutex_) {
  if (target == Target::kPortable) return;
  static const int native = InitializeLibxsmm();
  const int architecture = target == Target::kAvx2     ? LIBXSMM_X86_AVX2
                           : target == Target::kAvx512 ? LIBXSMM_X86_AVX512_CORE
                                                       : native;
  libxsmm_set_target_archid(architecture);
  // A signature with room for prefetching, which is not used, keeps the kernels of other targets
  // apart from those of AVX2: they do the same. avx512 and native share theirs where native is
  // better than AVX512_CORE: what is better about it does not concern products of floats.
  prefetch_ = architecture == LIBXSMM_X86_AVX2 ? LIBXSMM_PREFETCH_NONE : LIBXSMM_PREFETCH_SIGONLY;
}

Kernel KernelMaker::Make(std::size_t m, std::size_t n, std::size_t k, std::size_t lda,
                         std::size_t ldb, std::size_t ldc, bool accumulate,
                         bool transpose_b) const {
  if (target_ == Target::kPortable) return nullptr;
  const auto integer = [](std::size_t value) { return static_cast<libxsmm_blasint>(value); };
  const libxsmm_blasint ld_a = integer(lda), ld_b = integer(ldb), ld_c = integer(ldc);
  const float alpha = 1, beta = accumulate ? 1 : 0;
  const int flags = transpose_b ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
  return libxsmm_smmdispatch(integer(m), integer(n), integer(k), &ld_a, &ld_b, &ld_c, &alpha, &beta,
                             &flags, &prefetch_);
}

std::string NativeKernelsName() { return libxsmm_cpuid_name(libxsmm_cpuid()); }

}  // namespace flare
