// Completions of shells, from what the commands declare.

#ifndef FLARE_CLI_COMPLETION_H_
#define FLARE_CLI_COMPLETION_H_

#include <functional>
#include <string>
#include <vector>

#include "flare/cli/command_tree.h"

namespace flare {

// The words that an option's value may be, if they are few and known; else nothing.
using ValueWords = std::function<std::vector<std::string>(const OptionInfo& option)>;

std::string BashCompletion(const CommandInfo& root, const ValueWords& words);
std::string ZshCompletion(const CommandInfo& root, const ValueWords& words);
std::string FishCompletion(const CommandInfo& root, const ValueWords& words);

}  // namespace flare

#endif  // FLARE_CLI_COMPLETION_H_
