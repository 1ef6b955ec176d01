// The curves and dots behind the figures of a language: those of the runs that figures show.

#ifndef FLARE_REPORT_FIGURE_DATA_H_
#define FLARE_REPORT_FIGURE_DATA_H_

#include <string>
#include <vector>

#include "flare/base/json_reader.h"
#include "flare/report/select.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/metrics.h"

namespace flare::report {

// What one run contributes; a part whose file the run does not have is empty.
struct RunFigures {
  const Run* run = nullptr;
  std::vector<LengthPoint> lengths;  // long test set, at multiples of 10
  std::vector<ExampleRow> edits;     // edit-distance test set, one per example
  std::vector<CurvePoint> training;  // a point per checkpoint
};

RunFigures ReadRunFigures(const Run& run, JsonReader& reader);

// The run that figures show, per architecture, in the order of the tables; architectures without
// one are left out.
std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            JsonReader& reader);

}  // namespace flare::report

#endif  // FLARE_REPORT_FIGURE_DATA_H_
