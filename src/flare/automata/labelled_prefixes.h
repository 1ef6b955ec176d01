// Strings with a label each: a trie, so that all prefixes of a string are kept with it. Nodes are
// numbers in the order in which they came, a string's after those of its prefixes; so whoever runs
// an automaton over all of them needs one pass, in order.

#ifndef FLARE_AUTOMATA_LABELLED_PREFIXES_H_
#define FLARE_AUTOMATA_LABELLED_PREFIXES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flare/automata/symbol.h"

namespace flare {

class LabelledPrefixes {
 public:
  struct Node {
    std::uint32_t parent;  // of the root: itself
    Symbol symbol;         // that led here from there
    std::uint32_t length;
    bool label;
  };

  // ε is always there: the root, node 0.
  explicit LabelledPrefixes(bool label_of_empty);

  const std::vector<Node>& nodes() const { return nodes_; }
  String StringAt(std::size_t node) const;

  // Nothing if w is neither a string that was added nor a prefix of one. O(|w|).
  std::optional<bool> Find(StringView w) const;
  // `labels` are those of ε, w₁, …, w. A string that is there keeps its label.
  void Add(StringView w, std::span<const std::uint8_t> labels);

 private:
  // Where the child is in slots_, or the empty place for it.
  std::size_t SlotOf(std::uint32_t parent, Symbol symbol) const;
  void Grow();

  std::vector<Node> nodes_;
  // Children by parent and symbol: open addressing, a power of two of places, at most half full.
  std::vector<std::uint32_t> slots_;
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_LABELLED_PREFIXES_H_
