// The curves and dots behind the figures of a language: those of the runs that figures show.

#ifndef FLARE_REPORT_FIGURE_DATA_H_
#define FLARE_REPORT_FIGURE_DATA_H_

#include <string>
#include <vector>

#include "flare/report/run_files.h"
#include "flare/report/select.h"

namespace flare::report {

// What one run contributes.
struct RunFigures {
  const Run* run = nullptr;
  std::vector<LengthPoint> lengths;  // long test set, at multiples of 10
  std::vector<ExampleRow> edits;     // edit-distance test set, one per example
  std::vector<CurvePoint> training;  // a point per checkpoint
};

RunFigures ReadRunFigures(const Run& run, RunFiles& files);

// The run with the highest test accuracy, per architecture, in the order of the tables;
// architectures without one are left out.
std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_FIGURE_DATA_H_
