#include "flare/automata/matcher.h"

#include <utility>

namespace flare {

Matcher::Matcher(Dfa dfa) : dfa_(std::move(dfa)) {
  const std::size_t width = dfa_.alphabet().size();
  const std::size_t dead = dfa_.num_states();
  if ((dead + 1) * width > kLargestTable) return;
  row_.assign((dead + 1) * width, static_cast<std::uint32_t>(dead * width));
  accepting_.assign(dead + 1, 0);
  for (std::size_t i = 0; i < dfa_.num_states(); ++i) {
    const StateId q = StateAt(i);
    accepting_[i] = dfa_.IsAccepting(q) ? 1 : 0;
    for (const auto& [a, r] : dfa_.TransitionsFrom(q)) {
      row_[i * width + Index(a)] = static_cast<std::uint32_t>(Index(r) * width);
    }
  }
}

bool Matcher::Accepts(StringView w) const {
  if (row_.empty()) return dfa_.Accepts(w);
  const std::size_t width = dfa_.alphabet().size();
  std::size_t row = Index(dfa_.start()) * width;
  for (const Symbol a : w) row = row_[row + Index(a)];
  return accepting_[row / width] != 0;
}

}  // namespace flare
