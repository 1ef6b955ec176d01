// Strings with a label each: a trie, so that all prefixes of a string are kept with it. It is laid
// out by length, each string of n symbols next to the others of n symbols, with the place of its
// prefix among those of n − 1. So running an automaton over all of them goes through memory in
// order, and a search for a shortest string can stop early.

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
    std::uint32_t prefix;  // its place among those one symbol shorter; 0 for ε
    Symbol symbol;         // the one that led here from there
    bool label;
  };

  // ε is always there.
  explicit LabelledPrefixes(bool label_of_empty);

  // [n] are the strings of n symbols.
  const std::vector<std::vector<Node>>& by_length() const { return by_length_; }
  String StringAt(std::size_t length, std::size_t place) const;

  // Nothing if w is neither a string that was added nor a prefix of one. O(|w|).
  std::optional<bool> Find(StringView w) const;
  // `labels` are those of ε, w₁, …, w. A string that is there keeps its label.
  void Add(StringView w, std::span<const std::uint8_t> labels);

 private:
  // Strings by number, in the order in which they came; ε is 0.
  struct Child {
    std::uint32_t parent;
    Symbol symbol;
    std::uint32_t place;  // among those of its length
  };

  // Where the child is in slots_, or the empty place for it.
  std::size_t SlotOf(std::uint32_t parent, Symbol symbol) const;
  void Grow();

  std::vector<std::vector<Node>> by_length_;
  std::vector<Child> children_;
  // Numbers by parent and symbol: open addressing, a power of two of places, at most half full.
  std::vector<std::uint32_t> slots_;
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_LABELLED_PREFIXES_H_
