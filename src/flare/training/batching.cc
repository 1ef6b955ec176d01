#include "flare/training/batching.h"

#include <algorithm>

#include "flare/base/rng.h"

namespace flare {

Batcher::Batcher(const Split& split, BatchLimits limits, const StateTracker* tracker,
                 bool only_positives)
    : split_(split), limits_(limits), tracker_(tracker) {
  for (std::uint32_t i = 0; i < split.size(); ++i) {
    if (only_positives && split.labels[i] == 0) continue;
    if (split.string(i).size() <= limits.longest) examples_.push_back(i);
  }
  if (!split.has_next_symbols) return;
  std::size_t sets = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    first_set_.push_back(sets);
    if (split.labels[i] != 0) sets += split.string(i).size() + 1;
  }
}

void Batcher::PlanEpoch(std::uint64_t seed, std::size_t epoch) {
  Rng rng = Rng::For(seed, "batches", epoch);
  order_ = examples_;
  rng.Shuffle(order_);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return split_.string(a).size() < split_.string(b).size();
  });
  CutGreedily();
  rng.Shuffle(cuts_);
}

void Batcher::PlanInOrder() {
  order_ = examples_;
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return split_.string(a).size() > split_.string(b).size();
  });
  CutGreedily();
}

void Batcher::PlanAsGiven() {
  order_ = examples_;
  CutGreedily();
}

void Batcher::CutGreedily() {
  cuts_.clear();
  std::size_t longest = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::size_t symbols = split_.string(order_[i]).size() + limits_.extra_symbols;
    const std::size_t widest = std::max(longest, symbols);
    if (cuts_.empty() || (i - cuts_.back().begin + 1) * widest > limits_.tokens) {
      cuts_.push_back({i, i});
      longest = symbols;
    } else {
      longest = widest;
    }
    cuts_.back().end = i + 1;
  }
}

void Batcher::Fill(std::size_t b, Batch& batch) const {
  batch.vocabulary = split_.next_symbols.alphabet_size();
  batch.tokens.clear();
  batch.offsets.assign(1, 0);
  batch.labels.clear();
  batch.next_symbols.clear();
  batch.first_set.clear();
  batch.states.clear();
  const std::size_t words = batch.words_per_set();
  for (const std::uint32_t i : Examples(b)) {
    const StringView w = split_.string(i);
    for (const Symbol a : w) batch.tokens.push_back(static_cast<std::uint32_t>(a));
    batch.offsets.push_back(batch.tokens.size());
    batch.labels.push_back(split_.labels[i]);
    if (tracker_ != nullptr) tracker_->Append(w, batch.states);
    if (!split_.has_next_symbols) continue;
    batch.first_set.push_back(batch.next_symbols.size() / words);
    if (split_.labels[i] == 0) continue;
    for (std::size_t t = 0; t <= w.size(); ++t) {
      const auto set = split_.next_symbols.Words(first_set_[i] + t);
      batch.next_symbols.insert(batch.next_symbols.end(), set.begin(), set.end());
    }
  }
}

}  // namespace flare
