// Runs a model over a split, and measures its answers to every example.

#ifndef FLARE_TRAINING_MEASURE_H_
#define FLARE_TRAINING_MEASURE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/matching.h"
#include "flare/data/flare_files.h"
#include "flare/nn/model.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/metrics.h"
#include "flare/runs/recipe.h"
#include "flare/runs/result.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "flare/training/run_data.h"

namespace flare {

// Thrown to leave a computation that was asked to stop.
struct Stopped {
  std::string reason;
};

// Called now and then; if not empty, the reason to stop.
using StopRequest = std::function<std::string()>;

// The scores of all examples, in the split's order; those of state tracking if there is a tracker.
// Throws Stopped.
ModelScores ScoreSplit(Model& model, const Split& split, const StateTracker* tracker = nullptr,
                       const StopRequest& stop = nullptr);

// Measures the validation split at a checkpoint: only recognition accuracy and cross-entropy, as in
// the paper, unless the run selects or stops by another figure; then all figures of its loss.
class Validator {
 public:
  // Are all figures wanted? Then the split needs the data of all terms.
  static bool WantsAll(const RunSettings& settings);
  // The split, and the tracker that a term may need, must outlive it.
  Validator(const Split& split, const RunSettings& settings, const StateTracker* tracker);

  Figures Validate(Model& model);

 private:
  Figures Recognition(Model& model);
  Figures All(Model& model);

  const Split& split_;
  const StateTracker* tracker_;
  std::vector<double> coefficients_;
  bool wants_all_, looks_at_negatives_;
  // Batches for recognition alone, which are made once.
  struct Part {
    Batch batch;
    std::vector<std::uint32_t> examples;
  };
  std::vector<Part> parts_;
  std::vector<std::uint8_t> labels_;
  // Logits of the whole split, so that sums run in its order, as everywhere.
  std::vector<float> logits_, part_logits_;
};

// The examples with the highest cross-entropy, the worst first.
std::vector<std::size_t> HardestExamples(const Split& split, const std::vector<float>& logits,
                                         std::size_t count);

// Returns the hardest examples, with the probability of acceptance after every prefix.
std::vector<HardExample> Hardest(Model& model, const Split& split, const Alphabet& alphabet,
                                 const std::vector<float>& logits, std::size_t count);

// The contents of a split's files in eval/.
struct Evaluation {
  SplitMetrics metrics;
  std::string examples;              // eval/SPLIT.jsonl
  std::vector<HardExample> hardest;  // as many as were asked for
};
// `format` is as for Measure. Requires: at least one example. Throws Stopped.
Evaluation EvaluateSplit(Model& model, const std::string& name, const Split& split,
                         const Alphabet& alphabet, std::size_t hardest,
                         const StateTracker* tracker = nullptr, const StopRequest& stop = nullptr,
                         const Matcher* format = nullptr);

// Measures a recognizer on a split, from its answers to every example.

// Accept iff p ≥ ½, that is, iff the logit is ≥ 0.
inline bool Accepts(float logit) { return logit >= 0; }

// Recognition cross-entropy of one example.
double CrossEntropy(float logit, bool label);

// p(accept) of a logit.
double Probability(float logit);

// `scores` has an entry per example, in the split's order, of a model with these terms; of one that
// does not recognize, only what the terms say is measured. With `format`, which accepts the strings
// with the format of members, wrong answers on strings without the format are counted apart from
// the others. Requires: at least one example.
SplitMetrics Measure(const std::string& name, const Split& split, const ModelScores& scores,
                     const std::vector<std::string>& terms, const Matcher* format = nullptr);

// The contents of eval/SPLIT.jsonl.
std::string ExamplesToJsonl(const Split& split, const ModelScores& scores,
                            const std::vector<std::string>& terms);

// Finishes a run, ours or another program's: writes the files of its evaluation, then result.json,
// which lists the SHA-256 of every file of the run. A run that is interrupted before result.json
// exists is not finished, and does all of this again.

// Does a split get a line per example without being asked for it?
inline bool KeepsExamples(const std::string& split) {
  return split == "test" || split == "test-edit-distance";
}

// Returns the number of hardest examples of a split that are kept for reports.
inline std::size_t NumHardest(const std::string& split) { return split == "test" ? 5 : 0; }

class ResultWriter {
 public:
  // All must outlive it.
  ResultWriter(const OwnedRun& run, EventLog& events, RunResult& result)
      : run_(run), events_(events), result_(result) {}

  // Adds a split to the result and writes its files in eval/. Pass nothing if the split is empty or
  // there is no model. `seconds` is how long the evaluation took. Throws RunLost, IoError.
  void Add(const std::string& split, const std::optional<Evaluation>& evaluation, double seconds);
  // Ends events.jsonl.
  void EndEvents();
  // Writes result.json. Throws RunLost, IoError.
  void Write();

 private:
  void WriteEvaluation(const std::string& name, const std::string& text);

  const OwnedRun& run_;
  EventLog& events_;
  RunResult& result_;
};

}  // namespace flare

#endif  // FLARE_TRAINING_MEASURE_H_
