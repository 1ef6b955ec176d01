// events.jsonl: what happened in a run, one JSON object per line.
//
// Lines are appended as they come. A checkpoint records how long the file was and the hash of that
// much of it; a resumed run starts a new file with that much of the old one, so that what it does
// again is not recorded twice. The old one is not truncated: a process that was suspended and lost
// the run may still have it open.

#ifndef FLARE_RUNS_EVENTS_H_
#define FLARE_RUNS_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/runs/recipe.h"

namespace flare {

// "start": the run has begun.
struct StartEvent {
  std::size_t parameters = 0;      // the parameters that the budget counts
  std::size_t all_parameters = 0;  // all, with those of auxiliary heads
  std::size_t examples = 0;        // the size of the training set
  std::size_t steps_per_epoch = 0;
};

// "epoch": means over the examples of an epoch, each measured before the step it led to.
struct EpochEvent {
  std::size_t epoch = 0;  // from 1
  std::size_t examples = 0;
  std::size_t steps = 0;
  double seconds = 0;
  double examples_per_second = 0;
  double loss = 0;
  std::optional<double> recognition_loss = {};  // nothing if it is not a term of the loss
  // The loss of every other term, by its key; nothing if the loss does not have it.
  std::vector<std::pair<std::string, std::optional<double>>> term_losses;
};

// "checkpoint": the model as the validation set sees it.
struct CheckpointEvent {
  std::size_t epoch = 0;
  std::size_t examples = 0;  // seen so far
  double learning_rate = 0;  // the rate of the last step
  bool is_best = false;
  // These two are of recognition: NaN if the loss does not have it, or the file lacks them.
  double cross_entropy = 0;
  double accuracy = 0;
  Figures others = {};  // other figures that were measured
};

// "evaluation": the chosen model on a split.
struct EvaluationEvent {
  std::string split;
  Figures figures;  // of recognition, or of the terms instead
  double seconds = 0;
};

// "finish".
struct FinishEvent {
  std::string outcome;
  std::string stop_reason;
  std::size_t epochs = 0;
  std::optional<std::size_t> best_epoch;
};

// The part of events.jsonl that a checkpoint was made with.
struct EventsPrefix {
  std::uint64_t size = 0;
  std::string sha256;  // empty if unknown: version 0.2 checked each line instead
};

// The lines of that prefix. Throws InputError if the file is shorter, or its beginning is not what
// the checkpoint was made with.
std::string ReadEvents(const std::string& path, const EventsPrefix& prefix);

class EventLog {
 public:
  // Replaces the file by one that begins with the lines `kept`. Throws IoError.
  explicit EventLog(const std::string& path, std::string_view kept = {});
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  void Append(const StartEvent& event);
  void Append(const EpochEvent& event);
  void Append(const CheckpointEvent& event);
  void Append(const EvaluationEvent& event);
  void Append(const FinishEvent& event);
  // Makes what was appended durable.
  void Sync();
  // All that was written so far.
  EventsPrefix written() const { return {size_, hash_.HexWith("")}; }

 private:
  // Adds {"event": name, "time": now, ...fields}.
  void Append(const std::string& name, const Json& fields);

  std::string path_;
  int fd_;
  std::uint64_t size_;
  Sha256Stream hash_;
};

// A checkpoint of a run, with the training loss of the epoch before it: NaN if there was none.
struct CurvePoint {
  CheckpointEvent checkpoint;
  double loss = 0;
};

// What the events say about the training as a whole; 0, empty or nothing where they do not say.
struct TrainingSummary {
  std::size_t parameters = 0;
  std::size_t epochs = 0, steps = 0, examples = 0;
  double training_seconds = 0;
  double seconds = 0;                   // the time of all work, epochs included
  std::optional<CheckpointEvent> best;  // the last checkpoint that was the best
  std::string stop_reason;              // from the event "stop", which other programs write
  std::uint64_t size = 0;               // the length of the text without what evaluation appended
};
// Throws InputError.
TrainingSummary Summarize(std::string_view events, const std::string& file, JsonReader& reader);

// The learning curve in the text of events.jsonl. Throws InputError.
std::vector<CurvePoint> ReadCurve(std::string_view events, const std::string& file,
                                  JsonReader& reader);

}  // namespace flare

#endif  // FLARE_RUNS_EVENTS_H_
