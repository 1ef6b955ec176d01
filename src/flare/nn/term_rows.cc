#include "flare/nn/term_rows.h"

#include <algorithm>

namespace flare {

void TermRows::Gather(const Batch& batch, const Group& group, const float* hidden) {
  rows_.clear();
  places_.clear();
  for (std::size_t i = 0; i < group.num_strings(); ++i) {
    if (strings_ == Strings::kPositives && batch.labels[group.string(i)] == 0) continue;
    const std::size_t length = batch.length(group.string(i));
    for (std::size_t t = positions_ == Positions::kAll ? 0 : length; t <= length; ++t) {
      rows_.push_back(group.Row(i, t));
      places_.push_back({group.string(i), t});
    }
  }
  Grow(values_, rows_.size() * width_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::copy_n(hidden + rows_[r] * width_, width_, values_.data() + r * width_);
  }
}

void TermRows::ScatterAdd(const float* gradient, float* d_hidden) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    float* d_row = d_hidden + rows_[r] * width_;
    for (std::size_t j = 0; j < width_; ++j) d_row[j] += gradient[r * width_ + j];
  }
}

}  // namespace flare
