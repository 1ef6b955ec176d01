// The input of the engine: strings as integers. It knows no language, no alphabet and no file.

#ifndef FLARE_NN_BATCH_H_
#define FLARE_NN_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace flare {

// A minibatch of N strings over the symbols 0..V-1, in any order. Nothing is padded.
struct Batch {
  std::size_t vocabulary = 0;              // V = |Σ|
  std::vector<std::uint32_t> tokens;       // all strings side by side
  std::vector<std::size_t> offsets = {0};  // string i is [offsets[i], offsets[i+1])
  std::vector<std::uint8_t> labels;        // 1 for members

  // Used by the next-symbol loss: |w|+1 sets per positive, as bits; bit V is EOS. `first_set[i]` is
  // the first set of string i, in words_per_set() words each; meaningless for negatives.
  std::vector<std::uint64_t> next_symbols;
  std::vector<std::size_t> first_set;

  // Used by state tracking: the number of a state for each of the |w|+1 prefixes of every string,
  // side by side.
  std::vector<std::uint32_t> states;

  std::size_t size() const { return labels.size(); }
  std::size_t length(std::size_t i) const { return offsets[i + 1] - offsets[i]; }
  std::span<const std::uint32_t> string(std::size_t i) const {
    return {tokens.data() + offsets[i], length(i)};
  }
  // Returns where the states of string i begin.
  std::size_t first_state(std::size_t i) const { return offsets[i] + i; }
  std::size_t words_per_set() const { return vocabulary / 64 + 1; }

  void Add(std::span<const std::uint32_t> string, bool label) {
    tokens.insert(tokens.end(), string.begin(), string.end());
    offsets.push_back(tokens.size());
    labels.push_back(label ? 1 : 0);
  }
};

}  // namespace flare

#endif  // FLARE_NN_BATCH_H_
