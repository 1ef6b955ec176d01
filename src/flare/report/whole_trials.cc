#include "flare/report/whole_trials.h"

#include <fmt/format.h>

#include <set>

namespace flare::report {
namespace {

Run LeftOut(const Run& run) {
  Run left;
  left.at = run.at;
  left.cohort = run.cohort;
  left.directory = run.directory;
  left.test_split = run.test_split;
  left.left_out = true;
  return left;
}

}  // namespace

void MarkPartialTrials(Study& study) {
  std::set<std::size_t> all, partial;
  for (const Run& run : study.runs) {
    all.insert(run.at.trial);
    if (!run.result) partial.insert(run.at.trial);
  }
  if (partial.empty()) return;
  const std::size_t whole = all.size() - partial.size();
  if (whole == 0) {
    study.note = "No trial is done at every point of the grid yet: all runs count.";
    return;
  }
  // The same until another trial is whole, however many runs come in.
  study.note = fmt::format("Only trials that are done at every point of the grid count: {} of {}.",
                           whole, all.size());
  for (Run& run : study.runs) {
    run.left_out = run.result && partial.contains(run.at.trial);
  }
}

void DropLeftOut(Study& study) {
  for (Run& run : study.runs) {
    if (run.left_out) run = LeftOut(run);
  }
}

}  // namespace flare::report
