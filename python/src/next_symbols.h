// The next-symbol sets of many strings as Python has them: a row of truth values per set, and where
// the rows of each string begin. A string that is not a member has none.

#ifndef FLARE_PYTHON_NEXT_SYMBOLS_H_
#define FLARE_PYTHON_NEXT_SYMBOLS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings.h"
#include "flare/automata/dfa.h"
#include "flare/data/flare_files.h"

namespace flare::python {

struct BoundNextSymbols {
  py::array values;  // bool, (sets, |Σ| + 1); the last column is EOS
  py::array_t<std::int64_t> offsets;
};

// Collects sets without the interpreter's lock; Finish needs it.
class NextSymbolsBuilder {
 public:
  explicit NextSymbolsBuilder(std::size_t alphabet_size) : columns_(alphabet_size + 1) {}

  // The next string's sets: [first, first + count) of `sets`.
  void Add(const NextSymbolSets& sets, std::size_t first, std::size_t count) {
    for (std::size_t t = first; t < first + count; ++t) {
      const auto words = sets.Words(t);
      for (std::size_t a = 0; a < columns_; ++a) {
        values_.push_back(static_cast<std::uint8_t>((words[a / 64] >> (a % 64)) & 1));
      }
    }
    AddNone(count);
  }
  void AddNone(std::size_t count = 0) {
    offsets_.push_back(offsets_.back() + static_cast<std::int64_t>(count));
  }

  BoundNextSymbols Finish() && {
    const auto sets = static_cast<py::ssize_t>(values_.size() / columns_);
    const py::array_t<std::uint8_t> bytes = ArrayOf<std::uint8_t>(std::move(values_));
    py::array values = bytes.attr("view")("bool");
    return {values.reshape({sets, static_cast<py::ssize_t>(columns_)}),
            ArrayOf<std::int64_t>(std::move(offsets_))};
  }

 private:
  std::size_t columns_;
  std::vector<std::uint8_t> values_;
  std::vector<std::int64_t> offsets_ = {0};
};

// Those of a split that has them.
inline BoundNextSymbols NextSymbolsOf(const Split& split) {
  NextSymbolsBuilder builder(split.next_symbols.alphabet_size());
  std::size_t first = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (split.labels[i] == 0) {
      builder.AddNone();
      continue;
    }
    const std::size_t sets = split.string(i).size() + 1;
    builder.Add(split.next_symbols, first, sets);
    first += sets;
  }
  return std::move(builder).Finish();
}

}  // namespace flare::python

#endif  // FLARE_PYTHON_NEXT_SYMBOLS_H_
