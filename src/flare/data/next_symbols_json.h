// Next-symbol sets as text, in the bytes of the published `next-symbols.jsonl`:
//
//   [{"s":"0 1","e":false},{"s":"0 1","e":true}]
//
// one object per prefix: `s` the symbols in code point order, `e` whether EOS is among them.
// Characters outside ASCII are escaped as \uXXXX.

#ifndef FLARE_DATA_NEXT_SYMBOLS_JSON_H_
#define FLARE_DATA_NEXT_SYMBOLS_JSON_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"

namespace flare {

// Remembers the text of every set that it has seen: a language has few different ones.
class NextSymbolsFormatter {
 public:
  // What a file's text may take: a set names its symbols, and large alphabets have many.
  static constexpr std::size_t kLargestText = std::size_t{1} << 30;

  // Keeps a reference to the alphabet.
  explicit NextSymbolsFormatter(const Alphabet& alphabet, std::size_t largest_text = kLargestText)
      : alphabet_(alphabet), largest_text_(largest_text) {}

  // How long the lines of all sets become, without what separates them. Throws NextSymbolsTooLarge
  // if that is more than the largest text, so that it is known before the memory is taken.
  std::size_t Size(const NextSymbolSets& sets);

  // Appends one line, without its newline, for the sets [first, first + count). Throws
  // NextSymbolsTooLarge if `out` becomes longer than the largest text.
  void AppendLine(const NextSymbolSets& sets, std::size_t first, std::size_t count,
                  std::string& out);

 private:
  const std::string& Text(const NextSymbolSets& sets, std::size_t t);
  void CheckSize(std::size_t size) const;

  const Alphabet& alphabet_;
  std::size_t largest_text_;
  std::map<std::vector<std::uint64_t>, std::string> texts_;
  // The texts of sets of one word, which almost all are, by a hash of it.
  struct Slot {
    std::uint64_t word;
    const std::string* text = nullptr;
  };
  static constexpr std::size_t kSlots = 256;
  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

}  // namespace flare

#endif  // FLARE_DATA_NEXT_SYMBOLS_JSON_H_
