// Verifies the checks that version 0.2 wrote beside those of base/json.h. Nothing here writes:
// since then result.json lists the SHA-256 of every file of its run, and a checkpoint names the
// hash of the events and the configuration that it belongs to.

#ifndef FLARE_RUNS_VERSION_0_2_H_
#define FLARE_RUNS_VERSION_0_2_H_

#include <map>
#include <string>
#include <string_view>

#include "flare/base/json.h"

namespace flare {

// RunResult::files of a result.json of version 0.2, which had two lists of 16 digits each:
// "evaluation_files", by their names in eval/, and "run_files".
std::map<std::string, std::string> FilesInResult02(const JsonValue& result);

// Each line of events.jsonl ended with a member "check": 16 digits of the SHA-256 of all lines
// before it and of this one without it. Throws InputError for the first line whose check is wrong,
// or missing. The last line may lack its newline; then it is not looked at.
void VerifyEvents02(std::string_view text, const std::string& file);

}  // namespace flare

#endif  // FLARE_RUNS_VERSION_0_2_H_
