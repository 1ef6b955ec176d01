// flare languages: the catalogue.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "flare/automata/algebra/classification_text.h"
#include "flare/base/json.h"
#include "flare/cli/command.h"
#include "flare/languages/catalog.h"

namespace flare {
namespace {

struct LanguagesArguments {
  bool json = false;
  bool markdown = false;
  bool classes = false;
};

std::string Symbols(const CatalogEntry& entry) {
  return fmt::format("{}", fmt::join(entry.make()->alphabet().names(), " "));
}

std::string AsJson() {
  auto rows = Json::array();
  for (const CatalogEntry& entry : Catalog()) {
    rows.push_back({{"name", entry.name},
                    {"class", ShortName(entry.language_class)},
                    {"alphabet", entry.make()->alphabet().names()},
                    {"definition", entry.definition},
                    {"example", entry.example}});
  }
  return JsonText(rows);
}

std::string AsMarkdown() {
  std::string text =
      "| language | class | alphabet | definition | example |\n|---|---|---|---|---|\n";
  for (const CatalogEntry& entry : Catalog()) {
    text += fmt::format("| `{}` | {} | `{}` | {} | `{}` |\n", entry.name,
                        ShortName(entry.language_class), Symbols(entry), entry.definition,
                        entry.example);
  }
  return text;
}

std::string AsText() {
  std::string text;
  const auto row = [&](const std::string& name, const std::string& c, const std::string& symbols,
                       const std::string& definition) {
    text += fmt::format("{:<26}{:<7}{:<20}{}\n", name, c, symbols, definition);
  };
  row("NAME", "CLASS", "ALPHABET", "DEFINITION");
  for (const CatalogEntry& entry : Catalog()) {
    row(entry.name, ShortName(entry.language_class), Symbols(entry), entry.definition);
  }
  return text;
}

// What `flare classify` says of each, in a line.
std::string AsClasses() {
  std::string text = fmt::format("{:<26}{}\n", "NAME", "CLASSES");
  for (const CatalogEntry& entry : Catalog()) {
    const auto language = entry.make();
    const Dfa* dfa = language->dfa();
    text += fmt::format("{:<26}{}\n", entry.name,
                        dfa == nullptr ? "not regular: " + LongName(entry.language_class)
                                       : algebra::ShortClassification(algebra::Classify(*dfa)));
  }
  return text;
}

}  // namespace

std::function<int()> LanguagesCommand(CLI::App& app) {
  const auto options = std::make_shared<LanguagesArguments>();
  auto* json = app.add_flag("--json", options->json, "as JSON");
  auto* markdown = app.add_flag("--markdown", options->markdown, "as a Markdown table");
  markdown->excludes(json);
  app.add_flag("--classes", options->classes, "where the regular ones stand (see classify)")
      ->excludes(json)
      ->excludes(markdown);
  return [options] {
    Print(options->json       ? AsJson()
          : options->markdown ? AsMarkdown()
          : options->classes  ? AsClasses()
                              : AsText());
    return kDone;
  };
}

}  // namespace flare
