// flare show LANG: what a language is, and its automaton in four notations, or its grammar.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/classes/classification_formats.h"
#include "flare/cli/command.h"
#include "flare/grammars/grammar.h"
#include "flare/languages/catalog.h"
#include "flare/languages/context_free.h"
#include "flare/languages/envelope.h"
#include "flare/languages/small_languages.h"

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

const ContextFreeLanguage* AsContextFree(const NamedLanguage& l) {
  return dynamic_cast<const ContextFreeLanguage*>(l.language.get());
}

Json GrammarAsJson(const ContextFreeLanguage& language) {
  Json json = {{"rules", FormatGrammar(language.grammar())},
               {"normal_form",
                {{"nonterminals", language.normal_form().num_nonterminals()},
                 {"rules", language.normal_form().num_rules}}},
               {"lr1", language.is_lr1()},
               {"ambiguous_string", nullptr}};
  if (const auto ambiguous = language.FindAmbiguousString()) {
    json["ambiguous_string"] = language.alphabet().Format(ambiguous->w);
  }
  return json;
}

std::string GrammarAsText(const ContextFreeLanguage& language) {
  const NormalForm& normal = language.normal_form();
  std::string text = fmt::format(
      "grammar   {}; in normal form {}, {}\n", Counted(language.grammar().rules.size(), "rule"),
      Counted(normal.num_nonterminals(), "nonterminal"), Counted(normal.num_rules, "rule"));
  if (language.is_lr1()) {
    text += "          LR(1): every string has one derivation\n";
  } else if (const auto ambiguous = language.FindAmbiguousString()) {
    text += fmt::format("          ambiguous: {} has {:.0f} derivations\n",
                        language.alphabet().Format(ambiguous->w), ambiguous->derivations);
  } else {
    text += "          not LR(1); no ambiguous string met\n";
  }
  return text + fmt::format("\n{}\n", fmt::join(FormatGrammar(language.grammar()), "\n"));
}

// The number of a language of few states (small_languages.h), for a DFA over two symbols.
Json SmallAsJson(const SmallLanguage& small) {
  const SmallRelation relation = RepresentativeOf(small);
  const std::string name = CommonNameOf(small);
  return {{"name", small.Text()},
          {"pattern", PatternOf(small)},
          {"known_as", name.empty() ? Json(nullptr) : Json(name)},
          {"representative", relation.representative.Text()},
          {"exchanges_letters", relation.exchanges_letters},
          {"complements", relation.complements}};
}

std::string SmallAsText(const SmallLanguage& small, const Alphabet& alphabet) {
  const SmallRelation relation = RepresentativeOf(small);
  std::string text = fmt::format("small     {}: {}", small.Text(), PatternOf(small));
  if (alphabet.names() != std::vector<std::string>{"a", "b"}) {
    text += fmt::format(" with a for {} and b for {}", alphabet.names()[0], alphabet.names()[1]);
  }
  if (const std::string name = CommonNameOf(small); !name.empty()) {
    text += fmt::format("; known as {}", name);
  }
  if (relation.representative != small) {
    text += fmt::format("; {}{} {}", relation.complements ? "the complement of " : "",
                        relation.representative.Text(),
                        relation.exchanges_letters ? "with its letters exchanged" : "");
    if (!relation.exchanges_letters) text.pop_back();
  }
  return text + "\n";
}

std::string AsJson(const NamedLanguage& l) {
  Json json = {{"name", l.name},
               {"class", ShortName(l.language_class)},
               {"definition", l.definition},
               {"alphabet", l.language->alphabet().names()}};
  const Dfa* dfa = l.language->dfa();
  json["automaton"] = dfa != nullptr ? DfaToJson(*dfa) : Json(nullptr);
  if (dfa != nullptr) {
    if (const auto small = FindSmall(*dfa)) json["small"] = SmallAsJson(*small);
  }
  if (const auto* language = AsContextFree(l)) json["grammar"] = GrammarAsJson(*language);
  if (const std::string envelope = EnvelopeOf(l); !envelope.empty()) json["envelope"] = envelope;
  return JsonText(json);
}

// The short form of `flare classify`, if it is immediate.
std::optional<std::string> QuickClasses(const Dfa& dfa) {
  constexpr std::size_t kMostTransitions = 20'000, kMostElements = 20'000;
  if (dfa.num_states() * dfa.alphabet().size() > kMostTransitions) return std::nullopt;
  return classes::ShortClassification(classes::Classify(dfa, {.max_elements = kMostElements}));
}

std::string AsText(const NamedLanguage& l) {
  std::string text =
      fmt::format("{}\n{}\nclass     {}\nalphabet  {}\n", l.name, l.definition,
                  LongName(l.language_class), fmt::join(l.language->alphabet().names(), " "));
  // Users' own languages have no envelope in the catalogue, so show the one that we find.
  const std::string envelope = FindInCatalog(l.name) == nullptr ? EnvelopeOf(l) : "";
  if (!envelope.empty()) text += fmt::format("format    {}\n", envelope);
  if (const auto* language = AsContextFree(l)) return text + GrammarAsText(*language);
  const Dfa* dfa = l.language->dfa();
  if (dfa == nullptr) return text;
  if (const auto classes = QuickClasses(*dfa)) text += fmt::format("classes   {}\n", *classes);
  if (const auto small = FindSmall(*dfa)) text += SmallAsText(*small, dfa->alphabet());
  text += fmt::format("automaton {}, {}; -> start, * accepting\n\n",
                      Counted(dfa->num_states(), "state"),
                      Counted(dfa->num_transitions(), "transition"));
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
    throw InputError("", "--write-symbols needs --format att");
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
