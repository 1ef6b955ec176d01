// Whether two finished runs that should be the same are.

#ifndef FLARE_RUNS_RUN_OUTCOME_H_
#define FLARE_RUNS_RUN_OUTCOME_H_

#include <string>

#include "flare/runs/names.h"
#include "flare/runs/result.h"
#include "flare/runs/run_config.h"

namespace flare {

// What was to be done, and what came out.
struct RunOutcome {
  const RunConfig& config;
  const RunResult& result;
};

// "model_sha256 is …, not …" for the first thing in which two runs of the same coordinates differ;
// empty if they do not. Where and when one was made, and how long that took, does not count. Scores
// of a split that only one has do not count either, unless there is no model: then they are all
// that is.
std::string OutcomeDifference(const RunOutcome& there, const RunOutcome& here, const Names& names);

}  // namespace flare

#endif  // FLARE_RUNS_RUN_OUTCOME_H_
