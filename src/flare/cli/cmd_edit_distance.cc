// flare edit-distance LANG [FILE]: how far each string is from a regular language.

#include <fmt/format.h>

#include <memory>

#include "flare/automata/edit_distance.h"
#include "flare/base/error.h"
#include "flare/cli/command.h"

namespace flare {
namespace {

struct EditDistanceArguments {
  explicit EditDistanceArguments(CLI::App& app) : language(app), strings(app) {}

  LanguageArgument language;
  StringsArgument strings;
};

int Run(const EditDistanceArguments& options) {
  const NamedLanguage l = options.language.Resolve();
  const Dfa* dfa = l.language->dfa();
  if (dfa == nullptr) {
    throw InputError("", fmt::format("edit distance is for regular languages; {} is {}", l.name,
                                     LongName(l.language_class)));
  }
  std::string out;
  for (const String& w : options.strings.Read(l.language->alphabet())) {
    out += fmt::format("{}\n", EditDistance(*dfa, w));
    PrintIfLarge(out);
  }
  Print(out);
  return kDone;
}

}  // namespace

std::function<int()> EditDistanceCommand(CLI::App& app) {
  const auto options = std::make_shared<EditDistanceArguments>(app);
  return [options] { return Run(*options); };
}

}  // namespace flare
