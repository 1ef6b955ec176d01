// repeat-01: (01)ⁿ.

#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {

std::unique_ptr<Language> MakeRepeat01() {
  DfaBuilder b(Alphabet({"0", "1"}));
  const StateId before_0 = b.AddState(true), before_1 = b.AddState(false);
  b.AddTransition(before_0, "0", before_1);
  b.AddTransition(before_1, "1", before_0);
  return std::make_unique<RegularLanguage>(std::move(b).Build(before_0));
}

}  // namespace flare
