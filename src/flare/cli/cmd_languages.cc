// flare languages: the catalogue, by origin, and the families.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/classes/classification_text.h"
#include "flare/cli/command.h"
#include "flare/languages/catalog.h"
#include "flare/languages/families.h"

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
                    {"origin", Title(entry.origin)},
                    {"class", ShortName(entry.language_class)},
                    {"alphabet", entry.make()->alphabet().names()},
                    {"definition", entry.definition},
                    {"example", entry.example}});
  }
  return JsonText(rows);
}

// A bar would end the cell of a table.
std::string InTable(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

// Calls heading(title) before the first language of each origin, and row(entry) for every language.
template <class Heading, class Row>
void ForEachByOrigin(Heading heading, Row row) {
  std::optional<Origin> origin;
  for (const CatalogEntry& entry : Catalog()) {
    if (origin != entry.origin) heading(Title(entry.origin));
    origin = entry.origin;
    row(entry);
  }
}

std::string AsMarkdown() {
  std::string text;
  ForEachByOrigin(
      [&](const std::string& title) {
        text += fmt::format(
            "{}### From: {}\n\n| language | class | alphabet | definition | example |\n"
            "|---|---|---|---|---|\n",
            text.empty() ? "" : "\n", title);
      },
      [&](const CatalogEntry& entry) {
        text += fmt::format("| `{}` | {} | `{}` | {} | `{}` |\n", entry.name,
                            ShortName(entry.language_class), InTable(Symbols(entry)),
                            InTable(entry.definition), InTable(entry.example));
      });
  text += "\n### Families\n\n| name | definition | for example |\n|---|---|---|\n";
  for (const LanguageFamily& family : LanguageFamilies()) {
    text += fmt::format("| `{}` | {} | `{}` |\n", family.form, family.definition, family.example);
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
  ForEachByOrigin([&](const std::string& title) { text += fmt::format("\nfrom: {}\n", title); },
                  [&](const CatalogEntry& entry) {
                    row(entry.name, ShortName(entry.language_class), Symbols(entry),
                        entry.definition);
                  });
  text += "\nfamilies, as " + LanguageFamilies()[0].example + "\n";
  for (const LanguageFamily& family : LanguageFamilies()) {
    row(family.form, "R", "", family.definition);
  }
  text += fmt::format("\nof your own: {}\n", Listed(DefinitionForms(), "or"));
  return text;
}

// What `flare classify` says about each, in a line.
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
