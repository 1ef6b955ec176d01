// first: the first symbol is 1.

#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {

std::unique_ptr<Language> MakeFirst() {
  DfaBuilder b(Alphabet({"0", "1"}));
  const StateId before = b.AddState(false), after = b.AddState(true);
  b.AddTransition(before, "1", after);
  b.AddTransition(after, "0", after);
  b.AddTransition(after, "1", after);
  return std::make_unique<RegularLanguage>(std::move(b).Build(before));
}

}  // namespace flare
