#include "flare/languages/dyck.h"

#include <string>
#include <utility>
#include <vector>

namespace flare {
namespace {

// Adds the states above `open`, on which `left` more brackets may be opened.
void AddNested(DfaBuilder& b, std::size_t types, std::size_t left, StateId open) {
  if (left == 0) return;
  for (std::size_t type = 0; type < types; ++type) {
    const StateId inside = b.AddState(false);
    b.AddTransition(open, "(" + std::to_string(type), inside);
    b.AddTransition(inside, ")" + std::to_string(type), open);
    AddNested(b, types, left - 1, inside);
  }
}

}  // namespace

Dfa BoundedDyck(std::size_t types, std::size_t deepest) {
  std::vector<std::string> brackets;
  for (std::size_t type = 0; type < types; ++type) {
    brackets.push_back("(" + std::to_string(type));
    brackets.push_back(")" + std::to_string(type));
  }
  DfaBuilder b{Alphabet(brackets)};
  const StateId balanced = b.AddState(true);
  AddNested(b, types, deepest, balanced);
  return std::move(b).Build(balanced);
}

}  // namespace flare
