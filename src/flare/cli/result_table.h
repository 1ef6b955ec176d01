// The metrics of a finished run, as a table for people.

#ifndef FLARE_CLI_RESULT_TABLE_H_
#define FLARE_CLI_RESULT_TABLE_H_

#include <string>

#include "flare/runs/result.h"

namespace flare {

// A line per split; dashes where there is no value.
std::string ResultTable(const RunResult& result);

}  // namespace flare

#endif  // FLARE_CLI_RESULT_TABLE_H_
