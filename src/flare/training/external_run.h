// Runs that another program trains (docs/reference/external-programs.md). We tell the program what
// to train, and measure its answers as we measure those of our own models.

#ifndef FLARE_TRAINING_EXTERNAL_RUN_H_
#define FLARE_TRAINING_EXTERNAL_RUN_H_

#include <filesystem>
#include <vector>

#include "flare/data/flare_files.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/external.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "flare/training/run_data.h"

namespace flare {

// Returns the plan of the run. Settings that are not given are drawn as for our own runs. Throws
// InputError.
RunConfig MakeExternalConfig(const External& external, const SettingTexts& given,
                             const RunData& data);

// Writes config.json for what another program has trained, or makes sure that the one there agrees.
void DescribeExternal(const OwnedRun& run, const RunConfig& config);
// Removes the result and the logits of an earlier attempt.
void RemoveAnswers(const OwnedRun& run);
// Does what DescribeExternal does before the program starts, and removes the logits of earlier
// attempts. Throws InputError if a checkpoint or logits exist before the run begins, since they
// cannot be the run's.
void BeginExternal(const OwnedRun& run, const RunConfig& config);
// Removes what a program has left of an unfinished run. Throws InputError unless that run is this
// one.
void RestartExternal(const OwnedRun& run, const RunConfig& config);

// Reads the logits of every split, and writes metrics and result.json: for recognition, and for the
// terms of the loss that have logits. Throws InputError if a split has none, not one per example,
// or one that is not finite; also if a term has them for only some splits.
RunResult ScoreExternal(const OwnedRun& run, const RunConfig& config);
// Does the same for a run that BeginExternal began, and removes its checkpoints.
RunResult FinishExternal(const OwnedRun& run, const RunConfig& config);

// Measures the heads of another program's model as our own are measured. The scores of all
// examples, in the split's order, from a file of logits: a row for every prefix of every string.
// The tracker is needed by terms that need states. Throws InputError if the file has another shape,
// or a number that is not finite.
std::vector<TermScore> ScoreTermLogits(const LossTermInfo& term, const std::filesystem::path& file,
                                       const Split& split, const StateTracker* tracker);

}  // namespace flare

#endif  // FLARE_TRAINING_EXTERNAL_RUN_H_
