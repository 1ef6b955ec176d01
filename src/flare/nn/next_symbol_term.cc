// Next-symbol prediction, of positives only (paper §3.3):
//
//   p(a may follow) = σ(W h + b)_a      for a in Σ ∪ {EOS}
//
// The loss of a string is the mean over its positions and over the symbols of the binary
// cross-entropy.

#include <cstdint>

#include "flare/nn/loss_terms.h"

namespace flare {

LossTermInfo DescribeNextSymbolTerm() {
  return {
      .name = "ns",
      .key = "next_symbol",
      .help = "next-symbol prediction: the set of symbols that may follow, of positive examples",
      .columns = "a column per symbol, then EOS",
      .outputs = [](std::size_t vocabulary, std::size_t) { return vocabulary + 1; },
      .head = "next_symbols_head",
      .contains =
          [](const Batch& batch, TermRows::Place place, std::size_t a) {
            const std::size_t set = batch.first_set[place.string] + place.position;
            const std::uint64_t word = batch.next_symbols[set * batch.words_per_set() + a / 64];
            return ((word >> (a % 64)) & 1) != 0;
          },
      .figures = {"accuracy.positions", "accuracy.strings"},
      .needs_next_symbols = true,
      .predicts_eos = true,
      .in_all_files = true};
}

}  // namespace flare
