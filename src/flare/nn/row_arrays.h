// Arrays of (rows, width), one for each width that a part of a model declares: what a recurrent
// cell carries from step to step besides h, or what a mixer leaves to its backward pass.

#ifndef FLARE_NN_ROW_ARRAYS_H_
#define FLARE_NN_ROW_ARRAYS_H_

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "flare/nn/aligned.h"

namespace flare {

class RowArrays {
 public:
  explicit RowArrays(std::vector<std::size_t> widths = {})
      : widths_(std::move(widths)), arrays_(widths_.size()) {}

  // Floats in a row of all arrays together.
  std::size_t width() const {
    return std::accumulate(widths_.begin(), widths_.end(), std::size_t{0});
  }

  // The contents of the last array are then meaningless. Requires: there is one.
  void SetLastWidth(std::size_t width) { widths_.back() = width; }

  // The arrays from a row on.
  class Rows {
   public:
    float* operator[](std::size_t i) const {
      return arrays_->arrays_[i].data() + row_ * arrays_->widths_[i];
    }

   private:
    friend RowArrays;
    Rows(RowArrays& arrays, std::size_t row) : arrays_(&arrays), row_(row) {}
    RowArrays* arrays_;
    std::size_t row_;
  };
  Rows from(std::size_t row) { return {*this, row}; }

  void Resize(std::size_t rows) {
    for (std::size_t i = 0; i < widths_.size(); ++i) Grow(arrays_[i], rows * widths_[i]);
  }
  // Rows from `begin` to before `end`.
  void SetZero(std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      std::fill_n(from(begin)[i], (end - begin) * widths_[i], 0.0f);
    }
  }
  // Copies the first rows of other arrays of the same widths.
  void CopyRows(Rows rows, std::size_t count) {
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      std::copy_n(rows[i], count * widths_[i], arrays_[i].data());
    }
  }

 private:
  std::vector<std::size_t> widths_;
  std::vector<FloatArray> arrays_;
};

}  // namespace flare

#endif  // FLARE_NN_ROW_ARRAYS_H_
