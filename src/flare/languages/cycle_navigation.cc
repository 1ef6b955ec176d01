// cycle-navigation: moves < = > on a cycle of five positions from position 0, then the position
// reached.

#include <string>
#include <vector>

#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {

std::unique_ptr<Language> MakeCycleNavigation() {
  constexpr std::size_t kPositions = 5;
  DfaBuilder b(Alphabet({"<", "=", ">", "0", "1", "2", "3", "4"}));
  std::vector<StateId> at;
  for (std::size_t i = 0; i < kPositions; ++i) at.push_back(b.AddState(false));
  const StateId end = b.AddState(true);
  for (std::size_t i = 0; i < kPositions; ++i) {
    b.AddTransition(at[i], "<", at[(i + kPositions - 1) % kPositions]);
    b.AddTransition(at[i], "=", at[i]);
    b.AddTransition(at[i], ">", at[(i + 1) % kPositions]);
    b.AddTransition(at[i], std::to_string(i), end);
  }
  return std::make_unique<RegularLanguage>(std::move(b).Build(at[0]));
}

}  // namespace flare
