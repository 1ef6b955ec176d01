#include "flare/report/whole_trials.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace flare::report {

std::string WholeTrials::Note() const {
  if (whole == trials) return "";
  if (whole == 0) return "No trial is done at every point of the grid yet: all runs count.";
  return fmt::format("Only trials that are done at every point of the grid count: {} of {}.", whole,
                     trials);
}

WholeTrials KeepWholeTrials(Sweep& sweep) {
  std::set<std::size_t> all, partial;
  for (const Run& run : sweep.runs) {
    all.insert(run.at.trial);
    if (!run.result) partial.insert(run.at.trial);
  }
  WholeTrials kept{.whole = all.size() - partial.size(), .trials = all.size()};
  if (kept.whole == 0) return kept;
  for (Run& run : sweep.runs) {
    if (!run.result || !partial.contains(run.at.trial)) continue;
    ++sweep.left_out;
    Run left;
    left.at = run.at;
    left.cohort = run.cohort;
    left.directory = run.directory;
    left.test_split = run.test_split;
    run = std::move(left);
  }
  return kept;
}

}  // namespace flare::report
