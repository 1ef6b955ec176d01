// flare recognize LANG [FILE]: 1 or 0 per string, or the next-symbol sets of the members.

#include <memory>
#include <optional>

#include "flare/cli/command.h"
#include "flare/data/flare_files.h"

namespace flare {
namespace {

struct RecognizeArguments {
  explicit RecognizeArguments(CLI::App& app) : language(app), strings(app) {
    app.add_flag("--next-symbols", next_symbols,
                 "one line of JSON per member: what can follow each of its prefixes");
    app.add_option(
           "--unknown", unknown,
           "a string with a symbol outside the alphabet: an error, or not a member (reject)")
        ->check(CLI::IsMember({"error", "reject"}))
        ->type_name("error|reject")
        ->capture_default_str();
  }

  LanguageArgument language;
  StringsArgument strings;
  bool next_symbols = false;
  std::string unknown = "error";
};

// A string with a symbol outside the alphabet is read as nothing.
std::vector<std::optional<String>> ReadStrings(const RecognizeArguments& options,
                                               const Alphabet& alphabet) {
  if (options.unknown == "reject") return options.strings.ReadKnown(alphabet);
  const std::vector<String> strings = options.strings.Read(alphabet);
  return {strings.begin(), strings.end()};
}

int Recognize(const RecognizeArguments& options) {
  const NamedLanguage l = options.language.Resolve();
  const Alphabet& alphabet = l.language->alphabet();
  NextSymbolSets sets(alphabet.size());
  NextSymbolsFormatter formatter(alphabet);
  std::string out;
  for (const auto& w : ReadStrings(options, alphabet)) {
    const bool member = w && l.language->Contains(*w);
    if (!options.next_symbols) {
      out += member ? "1\n" : "0\n";
    } else if (member) {
      CheckNextSymbolsFit(w->size() + 1, alphabet.size(), l.name);
      l.language->NextSymbols(*w, sets);
      formatter.AppendLine(sets, 0, sets.size(), out);
      out += '\n';
    }
    PrintIfLarge(out);
  }
  Print(out);
  return kDone;
}

}  // namespace

std::function<int()> RecognizeCommand(CLI::App& app) {
  const auto options = std::make_shared<RecognizeArguments>(app);
  return [options] { return Recognize(*options); };
}

}  // namespace flare
