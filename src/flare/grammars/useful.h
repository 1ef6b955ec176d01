// The part of a grammar that derives strings.

#ifndef FLARE_GRAMMARS_USEFUL_H_
#define FLARE_GRAMMARS_USEFUL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "flare/grammars/grammar.h"

namespace flare {

// Applies step(i), which says whether it changed anything, for i = 0..n-1 and back, until a round
// changes nothing.
template <class Step>
void UntilNothingChanges(std::size_t n, Step step) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t i = 0; i < n; ++i) changed |= step(i);
    for (std::size_t i = n; i > 0; --i) changed |= step(i - 1);
  }
}

// The rules that occur in a derivation of some string. Throws InputError with `where` if there is
// none: the language is empty.
std::vector<Grammar::Rule> UsefulRules(const Grammar& grammar, const std::string& where);

}  // namespace flare

#endif  // FLARE_GRAMMARS_USEFUL_H_
