// The examples of one split in memory, as drawn or as read: flat arrays, a column per file of the
// FLaRe layout.

#ifndef FLARE_DATA_SPLIT_H_
#define FLARE_DATA_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"

namespace flare {

struct Split {
  explicit Split(std::size_t alphabet_size) : next_symbols(alphabet_size) {}

  std::size_t size() const { return labels.size(); }
  StringView string(std::size_t i) const {
    return {symbols.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
  void Add(StringView w, bool label) {
    symbols.insert(symbols.end(), w.begin(), w.end());
    offsets.push_back(symbols.size());
    labels.push_back(label ? 1 : 0);
  }
  // Leaves no example and no column.
  void Clear() {
    symbols.clear();
    offsets.assign(1, 0);
    labels.clear();
    next_symbols.Clear();
    log_probabilities.clear();
    num_edits.clear();
    edit_distances.clear();
    has_next_symbols = has_log_probabilities = has_num_edits = has_edit_distances = false;
  }

  std::vector<Symbol> symbols;             // all strings side by side
  std::vector<std::size_t> offsets = {0};  // string i is [offsets[i], offsets[i+1])
  std::vector<std::uint8_t> labels;        // 1 for members

  // One entry per positive or per negative, in the order of the examples; empty if the split has no
  // such file.
  NextSymbolSets next_symbols;                        // |w|+1 sets per positive, side by side
  std::vector<double> log_probabilities;              // per positive
  std::vector<std::optional<std::size_t>> num_edits;  // per negative; nothing: drawn uniformly
  std::vector<std::size_t> edit_distances;            // per negative
  bool has_next_symbols = false;
  bool has_log_probabilities = false;
  bool has_num_edits = false;
  bool has_edit_distances = false;
};

}  // namespace flare

#endif  // FLARE_DATA_SPLIT_H_
