// The manual, from what the commands declare.

#ifndef FLARE_CLI_MANUAL_H_
#define FLARE_CLI_MANUAL_H_

#include <string>

#include "flare/cli/command_tree.h"

namespace flare {

// flare(1) in the macros of man(7).
std::string ManualPage(const CommandInfo& root, const std::string& version);

}  // namespace flare

#endif  // FLARE_CLI_MANUAL_H_
