#include "support/installed.h"

#include "support/shell.h"

namespace flare {

bool Installed(const std::string& program) {
  return RunShell("PATH=$PATH:/usr/sbin; command -v " + program).exit_code == 0;
}

}  // namespace flare
