// group:NAME: the word problem of a group. The symbols are its elements, or generators; the members
// are the strings whose product, from left to right, is the identity.

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "flare/languages/group.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

constexpr const char* kGeneratorsMember = "generators";

NamedLanguage WordProblem(const std::string& text, const std::string& name, bool generators) {
  const FiniteGroup group = MakeGroup(name);
  std::vector<std::size_t> symbols = group.generators;
  if (!generators) {
    symbols.clear();
    for (std::size_t x = 0; x < group.order(); ++x) symbols.push_back(x);
  }
  std::vector<std::string> names;
  for (const std::size_t x : symbols) names.push_back(group.names[x]);
  DfaBuilder b{Alphabet(names)};
  for (std::size_t x = 0; x < group.order(); ++x) b.AddState(x == 0);
  // Generators of a small group may be equal; a symbol is one.
  std::vector<bool> added(group.order(), false);
  for (const std::size_t y : symbols) {
    if (added[y]) continue;
    added[y] = true;
    for (std::size_t x = 0; x < group.order(); ++x) {
      b.AddTransition(StateAt(x), group.names[y], StateAt(group.Product(x, y)));
    }
  }
  return {.name = text,
          .language_class = LanguageClass::kRegular,
          .definition = fmt::format("the product of {} of {} is the identity",
                                    generators ? "generators" : "elements", name),
          .identity = text + (generators ? "/generators" : ""),
          .envelope = ".*",
          .language = std::make_unique<RegularLanguage>(std::move(b).Build(StateAt(0)))};
}

std::string GroupName(const std::string& text) { return text.substr(text.find(':') + 1); }

}  // namespace

NamedLanguage ParseGroupSource(const std::string& text, const std::string& name,
                               const ResolveOptions& options) {
  return WordProblem(text, name, options.generators);
}

// The name says it all; the automaton of S6 would take 40 MB.
Json SaveGroup(const NamedLanguage& language) {
  return {{kGeneratorsMember, language.identity != language.name}};
}

NamedLanguage LoadGroup(const SavedLanguage& saved, const std::string&) {
  const auto member = saved.contents.find(kGeneratorsMember);
  return WordProblem(saved.text, GroupName(saved.text),
                     member != saved.contents.end() && member->is_boolean() && member->get<bool>());
}

}  // namespace flare
