// Many strings as Python has them: one array of symbols, side by side, and one of where each string
// begins. Neither is copied on its way in or out.

#ifndef FLARE_PYTHON_STRINGS_H_
#define FLARE_PYTHON_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bindings.h"
#include "flare/automata/alphabet.h"
#include "flare/automata/symbol.h"

namespace flare::python {

using AlphabetPointer = std::shared_ptr<const Alphabet>;

// The strings of a Strings object, for as long as that lives.
class StringsView {
 public:
  StringsView(const Symbol* symbols, const std::int64_t* offsets, std::size_t size)
      : symbols_(symbols), offsets_(offsets), size_(size) {}

  std::size_t size() const { return size_; }
  StringView operator[](std::size_t i) const {
    return {symbols_ + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }

 private:
  const Symbol* symbols_;
  const std::int64_t* offsets_;
  std::size_t size_;
};

class Strings {
 public:
  // String i is values[offsets[i]:offsets[i+1]]. Throws InputError if they are not strings over the
  // alphabet.
  Strings(AlphabetPointer alphabet, py::array values, py::array offsets);
  // From vectors that are known to be right.
  Strings(AlphabetPointer alphabet, String values, std::vector<std::int64_t> offsets);
  // From a sequence whose items are lists of tokens, or texts with spaces between tokens.
  static Strings FromSequence(AlphabetPointer alphabet, const py::handle& items);
  // What a function over an alphabet was given: Strings over the same one, or a sequence.
  static Strings From(const AlphabetPointer& alphabet, const py::handle& given);

  const AlphabetPointer& alphabet() const { return alphabet_; }
  const py::array_t<std::int32_t>& values() const { return values_; }
  const py::array_t<std::int64_t>& offsets() const { return offsets_; }
  std::size_t size() const { return static_cast<std::size_t>(offsets_.size()) - 1; }

  // Both check again: whoever owns the arrays may have written to them. Throw InputError.
  StringsView View() const;
  // Requires: i < size().
  StringView At(std::size_t i) const;

 private:
  // The symbols from `begin` to `end`.
  void CheckSymbols(std::int64_t begin, std::int64_t end) const;

  AlphabetPointer alphabet_;
  py::array_t<std::int32_t> values_;
  py::array_t<std::int64_t> offsets_;
};

}  // namespace flare::python

#endif  // FLARE_PYTHON_STRINGS_H_
