// parity: an odd number of 1s.

#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {

std::unique_ptr<Language> MakeParity() {
  DfaBuilder b(Alphabet({"0", "1"}));
  const StateId even = b.AddState(false), odd = b.AddState(true);
  b.AddTransition(even, "0", even);
  b.AddTransition(even, "1", odd);
  b.AddTransition(odd, "0", odd);
  b.AddTransition(odd, "1", even);
  return std::make_unique<RegularLanguage>(std::move(b).Build(even));
}

}  // namespace flare
