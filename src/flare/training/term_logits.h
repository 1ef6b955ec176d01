// Measures the heads of another program's model (docs/how-to/external-models.md) as our own are
// measured.

#ifndef FLARE_TRAINING_TERM_LOGITS_H_
#define FLARE_TRAINING_TERM_LOGITS_H_

#include <filesystem>
#include <vector>

#include "flare/data/flare_files.h"
#include "flare/nn/loss_terms.h"
#include "flare/training/state_tracker.h"

namespace flare {

// The scores of all examples, in the split's order, from a file of logits: a row for every prefix
// of every string. The tracker is needed by terms that need states. Throws InputError if the file
// has another shape, or a number that is not finite.
std::vector<TermScore> ScoreTermLogits(const LossTermInfo& term, const std::filesystem::path& file,
                                       const Split& split, const StateTracker* tracker);

}  // namespace flare

#endif  // FLARE_TRAINING_TERM_LOGITS_H_
