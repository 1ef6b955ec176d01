#include "flare/nn/kernels/gemm.h"

#include <libxsmm.h>

#include <algorithm>

namespace flare {
namespace {

// libxsmm is column-major: our row-major C = A·B is its Cᵀ = Bᵀ·Aᵀ, so the operands change places.
// A null kernel (a CPU that libxsmm does not know) is served by plain loops.
libxsmm_smmfunction Compile(std::size_t m, std::size_t n, std::size_t k, std::size_t lda,
                            std::size_t ldb, std::size_t ldc, bool accumulate, bool transpose_b) {
  const auto integer = [](std::size_t value) { return static_cast<libxsmm_blasint>(value); };
  const libxsmm_blasint ld_a = integer(lda), ld_b = integer(ldb), ld_c = integer(ldc);
  const float alpha = 1, beta = accumulate ? 1 : 0;
  const int flags = transpose_b ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
  const int prefetch = LIBXSMM_PREFETCH_NONE;
  return libxsmm_smmdispatch(integer(m), integer(n), integer(k), &ld_a, &ld_b, &ld_c, &alpha, &beta,
                             &flags, &prefetch);
}

}  // namespace

Gemm::Gemm(std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb, std::size_t ldc,
           bool accumulate)
    : n_(n), k_(k), lda_(lda), ldb_(ldb), ldc_(ldc), accumulate_(accumulate) {
  for (std::size_t m = 1; m <= kRows; ++m) {
    kernels_[m] = Compile(n, m, k, ldb, lda, ldc, accumulate, false);
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
                               std::size_t ldc)
    : n_(n), k_(k), lda_(lda), ldb_(ldb), ldc_(ldc) {
  for (std::size_t m = 1; m <= kRows; ++m)
    kernels_[m] = Compile(n, k, m, ldb, lda, ldc, true, true);
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
  const auto m = static_cast<libxsmm_blasint>(columns), n = static_cast<libxsmm_blasint>(rows);
  libxsmm_otrans(out, in, sizeof(float), m, n, m, n);
}

}  // namespace flare
