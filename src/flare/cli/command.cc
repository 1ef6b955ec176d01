#include "flare/cli/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"

namespace flare {
namespace {

// A string of this length takes half a gigabyte; more is surely a typo.
constexpr std::size_t kLongestLength = 100'000'000;

// "0,1" would be one symbol, which is hardly ever meant; with a space, the list is taken as it is.
void CheckIsNoCommaList(const std::string& list) {
  const std::size_t comma = list.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == list.size()) return;
  if (list.find(' ') != std::string::npos) return;
  throw InputError("--alphabet", fmt::format("{} would be one symbol", Quoted(list)),
                   "separate symbols by spaces, as in \"0 1\"");
}

}  // namespace

void AddLanguageOptions(CLI::App& app, ResolveOptions& options) {
  // The option takes one argument, so that `--alphabet a b LANG` does not name three symbols.
  app.add_option_function<std::string>(
         "--alphabet",
         [&options](const std::string& list) {
           CheckIsNoCommaList(list);
           for (std::size_t begin = 0; begin <= list.size();) {
             const std::size_t end = std::min(list.find(' ', begin), list.size());
             if (end > begin) options.extra_symbols.push_back(list.substr(begin, end - begin));
             begin = end + 1;
           }
         },
         fmt::format("symbols that a {} language has besides those it mentions, as \"a b c\"",
                     Listed(SourcesThatTake("--alphabet"), "or")))
      ->type_name("SYMBOLS");
  app.add_option("--symbols", options.att_symbols, "the symbol table of an att: language")
      ->type_name("FILE");
  app.add_flag("--att-acceptor", options.att_acceptor,
               "att: four fields are source, target, label, weight");
  app.add_flag("--generators", options.generators,
               "group: the alphabet is a generating set, not all elements");
  app.add_option("--mlregtest", options.mlregtest,
                 "the folder of MLRegTest's automata (default: $FLARE_MLREGTEST)")
      ->type_name("DIR");
  app.add_option("--envelope", options.envelope,
                 "a pattern of the strings that have the format of members, for baselines and "
                 "negatives")
      ->type_name("PATTERN");
}

std::string LanguageForms(const std::string& names) {
  std::vector<std::string> forms = DefinitionForms();
  forms.insert(forms.begin(), names);
  return Listed(forms, "or");
}

LanguageArgument::LanguageArgument(CLI::App& app) {
  app.add_option("language", text_, LanguageForms("a name"))->required()->type_name("LANG");
  AddLanguageOptions(app, options_);
}

CLI::Option* AddCount(CLI::App& app, const std::string& name, std::uint64_t& value,
                      const std::string& help) {
  const auto parse = [&value, name](const std::string& text) {
    const auto number = ParseNumber<std::uint64_t>(text);
    if (!number) {
      throw InputError(name, fmt::format("{} is not a number from 0 to 2^64-1", Quoted(text)));
    }
    value = *number;
  };
  return app.add_option_function<std::string>(name, parse, help)
      ->default_str(std::to_string(value))
      ->type_name("N");
}

LengthRangeOption::LengthRangeOption(CLI::App& app) {
  AddCount(app, "--min-length", range_.min, "shortest length");
  max_ = AddCount(app, "--max-length", range_.max, "longest length");
}

LengthRange LengthRangeOption::Get() const {
  if (range_.min > range_.max) {
    throw InputError("", fmt::format("--min-length {} is above --max-length {}{}", range_.min,
                                     range_.max, max_->count() == 0 ? " (the default)" : ""));
  }
  if (range_.max > kLongestLength) {
    throw InputError("", fmt::format("--max-length {} is above {}", range_.max, kLongestLength));
  }
  return range_;
}

StringsArgument::StringsArgument(CLI::App& app) {
  app.add_option("file", file_, "strings, one per line, symbols separated by spaces; - for stdin")
      ->type_name("FILE")
      ->capture_default_str();
}

std::vector<String> StringsArgument::Read(const Alphabet& alphabet) const {
  const std::string text = ReadFile(file_);
  const std::string name = file_ == "-" ? "standard input" : file_;
  std::vector<String> strings;
  for (const std::string_view line : Lines(text)) {
    strings.push_back(alphabet.Parse(line, FileLine(name, strings.size() + 1)));
  }
  return strings;
}

std::vector<std::optional<String>> StringsArgument::ReadKnown(const Alphabet& alphabet) const {
  const std::string text = ReadFile(file_);
  const std::string name = file_ == "-" ? "standard input" : file_;
  const auto has_unknown = [&](std::string_view line) {
    for (std::size_t begin = 0; begin < line.size();) {
      const std::size_t end = std::min(line.find(' ', begin), line.size());
      if (end > begin && !alphabet.Find(line.substr(begin, end - begin))) return true;
      begin = end + 1;
    }
    return false;
  };
  std::vector<std::optional<String>> strings;
  for (const std::string_view line : Lines(text)) {
    const std::string where = FileLine(name, strings.size() + 1);
    strings.push_back(has_unknown(line) ? std::nullopt
                                        : std::optional(alphabet.Parse(line, where)));
  }
  return strings;
}

DatasetsArgument::DatasetsArgument(CLI::App& app) {
  app.add_option("directories", directories_, "datasets in the FLaRe layout")
      ->required()
      ->type_name("DIR");
  app.add_option("--language", language_,
                 "the language of the datasets, if neither a manifest nor the name says it")
      ->type_name("LANG");
  AddLanguageOptions(app, options_);
}

void Print(const std::string& data) {
  static const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  const std::string text = terminal ? Visible(data, "\n\t") : data;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw IoError("standard output", "write", errno);
  }
}

void PrintIfLarge(std::string& text) {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  if (text.size() < kLarge) return;
  Print(text);
  text.clear();
}

}  // namespace flare
