// Functions that main.cc and the commands share. A command is one file, which declares its options,
// calls the library and prints: data to stdout, messages to stderr.

#ifndef FLARE_CLI_COMMAND_H_
#define FLARE_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flare/data/dataset_language.h"
#include "flare/languages/source.h"

namespace flare {

// Exit codes of every command.
enum ExitCode : int {
  kDone = 0,
  kNegativeAnswer = 1,  // mismatches found, run not finished
  kBadInput = 2,        // usage or input
  kMachine = 3,         // disk, permissions, memory
};

// Adds the command's options to `app`, to be filled by parsing, and returns what runs it.
using Command = std::function<int()>(CLI::App& app);

Command LanguagesCommand, ShowCommand, ClassifyCommand, SampleCommand, RecognizeCommand,
    EditDistanceCommand, GenerateCommand, VerifyCommand, BaselinesCommand, TrainCommand,
    EvaluateCommand, PredictCommand, StatesCommand, ExtractCommand, ScoreCommand, SweepCommand,
    PapersCommand, ReportCommand, PlotCommand, TourCommand, DoctorCommand, CompletionCommand,
    ManCommand;

// Returns the help for a language argument: "a name, regex:PATTERN or att:FILE" for "a name".
std::string LanguageForms(const std::string& names);

// `--alphabet`, `--symbols` and others: how a definition is to be read.
void AddLanguageOptions(CLI::App& app, ResolveOptions& options);

// The argument LANG and the options that say how to read it, for every command that takes one.
class LanguageArgument {
 public:
  explicit LanguageArgument(CLI::App& app);
  NamedLanguage Resolve() const { return ResolveLanguage(text_, options_); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  ResolveOptions options_;
};

// An option that takes a decimal number from 0. CLI11 alone would read -1 as 2^64 − 1 and 010 as 8.
CLI::Option* AddCount(CLI::App& app, const std::string& name, std::uint64_t& value,
                      const std::string& help);

// `--min-length A --max-length B`, by default those of the paper's training split.
class LengthRangeOption {
 public:
  explicit LengthRangeOption(CLI::App& app);
  // Throws InputError if the range is the wrong way round or absurdly long.
  LengthRange Get() const;

 private:
  LengthRange range_{0, 40};
  CLI::Option* max_;
};

// Strings from a file or standard input, one per line, all checked before anything is answered.
class StringsArgument {
 public:
  explicit StringsArgument(CLI::App& app);
  std::vector<String> Read(const Alphabet& alphabet) const;
  // A string that has an unknown symbol is read as nothing.
  std::vector<std::optional<String>> ReadKnown(const Alphabet& alphabet) const;

 private:
  std::string file_ = "-";
};

// The arguments DIR… of commands on datasets, and what they take their language to be.
class DatasetsArgument {
 public:
  explicit DatasetsArgument(CLI::App& app);
  const std::vector<std::string>& directories() const { return directories_; }
  bool IsKnown(const std::string& directory) const {
    return !language_.empty() || HasKnownLanguage(directory);
  }
  DatasetLanguage Find(const std::string& directory) const {
    return FindDatasetLanguage(directory, language_, options_);
  }
  const ResolveOptions& options() const { return options_; }

 private:
  std::vector<std::string> directories_;
  std::string language_;
  ResolveOptions options_;
};

// Writes data to stdout; throws IoError if that fails (a full disk behind a redirection).
void Print(const std::string& text);
// Prints and empties what has gathered once it is large, so that many answers need little memory.
void PrintIfLarge(std::string& text);

}  // namespace flare

#endif  // FLARE_CLI_COMMAND_H_
