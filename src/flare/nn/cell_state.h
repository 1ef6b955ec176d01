// What a recurrent cell carries from step to step besides h: arrays of (rows, width), one for each
// width that the cell declares.

#ifndef FLARE_NN_CELL_STATE_H_
#define FLARE_NN_CELL_STATE_H_

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "flare/nn/aligned.h"

namespace flare {

class CellState {
 public:
  explicit CellState(std::vector<std::size_t> widths = {})
      : widths_(std::move(widths)), arrays_(widths_.size()) {}

  // Floats in a row of all arrays together.
  std::size_t width() const {
    return std::accumulate(widths_.begin(), widths_.end(), std::size_t{0});
  }

  // The arrays from a row on.
  class Rows {
   public:
    float* operator[](std::size_t i) const {
      return state_->arrays_[i].data() + row_ * state_->widths_[i];
    }

   private:
    friend CellState;
    Rows(CellState& state, std::size_t row) : state_(&state), row_(row) {}
    CellState* state_;
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
  // Its first rows become those of another state of the same widths.
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

#endif  // FLARE_NN_CELL_STATE_H_
