// flare languages: the catalogue, by origin, and the families; with --small, every small language.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/classes/classification_formats.h"
#include "flare/cli/command.h"
#include "flare/languages/catalog.h"
#include "flare/languages/families.h"
#include "flare/languages/small_languages.h"

namespace flare {
namespace {

struct LanguagesArguments {
  bool json = false;
  bool markdown = false;
  bool classes = false;
  std::uint64_t small = 0;
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

// Prints a line per language with its classes, as `flare classify --short` does.
std::string AsClasses() {
  std::string text = fmt::format("{:<26}{}\n", "NAME", "CLASSES");
  for (const CatalogEntry& entry : Catalog()) {
    const auto language = entry.make();
    const Dfa* dfa = language->dfa();
    text += fmt::format("{:<26}{}\n", entry.name,
                        dfa == nullptr ? "not regular: " + LongName(entry.language_class)
                                       : classes::ShortClassification(classes::Classify(*dfa)));
  }
  return text;
}

// The representatives of the languages of that many states, one a line, as they are found.
void PrintSmall(std::size_t states) {
  std::string text =
      fmt::format("{:<14}{:<26}{:<34}{}\n", "NAME", "KNOWN AS", "PATTERN", "CLASSES");
  for (const SmallLanguage& language : SmallRepresentatives(states)) {
    text += fmt::format("{:<13} {:<25} {:<33} {}\n", language.Text(), CommonNameOf(language),
                        PatternOf(language),
                        classes::ShortClassification(classes::Classify(MakeSmallDfa(language))));
    PrintIfLarge(text);
  }
  Print(text);
}

std::string SmallAsJson(std::size_t states) {
  auto rows = Json::array();
  for (const SmallLanguage& language : SmallRepresentatives(states)) {
    const auto classification = classes::Classify(MakeSmallDfa(language));
    const std::string name = CommonNameOf(language);
    rows.push_back({{"name", language.Text()},
                    {"known_as", name.empty() ? Json(nullptr) : Json(name)},
                    {"pattern", PatternOf(language)},
                    {"in_atlas", !IsFiniteOrCofinite(language)},
                    {"classes", classes::SmallestClasses(classification)},
                    {"circuit_class", classes::CircuitClassTitle(classification.circuit_class)},
                    {"monoid", classification.monoid.size}});
  }
  return JsonText(rows);
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
  auto* small = AddCount(app, "--small", options->small,
                         "every language over a and b of that many states (1 to 4), up to "
                         "exchanging the letters and complement")
                    ->default_str("");
  return [options, small] {
    if (small->count() != 0) {
      if (options->markdown || options->classes) {
        throw InputError("--small", fmt::format("cannot be combined with {}",
                                                options->markdown ? "--markdown" : "--classes"));
      }
      if (options->small < 1 || options->small > kMostSmallStates) {
        throw InputError("--small", fmt::format("{} is not a number of states from 1 to {}",
                                                options->small, kMostSmallStates));
      }
      if (options->json) {
        Print(SmallAsJson(options->small));
      } else {
        PrintSmall(options->small);
      }
      return kDone;
    }
    Print(options->json       ? AsJson()
          : options->markdown ? AsMarkdown()
          : options->classes  ? AsClasses()
                              : AsText());
    return kDone;
  };
}

}  // namespace flare
