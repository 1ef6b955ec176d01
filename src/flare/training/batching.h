// Minibatches (paper, Appendix D): strings of similar length together, at most B symbols counting
// padding, BOS and EOS; a different order in every epoch.

#ifndef FLARE_TRAINING_BATCHING_H_
#define FLARE_TRAINING_BATCHING_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "flare/data/flare_files.h"
#include "flare/nn/batch.h"
#include "flare/training/run_data.h"

namespace flare {

struct BatchLimits {
  std::size_t tokens = 0;         // B
  std::size_t extra_symbols = 0;  // BOS and EOS, per string
  // Leaves out longer strings.
  std::size_t longest = std::numeric_limits<std::size_t>::max();
};

class Batcher {
 public:
  // Refers to the split, and to the tracker if minibatches need the states of an automaton; both
  // must outlive it. `only_positives` leaves the other examples out, for a loss that does not use
  // them.
  Batcher(const Split& split, BatchLimits limits, const StateTracker* tracker = nullptr,
          bool only_positives = false);

  // The minibatches of an epoch, a function of (seed, epoch) alone: shuffle, stable-sort by length,
  // cut greedily under the limit, shuffle the minibatches. A string that is longer than the limit
  // forms its own.
  void PlanEpoch(std::uint64_t seed, std::size_t epoch);
  // Strings by length, the longest first, without randomness: for evaluation.
  void PlanInOrder();
  // Strings in the split's order, for figures that are stored in that order.
  void PlanAsGiven();

  std::size_t num_batches() const { return cuts_.size(); }
  // Replaces what `batch` held; next-symbol sets are included if the split has them, states if
  // there is a tracker.
  void Fill(std::size_t b, Batch& batch) const;
  // Returns the examples of a minibatch.
  std::span<const std::uint32_t> Examples(std::size_t b) const {
    return std::span(order_).subspan(cuts_[b].begin, cuts_[b].end - cuts_[b].begin);
  }

 private:
  struct Cut {
    std::size_t begin, end;
  };
  void CutGreedily();

  const Split& split_;
  BatchLimits limits_;
  const StateTracker* tracker_;
  std::vector<std::uint32_t> examples_;  // in the split's order
  std::vector<std::size_t> first_set_;   // where each example's next-symbol sets begin
  std::vector<std::uint32_t> order_;
  std::vector<Cut> cuts_;
};

}  // namespace flare

#endif  // FLARE_TRAINING_BATCHING_H_
