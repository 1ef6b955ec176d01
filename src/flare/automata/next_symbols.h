// The next-symbol sets of a string w: for every prefix of w, from ε to w itself, the symbols of
// Σ ∪ {EOS} that can come next (paper §3.3). One flat array of bits; bit |Σ| stands for EOS.

#ifndef FLARE_AUTOMATA_NEXT_SYMBOLS_H_
#define FLARE_AUTOMATA_NEXT_SYMBOLS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flare/automata/symbol.h"

namespace flare {

class NextSymbolSets {
 public:
  explicit NextSymbolSets(std::size_t alphabet_size)
      : alphabet_size_(alphabet_size), words_per_set_(alphabet_size / 64 + 1) {}

  std::size_t alphabet_size() const { return alphabet_size_; }
  std::size_t size() const { return words_.size() / words_per_set_; }
  void Clear() { words_.clear(); }

  // Appends an empty set; Add and AddEos then fill the last one.
  void Append() { words_.insert(words_.end(), words_per_set_, 0); }
  void Add(Symbol a) { AddBit(Index(a)); }
  void AddEos() { AddBit(alphabet_size_); }
  // Appends a set with every symbol of Σ, without EOS.
  void AppendAll() {
    Append();
    for (std::size_t a = 0; a < alphabet_size_; ++a) AddBit(a);
  }
  // Appends a copy of a set that another object holds.
  void Append(std::span<const std::uint64_t> words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }

  // Appends all sets of another object. Requires: the same alphabet size.
  void Append(const NextSymbolSets& other) {
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
  }

  bool Contains(std::size_t t, Symbol a) const { return HasBit(t, Index(a)); }
  bool ContainsEos(std::size_t t) const { return HasBit(t, alphabet_size_); }
  std::span<const std::uint64_t> Words(std::size_t t) const {
    return {words_.data() + t * words_per_set_, words_per_set_};
  }

  bool operator==(const NextSymbolSets&) const = default;

 private:
  void AddBit(std::size_t bit) {
    words_[words_.size() - words_per_set_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  bool HasBit(std::size_t t, std::size_t bit) const {
    return ((words_[t * words_per_set_ + bit / 64] >> (bit % 64)) & 1) != 0;
  }

  std::size_t alphabet_size_;
  std::size_t words_per_set_;
  std::vector<std::uint64_t> words_;
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_NEXT_SYMBOLS_H_
