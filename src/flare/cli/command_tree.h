// What the commands declare, as plain data. Completions and the manual are made from it, so that
// they say what the program does.

#ifndef FLARE_CLI_COMMAND_TREE_H_
#define FLARE_CLI_COMMAND_TREE_H_

#include <functional>
#include <string>
#include <vector>

#include "flare/cli/command.h"

namespace flare {

struct OptionInfo {
  std::vector<std::string> names;  // "--jobs", "-j"; for an argument, only its name: "LANG"
  bool is_argument = false;
  bool is_required = false;
  bool repeats = false;
  std::string value;                 // what it takes: "FILE", "NUMBER"; empty for a flag
  std::vector<std::string> choices;  // if it takes one of these only
  std::string help;
  std::string default_value;
};

struct CommandInfo {
  std::string name;  // the last word
  std::string path;  // all words: "flare sweep run"
  std::string summary;
  std::vector<OptionInfo> options;  // arguments among them, in the order of their declaration
  std::vector<CommandInfo> subcommands;
};

// Describes a command and all commands below it.
CommandInfo Describe(const CLI::App& app);

// Calls visit(command) for a command and all below it, parents first.
template <class Visit>
void ForEachCommand(const CommandInfo& command, Visit visit) {
  visit(command);
  for (const CommandInfo& sub : command.subcommands) ForEachCommand(sub, visit);
}

// The manual: flare(1) in the macros of man(7).
std::string ManualPage(const CommandInfo& root, const std::string& version);

// The words that an option's value may be, if they are few and known; else nothing.
using ValueWords = std::function<std::vector<std::string>(const OptionInfo& option)>;

std::string BashCompletion(const CommandInfo& root, const ValueWords& words);
std::string ZshCompletion(const CommandInfo& root, const ValueWords& words);
std::string FishCompletion(const CommandInfo& root, const ValueWords& words);

}  // namespace flare

#endif  // FLARE_CLI_COMMAND_TREE_H_
