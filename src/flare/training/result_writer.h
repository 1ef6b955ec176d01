// Finishes a run, ours or another program's: writes the files of its evaluation, then result.json,
// which lists the SHA-256 of every file of the run. A run that is interrupted before result.json
// exists is not finished, and does all of this again.

#ifndef FLARE_TRAINING_RESULT_WRITER_H_
#define FLARE_TRAINING_RESULT_WRITER_H_

#include <cstddef>
#include <optional>
#include <string>

#include "flare/runs/events.h"
#include "flare/runs/result.h"
#include "flare/runs/run_directory.h"
#include "flare/training/measure.h"

namespace flare {

// Which splits get a line per example without being asked for it.
inline bool KeepsExamples(const std::string& split) {
  return split == "test" || split == "test-edit-distance";
}

// How many of the hardest examples of a split are kept, for reports to show.
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

#endif  // FLARE_TRAINING_RESULT_WRITER_H_
