// The three matrix products of a layer, by libxsmm: small, JIT-compiled, close to the core's peak.
//
// `portable` has plain loops instead. All matrices are row-major with a fixed distance between
// rows. Kernels are compiled once per number of rows when the object is made, so that calling
// allocates nothing. How many rows are multiplied together affects a row's result in its last bits
// only: libxsmm sums in a different order for different numbers.

#ifndef FLARE_NN_KERNELS_GEMM_H_
#define FLARE_NN_KERNELS_GEMM_H_

#include <array>
#include <cstddef>

#include "flare/nn/target.h"

namespace flare {

// C (m, n) = A (m, k) B (k, n), or C += ... if `accumulate`. Any m.
class Gemm {
 public:
  Gemm(std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb, std::size_t ldc,
       bool accumulate, Target target = Target::kNative);
  void operator()(std::size_t m, const float* A, const float* B, float* C) const;

 private:
  static constexpr std::size_t kRows = 32;
  using Kernel = void (*)(const float*, const float*, float*, ...);

  std::size_t n_, k_, lda_, ldb_, ldc_;
  bool accumulate_;
  std::array<Kernel, kRows + 1> kernels_{};
};

// C (k, n) += A (m, k)ᵀ B (m, n): a weight gradient, summed over m rows. Any m.
class GemmTransposed {
 public:
  GemmTransposed(std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb, std::size_t ldc,
                 Target target = Target::kNative);
  void operator()(std::size_t m, const float* A, const float* B, float* C) const;

 private:
  static constexpr std::size_t kRows = 32;
  using Kernel = void (*)(const float*, const float*, float*, ...);

  std::size_t n_, k_, lda_, ldb_, ldc_;
  std::array<Kernel, kRows + 1> kernels_{};
};

// out (columns, rows) = in (rows, columns)ᵀ, for the products of backward passes: libxsmm does not
// multiply by a transposed matrix of weights.
void Transpose(std::size_t rows, std::size_t columns, const float* in, float* out);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_GEMM_H_
