#include "flare/nn/group.h"

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

}  // namespace flare
