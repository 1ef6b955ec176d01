#include "flare/languages/families.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/catalog.h"
#include "flare/languages/language.h"

namespace flare {
namespace {

constexpr std::size_t kMostFamilyStates = 100'000;

// The numbers in a name "prefix-N-M"; nothing if the name has another form, or a number is 0 or
// oddly written.
std::optional<std::vector<std::size_t>> NumbersIn(const std::string& name,
                                                  const std::string& prefix, std::size_t count) {
  std::vector<std::size_t> numbers;
  std::string again = prefix;
  if (!name.starts_with(prefix)) return std::nullopt;
  for (std::size_t begin = prefix.size(); begin < name.size();) {
    const std::size_t end = std::min(name.find('-', begin + 1), name.size());
    const auto number =
        ParseNumber<std::size_t>(std::string_view(name).substr(begin + 1, end - begin - 1));
    if (name[begin] != '-' || !number || *number == 0) return std::nullopt;
    numbers.push_back(*number);
    again += fmt::format("-{}", *number);
    begin = end;
  }
  if (numbers.size() != count || again != name) return std::nullopt;
  return numbers;
}

void CheckFamilyStates(const std::string& name, std::size_t states) {
  if (states <= kMostFamilyStates) return;
  throw InputError(name, fmt::format("its automaton has more than {} states", kMostFamilyStates));
}

NamedLanguage FamilyMember(const std::string& name, const std::string& definition,
                           const std::string& envelope, const Dfa& dfa) {
  return {.name = name,
          .language_class = LanguageClass::kRegular,
          .definition = definition,
          .identity = name,
          .envelope = envelope,
          .language = std::make_unique<RegularLanguage>(dfa)};
}

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

// Balanced brackets of K types, (0 )0 (1 )1 …, nested at most D deep. A state is the stack of open
// brackets: 1 + K + K² + … + K^D of them.
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

std::optional<NamedLanguage> FindDyck(const std::string& name) {
  const auto numbers = NumbersIn(name, "dyck", 2);
  if (!numbers) return std::nullopt;
  const std::size_t types = (*numbers)[0], deepest = (*numbers)[1];
  std::size_t states = 1;
  for (std::size_t depth = 0; depth < deepest; ++depth) {
    CheckFamilyStates(name, types > kMostFamilyStates ? types : states);
    states = states * types + 1;
  }
  CheckFamilyStates(name, states);
  return FamilyMember(name,
                      fmt::format("balanced brackets of {} types, at most {} deep", types, deepest),
                      "(..)*", BoundedDyck(types, deepest));
}

// State i is within the i-th block; state 0 is before the first.
std::optional<NamedLanguage> FindBlocks(const std::string& name) {
  const auto numbers = NumbersIn(name, "blocks", 1);
  if (!numbers) return std::nullopt;
  const std::size_t blocks = numbers->front();
  CheckFamilyStates(name, blocks);
  DfaBuilder b(Alphabet({"a", "b"}));
  for (std::size_t i = 0; i <= blocks; ++i) b.AddState(i == blocks);
  const auto letter = [](std::size_t block) { return block % 2 == 1 ? "a" : "b"; };
  for (std::size_t i = 0; i < blocks; ++i) {
    if (i > 0) b.AddTransition(StateAt(i), letter(i), StateAt(i));
    b.AddTransition(StateAt(i), letter(i + 1), StateAt(i + 1));
  }
  b.AddTransition(StateAt(blocks), letter(blocks), StateAt(blocks));
  return FamilyMember(name, fmt::format("a, b, a, … in {} blocks, none of them empty", blocks),
                      fmt::format("a.* & .*{}", letter(blocks)), std::move(b).Build(StateAt(0)));
}

std::optional<NamedLanguage> FindMod(const std::string& name) {
  const auto numbers = NumbersIn(name, "mod", 1);
  if (!numbers) return std::nullopt;
  const std::size_t modulus = numbers->front();
  CheckFamilyStates(name, modulus);
  DfaBuilder b(Alphabet({"0", "1"}));
  for (std::size_t r = 0; r < modulus; ++r) b.AddState(r == 0);
  for (std::size_t r = 0; r < modulus; ++r) {
    b.AddTransition(StateAt(r), "0", StateAt(r));
    b.AddTransition(StateAt(r), "1", StateAt((r + 1) % modulus));
  }
  return FamilyMember(name, fmt::format("the number of 1s is divisible by {}", modulus), ".*",
                      std::move(b).Build(StateAt(0)));
}

}  // namespace

std::span<const LanguageFamily> LanguageFamilies() {
  static const std::vector<LanguageFamily> families = {
      {"dyck-K-D", "balanced brackets of K types, at most D deep", "dyck-3-4", FindDyck},
      {"blocks-K", "a, b, a, … in K blocks, none of them empty", "blocks-4", FindBlocks},
      {"mod-N", "over 0 and 1, the number of 1s is divisible by N", "mod-3", FindMod},
  };
  return families;
}

std::optional<NamedLanguage> FindInFamilies(const std::string& name) {
  for (const LanguageFamily& family : LanguageFamilies()) {
    if (auto found = family.find(name)) return found;
  }
  return std::nullopt;
}

// dyck-2-3: balanced brackets of two types, nested at most three deep.
std::unique_ptr<Language> MakeDyck23() {
  return std::make_unique<RegularLanguage>(BoundedDyck(2, 3));
}

}  // namespace flare
