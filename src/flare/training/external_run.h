// A run that another program trains (docs/how-to/external-models.md): we say what it is to do, and
// measure what it says about every string, as we do for our own models.

#ifndef FLARE_TRAINING_EXTERNAL_RUN_H_
#define FLARE_TRAINING_EXTERNAL_RUN_H_

#include <filesystem>

#include "flare/runs/external.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "flare/training/run_data.h"

namespace flare {

// What the run is to be; settings that are not given are drawn as for our own. Throws InputError.
RunConfig MakeExternalConfig(const External& external, const SettingTexts& given,
                             const RunData& data);

// Writes config.json, or makes sure that it is this one: of what another program has trained.
void DescribeExternal(const OwnedRun& run, const RunConfig& config);
// Removes the result and the logits of an earlier attempt.
void RemoveAnswers(const OwnedRun& run);
// The same as DescribeExternal before the program begins; an attempt at an unfinished run begins
// without the logits of earlier ones. Throws InputError if there is a checkpoint or a logit before
// the run is begun, which cannot be the run's.
void BeginExternal(const OwnedRun& run, const RunConfig& config);
// Removes what a program has left of a run that is begun and not finished, which then is this one.
void RestartExternal(const OwnedRun& run, const RunConfig& config);

// Reads the logits of every split, and writes metrics and result.json: for recognition, and for the
// terms of the loss that have logits. Throws InputError if a split has none, not one per example,
// or one that is not finite; also if a term has them for only some splits.
RunResult ScoreExternal(const OwnedRun& run, const RunConfig& config);
// The same of a run that BeginExternal began, whose checkpoints then go.
RunResult FinishExternal(const OwnedRun& run, const RunConfig& config);

}  // namespace flare

#endif  // FLARE_TRAINING_EXTERNAL_RUN_H_
