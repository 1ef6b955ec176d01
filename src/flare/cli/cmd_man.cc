// flare man: the manual page, to be read by man: flare man | man -l -

#include "flare/base/json.h"
#include "flare/cli/command.h"
#include "flare/cli/command_tree.h"

namespace flare {

std::function<int()> ManCommand(CLI::App& app) {
  return [&app] {
    Print(ManualPage(Describe(*app.get_parent()), Version()));
    return static_cast<int>(kDone);
  };
}

}  // namespace flare
