#include "flare/nn/group.h"

#include <algorithm>

#include "flare/base/error.h"

namespace flare {

void Group::Assign(const Batch& batch, std::span<const std::uint32_t> strings) {
  FLARE_CHECK(!strings.empty());
  strings_.assign(strings.begin(), strings.end());
  lengths_.clear();
  for (const std::uint32_t s : strings_) lengths_.push_back(batch.length(s));
  block_.assign(1, 0);
  token_of_row_.clear();
  position_of_row_.clear();
  string_of_row_.clear();
  std::size_t alive = strings_.size();
  for (std::size_t t = 0; t <= lengths_[0]; ++t) {
    while (lengths_[alive - 1] < t) --alive;
    for (std::size_t i = 0; i < alive; ++i) {
      token_of_row_.push_back(t == 0 ? 0 : batch.string(strings_[i])[t - 1]);
      position_of_row_.push_back(static_cast<std::uint32_t>(t));
      string_of_row_.push_back(strings_[i]);
    }
    block_.push_back(token_of_row_.size());
  }
}

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
