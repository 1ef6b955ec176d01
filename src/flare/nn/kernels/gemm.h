// The three matrix products of a layer, by libxsmm: small, JIT-compiled, close to the core's peak.
//
// `portable` has plain loops instead. All matrices are row-major with a fixed distance between
// rows. Kernels are compiled once per number of rows when the object is made, so that calling
// allocates nothing. How many rows are multiplied together affects a row's result in its last bits
// only: libxsmm sums in a different order for different numbers.
//
// A matrix of weights that is larger than the first cache is multiplied in panels of kPanel
// columns, and its gradient in tiles. Each number is the same sum in the same order, to the bit.

#ifndef FLARE_NN_KERNELS_GEMM_H_
#define FLARE_NN_KERNELS_GEMM_H_

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/target.h"

namespace flare {

constexpr std::size_t kGemmRows = 32;  // the most rows that a kernel multiplies
using GemmKernel = void (*)(const float*, const float*, float*, ...);
using GemmKernels = std::array<GemmKernel, kGemmRows + 1>;  // by number of rows

// C (m, n) = A (m, k) B (k, n), or C += ... if `accumulate`. Any m. The rows of B lie one after the
// other, or, if that is allowed and B is large, those of each panel do, as Arrange leaves them.
class Gemm {
 public:
  enum class Layout { kRows, kPanelsIfLarge };

  Gemm(std::size_t n, std::size_t k, std::size_t lda, std::size_t ldc, bool accumulate,
       Target target = Target::kNative, Layout layout = Layout::kRows);
  void operator()(std::size_t m, const float* A, const float* B, float* C) const;

  std::size_t panel() const { return panel_; }  // columns of a panel; the last may have fewer
  bool InPanels() const { return panel_ < n_; }
  // Arranges a matrix whose rows lie one after the other.
  void Arrange(const float* B, float* arranged) const;

 private:
  void Multiply(std::size_t m, std::size_t width, const GemmKernels& kernels, const float* A,
                const float* B, float* C) const;

  std::size_t n_, k_, lda_, ldc_, panel_;
  bool accumulate_;
  GemmKernels whole_{}, last_{};  // for whole panels, and for the last one
};

// m rows of A and of B.
struct RowsOfBoth {
  std::size_t m;
  const float *A, *B;
};

// C (k, n) += A (m, k)ᵀ B (m, n): a weight gradient, summed over m rows. Any m.
class GemmTransposed {
 public:
  GemmTransposed(std::size_t n, std::size_t k, std::size_t lda, std::size_t ldb, std::size_t ldc,
                 Target target = Target::kNative);
  void operator()(std::size_t m, const float* A, const float* B, float* C);
  // Adds several products in order, with the bits of one call after the other. In tiles, it goes
  // through C once for many instead of once for each.
  void operator()(std::span<const RowsOfBoth> parts, float* C);
  bool InTiles() const { return tile_n_ < n_ || tile_k_ < k_; }

 private:
  void AddTiles(std::span<const RowsOfBoth> blocks, float* C);
  void AddProduct(const GemmKernels& kernels, const RowsOfBoth& rows, std::size_t width,
                  std::size_t height, std::size_t lda, std::size_t ldb, float* C) const;

  std::size_t n_, k_, lda_, ldb_, ldc_, tile_n_, tile_k_;
  // The kernels for a tile of C, for tiles in the last columns, in the last rows, and in both.
  std::array<std::array<GemmKernels, 2>, 2> kernels_{};
  std::vector<RowsOfBoth> blocks_;  // what AddProduct multiplies at a time
  FloatArray packed_;               // copies of their rows, for tiles
};

// out (columns, rows) = in (rows, columns)ᵀ, for the products of backward passes: libxsmm does not
// multiply by a transposed matrix of weights.
void Transpose(std::size_t rows, std::size_t columns, const float* in, float* out);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_GEMM_H_
