// The hidden vectors that a term of the loss looks at, side by side: what its head multiplies.

#ifndef FLARE_NN_TERM_ROWS_H_
#define FLARE_NN_TERM_ROWS_H_

#include <cstddef>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/batch.h"
#include "flare/nn/group.h"

namespace flare {

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

#endif  // FLARE_NN_TERM_ROWS_H_
