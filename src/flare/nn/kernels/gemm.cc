#include "flare/nn/kernels/gemm.h"

#include <algorithm>

#include "flare/nn/kernels/kernel_maker.h"

namespace flare {

namespace {

// Matrices of more numbers do not stay in the first cache beside what they are multiplied with.
constexpr std::size_t kMostWhole = 32'768;
constexpr std::size_t kPanel = 64;
// Rows that are multiplied before C is gone through again: enough for C to cost little, few enough
// for a tile's columns of them to stay in the second cache.
constexpr std::size_t kRowsOfTiles = 512;

std::size_t PanelOf(std::size_t size, std::size_t numbers) {
  return numbers <= kMostWhole ? size : std::min(size, kPanel);
}

// Copies `width` columns of m rows, which lie `stride` apart, to rows that lie kPanel apart.
void Pack(std::size_t m, std::size_t width, std::size_t stride, const float* from, float* to) {
  for (std::size_t r = 0; r < m; ++r) std::copy_n(from + r * stride, width, to + r * kPanel);
}

}  // namespace

// Kernels are column-major: our row-major C = A·B is their Cᵀ = Bᵀ·Aᵀ, so the operands change
// places.
Gemm::Gemm(std::size_t n, std::size_t k, std::size_t lda, std::size_t ldc, bool accumulate,
           Target target, Layout layout)
    : n_(n),
      k_(k),
      lda_(lda),
      ldc_(ldc),
      panel_(layout == Layout::kRows ? n : PanelOf(n, n * k)),
      accumulate_(accumulate) {
  const KernelMaker maker(target);
  const std::size_t rest = n % panel_;
  for (std::size_t m = 1; m <= kGemmRows; ++m) {
    whole_[m] = maker.Make(panel_, m, k, panel_, lda, ldc, accumulate, false);
    if (rest > 0) last_[m] = maker.Make(rest, m, k, rest, lda, ldc, accumulate, false);
  }
}

void Gemm::Arrange(const float* B, float* arranged) const {
  for (std::size_t first = 0; first < n_; first += panel_) {
    const std::size_t width = std::min(panel_, n_ - first);
    for (std::size_t p = 0; p < k_; ++p) {
      arranged = std::copy_n(B + p * n_ + first, width, arranged);
    }
  }
}

void Gemm::operator()(std::size_t m, const float* A, const float* B, float* C) const {
  for (std::size_t first = 0; first < n_; first += panel_) {
    const std::size_t width = std::min(panel_, n_ - first);
    Multiply(m, width, width == panel_ ? whole_ : last_, A, B + first * k_, C + first);
  }
}

void Gemm::Multiply(std::size_t m, std::size_t width, const GemmKernels& kernels, const float* A,
                    const float* B, float* C) const {
  while (m > 0) {
    const std::size_t rows = std::min(m, kGemmRows);
    if (kernels[rows] != nullptr) {
      kernels[rows](B, A, C);
    } else {
      for (std::size_t i = 0; i < rows; ++i) {
        float* c = C + i * ldc_;
        if (!accumulate_) std::fill_n(c, width, 0.0f);
        for (std::size_t p = 0; p < k_; ++p) {
          const float a = A[i * lda_ + p];
          for (std::size_t j = 0; j < width; ++j) c[j] += a * B[p * width + j];
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
    : n_(n),
      k_(k),
      lda_(lda),
      ldb_(ldb),
      ldc_(ldc),
      tile_n_(PanelOf(n, n * k)),
      tile_k_(PanelOf(k, n * k)) {
  const KernelMaker maker(target);
  for (const bool last_n : {false, true}) {
    for (const bool last_k : {false, true}) {
      const std::size_t width = last_n ? n % tile_n_ : tile_n_,
                        height = last_k ? k % tile_k_ : tile_k_;
      if (width == 0 || height == 0) continue;
      for (std::size_t m = 1; m <= kGemmRows; ++m) {
        kernels_[last_n][last_k][m] = maker.Make(width, height, m, InTiles() ? kPanel : ldb,
                                                 InTiles() ? kPanel : lda, ldc, true, true);
      }
    }
  }
}

void GemmTransposed::operator()(std::size_t m, const float* A, const float* B, float* C) {
  const RowsOfBoth rows = {m, A, B};
  (*this)({&rows, 1}, C);
}

void GemmTransposed::operator()(std::span<const RowsOfBoth> parts, float* C) {
  // What one kernel multiplies.
  blocks_.clear();
  for (const RowsOfBoth& part : parts) {
    for (std::size_t first = 0; first < part.m; first += kGemmRows) {
      blocks_.push_back(
          {std::min(part.m - first, kGemmRows), part.A + first * lda_, part.B + first * ldb_});
    }
  }
  if (!InTiles()) {
    for (const RowsOfBoth& rows : blocks_) {
      AddProduct(kernels_[0][0], rows, n_, k_, lda_, ldb_, C);
    }
    return;
  }
  for (std::span<const RowsOfBoth> rest = blocks_; !rest.empty();) {
    const std::size_t count = std::min(rest.size(), kRowsOfTiles / kGemmRows);
    AddTiles(rest.first(count), C);
    rest = rest.subspan(count);
  }
}

void GemmTransposed::AddTiles(std::span<const RowsOfBoth> blocks, float* C) {
  // Columns of a tile lie side by side in copies of the rows: in place, rows are often a power of
  // two apart, in the same few sets of the first cache.
  constexpr std::size_t kBlock = kGemmRows * kPanel;
  Grow(packed_, (1 + blocks.size()) * kBlock);
  float* packed_A = packed_.data();
  for (std::size_t j = 0; j < n_; j += kPanel) {
    const std::size_t width = std::min(kPanel, n_ - j);
    float* packed_B = packed_A + kBlock;
    for (const RowsOfBoth& rows : blocks) {
      Pack(rows.m, width, ldb_, rows.B + j, packed_B);
      packed_B += kBlock;
    }
    for (std::size_t i = 0; i < k_; i += kPanel) {
      const std::size_t height = std::min(kPanel, k_ - i);
      const GemmKernels& kernels = kernels_[width < tile_n_][height < tile_k_];
      // All blocks for a tile, while it is in the cache.
      packed_B = packed_A + kBlock;
      for (const RowsOfBoth& rows : blocks) {
        Pack(rows.m, height, lda_, rows.A + i, packed_A);
        AddProduct(kernels, {rows.m, packed_A, packed_B}, width, height, kPanel, kPanel,
                   C + i * ldc_ + j);
        packed_B += kBlock;
      }
    }
  }
}

void GemmTransposed::AddProduct(const GemmKernels& kernels, const RowsOfBoth& rows,
                                std::size_t width, std::size_t height, std::size_t lda,
                                std::size_t ldb, float* C) const {
  if (kernels[rows.m] != nullptr) {
    kernels[rows.m](rows.B, rows.A, C);
    return;
  }
  for (std::size_t r = 0; r < rows.m; ++r) {
    for (std::size_t p = 0; p < height; ++p) {
      const float a = rows.A[r * lda + p];
      for (std::size_t q = 0; q < width; ++q) C[p * ldc_ + q] += a * rows.B[r * ldb + q];
    }
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
