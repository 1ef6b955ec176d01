// Compiles the kernels of one matrix product (gemm.h) for a target, where there is a compiler for
// them: libxsmm on x86-64 (kernel_maker_libxsmm.cc). Without (kernel_maker_none.cc, the CMake
// switch FLARE_LIBXSMM) every product is served by plain loops, as those of `portable` are
// everywhere.

#ifndef FLARE_NN_KERNELS_KERNEL_MAKER_H_
#define FLARE_NN_KERNELS_KERNEL_MAKER_H_

#include <cstddef>
#include <mutex>
#include <string>

#include "flare/nn/target.h"

namespace flare {

using Kernel = void (*)(const float*, const float*, float*, ...);

// One lives at a time; others wait.
class KernelMaker {
 public:
  // Throws std::bad_alloc.
  explicit KernelMaker(Target target);

  // Makes a kernel for a product of column-major matrices: C (m, n) = A (m, k) B (k, n), or C +=
  // ... Null if there is no such kernel.
  Kernel Make(std::size_t m, std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb,
              std::size_t ldc, bool accumulate, bool transpose_b) const;

 private:
  static inline std::mutex mutex_;

  [[maybe_unused]] Target target_;  // only libxsmm reads these two
  [[maybe_unused]] int prefetch_ = 0;
  std::lock_guard<std::mutex> lock_;
};

// Returns what kernels are compiled for under `native`, such as "hsw"; "loops" if none are.
std::string NativeKernelsName();

}  // namespace flare

#endif  // FLARE_NN_KERNELS_KERNEL_MAKER_H_
