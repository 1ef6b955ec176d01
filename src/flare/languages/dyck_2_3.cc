// dyck-2-3: balanced brackets of two types, nested at most three deep. A state is the stack of open
// brackets.

#include <string>

#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {
namespace {

constexpr int kTypes = 2;
constexpr int kDeepest = 3;

// Adds the states above `open`, whose stack has this depth.
void AddNested(DfaBuilder& b, StateId open, int depth) {
  if (depth == kDeepest) return;
  for (int type = 0; type < kTypes; ++type) {
    const StateId inside = b.AddState(false);
    b.AddTransition(open, "(" + std::to_string(type), inside);
    b.AddTransition(inside, ")" + std::to_string(type), open);
    AddNested(b, inside, depth + 1);
  }
}

}  // namespace

std::unique_ptr<Language> MakeDyck23() {
  DfaBuilder b(Alphabet({"(0", ")0", "(1", ")1"}));
  const StateId balanced = b.AddState(true);
  AddNested(b, balanced, 0);
  return std::make_unique<RegularLanguage>(std::move(b).Build(balanced));
}

}  // namespace flare
