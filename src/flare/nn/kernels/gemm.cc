#include "flare/nn/kernels/gemm.h"

#include <algorithm>

#include "flare/nn/kernels/kernel_maker.h"

namespace flare {

// Kernels are column-major: our row-major C = A·B is their Cᵀ = Bᵀ·Aᵀ, so the operands change
// places.
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
