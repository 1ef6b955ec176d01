// result.json: how a run ended. It is written last: a run is finished if and only if it exists.

#ifndef FLARE_RUNS_RESULT_H_
#define FLARE_RUNS_RESULT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/metrics.h"
#include "flare/runs/recipe.h"

namespace flare {

// Why training ended.
inline constexpr std::string_view kNoImprovement = "no improvement";
inline constexpr std::string_view kEpochLimit = "epoch limit";
inline constexpr std::string_view kStepLimit = "step limit";
inline constexpr std::string_view kTargetReached = "target reached";
inline constexpr std::string_view kNotFinite = "not finite";

inline constexpr std::uint64_t kResultFormat = 1;

struct RunResult {
  bool diverged = false;
  std::string stop_reason;
  std::size_t epochs = 0;
  std::size_t steps = 0;
  // The checkpoint that was chosen; nothing if the run diverged before its first.
  struct Best {
    std::size_t epoch = 0;
    // Figures of recognition; nothing if it is not a term of the loss.
    std::optional<double> cross_entropy = {}, accuracy = {};
    Figures others = {};  // the validation split's other figures
    // A figure by its name in result.json.
    std::optional<double> Find(std::string_view figure) const;
  };
  std::optional<Best> best;
  std::size_t parameters = 0;
  double seconds = 0;
  std::optional<double> cpu_seconds;  // some early records have none
  double training_seconds = 0;
  double examples_per_second = 0;
  std::string model_sha256;  // empty if there is no model
  // Splits in the order of the file. A split has no metrics if it is empty or there is no model.
  std::vector<std::pair<std::string, std::optional<SplitMetrics>>> splits;
  // The SHA-256 of every file of the run but result.json, by its path in the run's directory. Runs
  // of version 0.2 have the first 16 digits, and records have no files.
  std::map<std::string, std::string> files = {};

  // What it cost: processor time. Other users of a machine make a run longer, not more expensive.
  double core_seconds() const { return cpu_seconds.value_or(seconds); }
  std::string outcome() const { return diverged ? "diverged" : "finished"; }
  // Would it continue under a higher limit? Then it keeps its checkpoint.
  bool ended_by_limit() const { return stop_reason == kEpochLimit || stop_reason == kStepLimit; }
  // Null if there is nothing of that split.
  const SplitMetrics* Split(std::string_view name) const;
  // A scalar of a split, if it is there.
  std::optional<double> Metric(std::string_view split, std::string_view scalar) const;
};

// The figures of a checkpoint that was chosen.
RunResult::Best MakeBest(std::size_t epoch, const Figures& figures);

// Returns the best epoch of an external program's run: the one that the program says, else its
// last, with the metrics that its logits give on the validation split. Returns nothing if the run
// has no epochs.
std::optional<RunResult::Best> MeasuredBest(const RunResult& result, std::string_view validation);

// The split that tables measure on: "test", the paper's long test set, or, if the data has another
// preset's splits, the first whose name begins with that.
std::string TestSplitOf(const RunResult& result);

Json ResultToJson(const RunResult& result);
// Throws InputError for what no run can have written.
RunResult ResultFromJson(const JsonValue& json);

}  // namespace flare

#endif  // FLARE_RUNS_RESULT_H_
