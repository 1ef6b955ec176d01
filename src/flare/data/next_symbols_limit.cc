#include "flare/data/next_symbols_limit.h"

#include <fmt/format.h>

namespace flare {

void CheckNextSymbolsFit(std::size_t sets, std::size_t alphabet_size, const std::string& where) {
  const std::size_t bytes_per_set = (alphabet_size / 64 + 1) * sizeof(std::uint64_t);
  if (sets <= kLargestNextSymbols / bytes_per_set) return;
  throw NextSymbolsTooLarge(
      where, fmt::format("{} next-symbol sets over {} symbols take more than {} MB", sets,
                         alphabet_size, kLargestNextSymbols >> 20));
}

void CheckNextSymbolsFit(const Split& split, const std::string& where) {
  std::size_t sets = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (split.labels[i] != 0) sets += split.string(i).size() + 1;
  }
  CheckNextSymbolsFit(sets, split.next_symbols.alphabet_size(), where);
}

}  // namespace flare
