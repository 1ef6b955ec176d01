// flare show LANG: what a language is, and its automaton in four notations.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "flare/automata/att.h"
#include "flare/automata/dfa_json.h"
#include "flare/automata/dot.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/cli/command.h"

namespace flare {
namespace {

struct ShowArguments {
  explicit ShowArguments(CLI::App& app) : language(app) {
    app.add_option("--format", format, "text, dot (Graphviz), att (OpenFst) or json")
        ->check(CLI::IsMember({"text", "dot", "att", "json"}))
        ->capture_default_str();
    app.add_option("--write-symbols", symbols_out, "with --format att: also write the symbol table")
        ->type_name("FILE");
  }

  LanguageArgument language;
  std::string format = "text";
  std::string symbols_out;
};

std::string AsJson(const NamedLanguage& l) {
  Json json = {{"name", l.name},
               {"class", ShortName(l.language_class)},
               {"definition", l.definition},
               {"alphabet", l.language->alphabet().names()}};
  const Dfa* dfa = l.language->dfa();
  json["automaton"] = dfa != nullptr ? DfaToJson(*dfa) : Json(nullptr);
  return JsonText(json);
}

std::string AsText(const NamedLanguage& l) {
  std::string text =
      fmt::format("{}\n{}\nclass     {}\nalphabet  {}\n", l.name, l.definition,
                  LongName(l.language_class), fmt::join(l.language->alphabet().names(), " "));
  const Dfa* dfa = l.language->dfa();
  if (dfa == nullptr) return text;
  text += fmt::format("automaton {} states, {} transitions; -> start, * accepting\n\n",
                      dfa->num_states(), dfa->num_transitions());
  for (std::size_t q = 0; q < dfa->num_states(); ++q) {
    text += fmt::format("{}{}{:>4}", StateAt(q) == dfa->start() ? "->" : "  ",
                        dfa->IsAccepting(StateAt(q)) ? "*" : " ", q);
    const char* separator = "   ";
    for (const auto& [a, r] : dfa->TransitionsFrom(StateAt(q))) {
      text += fmt::format("{}{} {}", separator, dfa->alphabet().Name(a), Index(r));
      separator = ", ";
    }
    text += "\n";
  }
  return text;
}

int Show(const ShowArguments& options) {
  const NamedLanguage l = options.language.Resolve();
  if (!options.symbols_out.empty() && options.format != "att") {
    throw InputError("", "--write-symbols goes with --format att");
  }
  if (options.format == "json") {
    Print(AsJson(l));
    return kDone;
  }
  if (options.format == "text") {
    Print(AsText(l));
    return kDone;
  }
  const Dfa* dfa = l.language->dfa();
  if (dfa == nullptr) {
    throw InputError("", fmt::format("{} is {}: it has no finite automaton", l.name,
                                     LongName(l.language_class)));
  }
  if (options.format == "dot") {
    Print(FormatDot(*dfa, l.name));
    return kDone;
  }
  Print(FormatAtt(*dfa));
  if (!options.symbols_out.empty()) {
    WriteFileAtomically(options.symbols_out, FormatSymbolTable(dfa->alphabet()));
  }
  return kDone;
}

}  // namespace

std::function<int()> ShowCommand(CLI::App& app) {
  const auto options = std::make_shared<ShowArguments>(app);
  return [options] { return Show(*options); };
}

}  // namespace flare
