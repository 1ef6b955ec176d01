#include "flare/nn/kernels/gemm.h"

#include <libxsmm.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>

namespace flare {
namespace {

// Returns the best architecture that this CPU has.
int InitializeLibxsmm() {
  libxsmm_init();
  // Without memory for its registry, libxsmm would crash when it is first asked for a kernel.
  libxsmm_registry_info registry;
  if (libxsmm_get_registry_info(&registry) != EXIT_SUCCESS) throw std::bad_alloc();
  return libxsmm_cpuid();
}

// Makes the kernels of one product. libxsmm makes them for a target that it is told, one for the
// whole process, so that only one of us can be here at a time; and it keeps what it has made for
// good, by shape and not by target.
class KernelMaker {
 public:
  explicit KernelMaker(Target target) : target_(target), lock_(mutex_) {
    if (target == Target::kPortable) return;
    static const int native = InitializeLibxsmm();
    const int architecture = target == Target::kAvx2 ? LIBXSMM_X86_AVX2 : native;
    libxsmm_set_target_archid(architecture);
    // A signature that has room for prefetching, of which no use is made, tells the kernels of
    // other targets from those of AVX2: they do the same, and are kept apart.
    prefetch_ = architecture == LIBXSMM_X86_AVX2 ? LIBXSMM_PREFETCH_NONE : LIBXSMM_PREFETCH_SIGONLY;
  }

  // libxsmm is column-major: our row-major C = A·B is its Cᵀ = Bᵀ·Aᵀ, so the operands change
  // places. A null kernel (`portable`, or a CPU that libxsmm does not know) is served by plain
  // loops.
  libxsmm_smmfunction Make(std::size_t m, std::size_t n, std::size_t k, std::size_t lda,
                           std::size_t ldb, std::size_t ldc, bool accumulate,
                           bool transpose_b) const {
    if (target_ == Target::kPortable) return nullptr;
    const auto integer = [](std::size_t value) { return static_cast<libxsmm_blasint>(value); };
    const libxsmm_blasint ld_a = integer(lda), ld_b = integer(ldb), ld_c = integer(ldc);
    const float alpha = 1, beta = accumulate ? 1 : 0;
    const int flags = transpose_b ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    return libxsmm_smmdispatch(integer(m), integer(n), integer(k), &ld_a, &ld_b, &ld_c, &alpha,
                               &beta, &flags, &prefetch_);
  }

 private:
  static inline std::mutex mutex_;

  Target target_;
  std::lock_guard<std::mutex> lock_;
  int prefetch_ = LIBXSMM_PREFETCH_NONE;
};

}  // namespace

Gemm::Gemm(std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb, std::size_t ldc,
           bool accumulate, Target target)
    : n_(n), k_(k), lda_(lda), ldb_(ldb), ldc_(ldc), accumulate_(accumulate) {
  const KernelMaker maker(target);
  for (std::size_t m = 1; m <= kRows; ++m) {
    kernels_[m] = maker.Make(n, m, k, ldb, lda, ldc, accumulate, false);
  }
}

void Gemm::operator()(std::size_t m, const float* A, const float* B, float* C) const {
  while (m > 0) {
    const std::size_t rows = std::min(m, kRows);
    if (kernels_[rows] != nullptr) {
      kernels_[rows](B, A, C);
    } else {
      for (std::size_t i = 0; i < rows; ++i) {
        float* c = C + i * ldc_;
        if (!accumulate_) std::fill_n(c, n_, 0.0f);
        for (std::size_t p = 0; p < k_; ++p) {
          const float a = A[i * lda_ + p];
          for (std::size_t j = 0; j < n_; ++j) c[j] += a * B[p * ldb_ + j];
        }
      }
    }
    m -= rows;
    A += rows * lda_;
    C += rows * ldc_;
  }
}

GemmTransposed::GemmTransposed(std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb,
                               std::size_t ldc, Target target)
    : n_(n), k_(k), lda_(lda), ldb_(ldb), ldc_(ldc) {
  const KernelMaker maker(target);
  for (std::size_t m = 1; m <= kRows; ++m) {
    kernels_[m] = maker.Make(n, k, m, ldb, lda, ldc, true, true);
  }
}

void GemmTransposed::operator()(std::size_t m, const float* A, const float* B, float* C) const {
  while (m > 0) {
    const std::size_t rows = std::min(m, kRows);
    if (kernels_[rows] != nullptr) {
      kernels_[rows](B, A, C);
    } else {
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t p = 0; p < k_; ++p) {
          const float a = A[i * lda_ + p];
          for (std::size_t j = 0; j < n_; ++j) C[p * ldc_ + j] += a * B[i * ldb_ + j];
        }
      }
    }
    m -= rows;
    A += rows * lda_;
    B += rows * ldb_;
  }
}

void Transpose(std::size_t rows, std::size_t columns, const float* in, float* out) {
  // In tiles that are vectors in both directions. libxsmm's own transposition, compiled for the
  // shape, reads outside of the matrix for some, such as 16 rows of 96.
  constexpr std::size_t kTile = 8;
  for (std::size_t i = 0; i < rows; i += kTile) {
    const std::size_t height = std::min(kTile, rows - i);
    for (std::size_t j = 0; j < columns; j += kTile) {
      const std::size_t width = std::min(kTile, columns - j);
      for (std::size_t l = 0; l < width; ++l) {
        for (std::size_t k = 0; k < height; ++k) {
          out[(j + l) * rows + i + k] = in[(i + k) * columns + j + l];
        }
      }
    }
  }
}

}  // namespace flare
