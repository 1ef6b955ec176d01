// flare edit-distance LANG [FILE]: how far each string is from a language.

#include <fmt/format.h>

#include <memory>

#include "flare/base/error.h"
#include "flare/cli/command.h"

namespace flare {
namespace {

struct EditDistanceArguments {
  explicit EditDistanceArguments(CLI::App& app) : language(app), strings(app) {}

  LanguageArgument language;
  StringsArgument strings;
};

int EditDistance(const EditDistanceArguments& options) {
  const NamedLanguage l = options.language.Resolve();
  const EditMetric* metric = l.language->edit_metric();
  if (metric == nullptr) {
    throw InputError(
        "", fmt::format("edit distance is for regular languages and grammars; {} is {}", l.name,
                        LongName(l.language_class)));
  }
  std::string out;
  for (const String& w : options.strings.Read(l.language->alphabet())) {
    out += fmt::format("{}\n", metric->Distance(w));
    PrintIfLarge(out);
  }
  Print(out);
  return kDone;
}

}  // namespace

std::function<int()> EditDistanceCommand(CLI::App& app) {
  const auto options = std::make_shared<EditDistanceArguments>(app);
  return [options] { return EditDistance(*options); };
}

}  // namespace flare
