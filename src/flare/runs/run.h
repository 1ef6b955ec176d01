// One run: where it is, what it is meant to do, how far it has come, what came out, and what is
// wrong with it. Workers, collect, report and Python all read runs here in the same way, so that
// none of them counts what another would refuse; status, which is asked often, reads less.
//
// A fault is recorded with the run that has it: one run never stops a reader of a sweep.

#ifndef FLARE_RUNS_RUN_H_
#define FLARE_RUNS_RUN_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/coordinates.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/grid.h"
#include "flare/runs/metrics.h"
#include "flare/runs/result.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/sweep_file.h"

namespace flare {

// Data of a run for the figures of a report: accuracy by length and by edit distance, and the
// course of training. A part is empty if the run lacks its file.
struct RunCurves {
  std::vector<LengthPoint> lengths;  // test set, at multiples of 10
  std::vector<ExampleRow> edits;     // edit-distance test set, one per example
  std::vector<CurvePoint> training;  // a point per checkpoint
};

// Throws InputError.
RunCurves ReadCurves(const RunDirectory& run, const RunResult& result, JsonReader& reader);

// Thins a curve to at most `most` + 2 points, which always include the last and the best one.
std::vector<CurvePoint> Thinned(const std::vector<CurvePoint>& curve, std::size_t most);

struct Run {
  std::filesystem::path path = {};  // its directory; empty if it is a line of records
  Coordinates at = {};              // its place in the grid of its sweep, if it has one
  RunState state = RunState::kLeft;
  std::string owner = {};  // who works on it, if somebody does
  // If the run has begun, and the file was read and is intact.
  std::optional<RunConfig> config = {};
  std::optional<RunResult> result = {};  // if and only if it is finished or diverged
  std::string fault = {};                // why it failed, or what is damaged
  // Read from a record instead of files, whenever somebody asks: of 50,000 runs the curves would
  // fill the memory.
  std::function<RunCurves()> curves = nullptr;
  // What the record was made from, if not from a run's directory: "runs.csv", which has no curves.
  std::string imported = {};
};

// How much of a run's directory is read.
enum class RunReading {
  // Whether the run is the one that belongs there, and its result is that of its config.json.
  kVerified,
  // Of a finished run result.json alone, which is to be whole; Run::config stays empty. So a
  // finished run that was copied to the place of another counts as that one.
  kResultAlone,
};

// Reads the run in a directory. If the directory belongs to a sweep, the run must be the one that
// the grid has there. Throws InputError if the directory holds no run.
Run ReadRun(const std::filesystem::path& directory);

// A run as the grid of its sweep plans it. Its settings are parsed once, when they are first
// needed, so keep the PlannedRun of a run that you look at repeatedly.
class PlannedRun {
 public:
  // The sweep must outlive this object.
  PlannedRun(const Sweep& sweep, Coordinates at) : sweep_(&sweep), at_(std::move(at)) {}

  const Coordinates& at() const { return at_; }

  // Reads the run from the sweep's directory, which must not be one of records. A run counts as
  // running only if the process that holds its lock may be alive.
  Run Read(RunReading reading = RunReading::kVerified);

  // Returns how a run differs from the planned one or its data from the data of the plan, as "seed
  // is 1, not 2"; empty if it does not.
  std::string DifferenceFrom(const RunConfig& config);

 private:
  const Sweep* sweep_;
  Coordinates at_;
  std::optional<RunSettings> settings_;
};

// Do two sweeps plan the same run at a place that both have? Then a run that belongs to the first
// belongs to the second, without its settings being parsed again.
bool PlanTheSameRun(const Sweep& first, const Sweep& second, const Coordinates& at);

// Reads a run once.
inline Run ReadRunAt(const Sweep& sweep, Coordinates at) {
  return PlannedRun(sweep, std::move(at)).Read();
}

// Reads all runs that match the filter, in the order of the grid, from a sweep's directory or from
// records, which are always verified.
std::vector<Run> ReadRuns(const Sweep& sweep, const RunFilter& filter = {},
                          RunReading reading = RunReading::kVerified);

// Returns how two finished runs of the same coordinates differ, as "model_sha256 is …, not …";
// empty if they agree. Ignores where and when a run was made and how long it took. Ignores the
// scores of a split that only one of them has, unless neither has a model, so that there is nothing
// else to compare.
std::string OutcomeDifference(const Run& there, const Run& here);

}  // namespace flare

#endif  // FLARE_RUNS_RUN_H_
