// A few strings of a batch that go through the whole model together, small enough to stay in the
// cache. Strings are sorted by length, the longest first, and laid out by time: block t holds the
// rows of the strings that have at least t symbols, so that step t touches only rows that are alive
// and nothing is padded.
//
//   block 0: N rows (before any symbol), block 1: the strings with a first symbol, ...
//
// Row(i, t) of string i after t symbols is the i-th row of block t; the row before it in time is
// the i-th of block t−1.

#ifndef FLARE_NN_GROUP_H_
#define FLARE_NN_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/batch.h"

namespace flare {

class Group {
 public:
  // `strings` are indices into the batch, by descending length; at least one.
  void Assign(const Batch& batch, std::span<const std::uint32_t> strings);

  std::size_t num_strings() const { return strings_.size(); }   // N
  std::size_t longest() const { return block_.size() - 2; }     // T
  std::size_t num_rows() const { return block_.back(); }        // N + number of symbols
  std::size_t Block(std::size_t t) const { return block_[t]; }  // its first row
  std::size_t BlockSize(std::size_t t) const { return block_[t + 1] - block_[t]; }
  std::size_t Row(std::size_t i, std::size_t t) const { return block_[t] + i; }

  std::uint32_t string(std::size_t i) const { return strings_[i]; }  // its index in the batch
  std::size_t length(std::size_t i) const { return lengths_[i]; }
  // The symbol that led to each row; meaningless in block 0.
  const std::vector<std::uint32_t>& token_of_row() const { return token_of_row_; }
  // Numbers that name a row for dropout, whatever else is in the batch.
  const std::vector<std::uint32_t>& position_of_row() const { return position_of_row_; }
  const std::vector<std::uint32_t>& string_of_row() const { return string_of_row_; }

 private:
  std::vector<std::uint32_t> strings_;
  std::vector<std::size_t> lengths_;
  std::vector<std::size_t> block_;  // T + 2 offsets
  std::vector<std::uint32_t> token_of_row_, position_of_row_, string_of_row_;
};

// The hidden vectors that a term of the loss looks at, side by side: what its head multiplies.
class TermRows {
 public:
  enum class Strings { kPositives, kAll };
  enum class Positions { kAll, kLast };

  TermRows(std::size_t width, Strings strings, Positions positions = Positions::kAll)
      : width_(width), strings_(strings), positions_(positions) {}

  // Copies the hidden vectors of a group's strings of that kind, string by string: those after 0,
  // …, |w| symbols, or after |w|. `batch` has the strings w; those of the group may have an EOS
  // more.
  void Gather(const Batch& batch, const Group& group, const float* hidden);
  std::size_t count() const { return rows_.size(); }
  const float* values() const { return values_.data(); }
  // Adds `gradient` (count, width) to the rows' places in d_hidden.
  void ScatterAdd(const float* gradient, float* d_hidden) const;

  struct Place {
    std::size_t string;    // its index in the batch
    std::size_t position;  // t, the number of symbols before it
  };
  const std::vector<Place>& places() const { return places_; }

 private:
  std::size_t width_;
  Strings strings_;
  Positions positions_;
  std::vector<std::size_t> rows_;
  std::vector<Place> places_;
  FloatArray values_;
};

}  // namespace flare

#endif  // FLARE_NN_GROUP_H_
