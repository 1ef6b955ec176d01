// even-pairs: as many changes from 0 to 1 as from 1 to 0, that is, the same first and last symbol.

#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {

std::unique_ptr<Language> MakeEvenPairs() {
  DfaBuilder b(Alphabet({"0", "1"}));
  const StateId empty = b.AddState(true);
  for (const auto& [first, other] : {std::pair("0", "1"), std::pair("1", "0")}) {
    const StateId same = b.AddState(true), different = b.AddState(false);
    b.AddTransition(empty, first, same);
    b.AddTransition(same, first, same);
    b.AddTransition(same, other, different);
    b.AddTransition(different, first, same);
    b.AddTransition(different, other, different);
  }
  return std::make_unique<RegularLanguage>(std::move(b).Build(empty));
}

}  // namespace flare
