// Runs another program and waits for it.

#ifndef FLARE_BASE_SUBPROCESS_H_
#define FLARE_BASE_SUBPROCESS_H_

#include <optional>
#include <string>
#include <vector>

namespace flare {

struct SubprocessResult {
  int exit_code = 0;  // 128 + the signal if one ended it
  std::string output, errors;
};

// The program is looked up on the PATH; no shell is involved. Nothing if there is no such program.
// Throws IoError if it cannot be started for another reason.
std::optional<SubprocessResult> RunProgram(const std::vector<std::string>& arguments);

}  // namespace flare

#endif  // FLARE_BASE_SUBPROCESS_H_
