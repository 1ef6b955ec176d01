// The metrics of a finished run, as a table for people.

#ifndef FLARE_CLI_RESULT_TABLE_H_
#define FLARE_CLI_RESULT_TABLE_H_

#include <span>
#include <string>

#include "flare/data/baselines.h"
#include "flare/runs/result.h"

namespace flare {

// A line per split; dashes where there is no value. Beside the accuracy stand those of the trivial
// recognizers, if there are any.
std::string ResultTable(const RunResult& result, std::span<const BaselineRow> baselines = {});

}  // namespace flare

#endif  // FLARE_CLI_RESULT_TABLE_H_
