// What figures show of a run besides its scores: along lengths, edit distances and epochs.

#ifndef FLARE_RUNS_CURVES_H_
#define FLARE_RUNS_CURVES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/metrics.h"
#include "flare/runs/run_directory.h"

namespace flare {

// A part whose file the run does not have is empty.
struct RunCurves {
  std::vector<LengthPoint> lengths;  // test set, at multiples of 10
  std::vector<ExampleRow> edits;     // edit-distance test set, one per example
  std::vector<CurvePoint> training;  // a point per checkpoint
};

// Throws InputError.
RunCurves ReadCurves(const RunDirectory& run, const RunResult& result, JsonReader& reader);

// At most `most` points and two more: the last one and the best are always among them.
std::vector<CurvePoint> Thinned(const std::vector<CurvePoint>& curve, std::size_t most);

}  // namespace flare

#endif  // FLARE_RUNS_CURVES_H_
