// Words of a command line that a shell reads as they are.

#ifndef FLARE_BASE_SHELL_QUOTED_H_
#define FLARE_BASE_SHELL_QUOTED_H_

#include <string>

namespace flare {

// In quotes, unless it has only characters that need none.
std::string ShellQuoted(const std::string& word);

}  // namespace flare

#endif  // FLARE_BASE_SHELL_QUOTED_H_
