// checkpoint.safetensors: the state of an unfinished run, enough to continue as if nothing had
// happened. Batches and dropout masks need no state: they are named by (seed, epoch) and (seed,
// step).

#ifndef FLARE_TRAINING_CHECKPOINT_H_
#define FLARE_TRAINING_CHECKPOINT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/model.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/schedule.h"
#include "flare/runs/events.h"
#include "flare/training/stopping.h"

namespace flare {

// The state of training between two steps.
struct TrainingProgress {
  std::size_t epoch = 1;       // the current epoch, from 1
  std::size_t next_batch = 0;  // the next minibatch of that epoch
  std::size_t examples = 0;    // seen since the beginning
  std::size_t examples_since_checkpoint = 0;
  // The epoch under way: how many examples it has seen, and sums over them.
  struct Epoch {
    std::size_t examples = 0;
    std::size_t steps = 0;
    double loss = 0, recognition = 0;
    std::vector<double> terms;  // of each auxiliary term of the model; empty before its first step
    double seconds = 0;
  } in_epoch;
  Schedule::State schedule;
  StoppingState stopping;
  struct Best {
    std::size_t epoch = 0;
    Figures figures = {};  // the validation split's
  };
  std::optional<Best> best;
  std::string stop_reason;  // empty while training continues
  double training_seconds = 0;
  double seconds = 0;  // spent on this run, without interruptions
  double cpu_seconds = 0;
  EventsPrefix events;  // what the log had recorded
  // The run's config.json, with its data by hash, so that a checkpoint continues no other run.
  // Version 0.2 recorded only the seed.
  std::string config;
  std::optional<std::uint64_t> seed02;
};

// Values of the model's parameters at the best checkpoint; empty if there is none yet.
using BestParameters = FloatArray;

std::string FormatCheckpoint(const TrainingProgress& progress, const Model& model,
                             const Optimizer& optimizer, const BestParameters& best);

// Sets model and optimizer too. Throws InputError naming `file` if a bit of it is not what was
// written.
TrainingProgress ParseCheckpoint(std::string_view bytes, const std::string& file, Model& model,
                                 Optimizer& optimizer, BestParameters& best);

}  // namespace flare

#endif  // FLARE_TRAINING_CHECKPOINT_H_
