// Many strings as Python has them: one array of symbols, side by side, and one of where each string
// begins. Both are read-only: a function reads them while other threads of Python run.

#ifndef FLARE_PYTHON_STRINGS_H_
#define FLARE_PYTHON_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bindings.h"
#include "flare/automata/alphabet.h"
#include "flare/base/error.h"

namespace flare::python {

using AlphabetPointer = std::shared_ptr<const Alphabet>;

// What keeps a str from being UTF-8: half of a surrogate pair.
std::string SurrogateIn(const py::handle& text);
// A str as UTF-8. Throws InputError, with where().
template <class Where>
std::string TextOf(const py::handle& text, Where where) {
  Py_ssize_t size = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) {
    return {utf8, static_cast<std::size_t>(size)};
  }
  PyErr_Clear();
  throw InputError(where(), SurrogateIn(text));
}

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
  // Copies arrays that a user may write to: string i is values[offsets[i]:offsets[i+1]]. Throws
  // InputError if they are not strings over the alphabet.
  static Strings FromArrays(AlphabetPointer alphabet, const py::array& values,
                            const py::array& offsets);
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

  StringsView View() const {
    return {reinterpret_cast<const Symbol*>(values_.data()), offsets_.data(), size()};
  }
  // Requires: i < size().
  StringView At(std::size_t i) const { return View()[i]; }
  // The strings from `begin` to `end`, which share the symbols of all. Requires: begin <= end <=
  // size().
  Strings Slice(std::size_t begin, std::size_t end) const;

 private:
  Strings(AlphabetPointer alphabet, py::array_t<std::int32_t> values,
          py::array_t<std::int64_t> offsets);

  AlphabetPointer alphabet_;
  py::array_t<std::int32_t> values_;
  py::array_t<std::int64_t> offsets_;
};

}  // namespace flare::python

#endif  // FLARE_PYTHON_STRINGS_H_
