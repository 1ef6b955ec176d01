// The curves and dots behind the figures of a language: those of the runs that figures show.

#ifndef FLARE_REPORT_PLOTS_H_
#define FLARE_REPORT_PLOTS_H_

#include <map>
#include <string>
#include <vector>

#include "flare/report/numeric_axes.h"
#include "flare/report/plot.h"
#include "flare/report/run_files.h"
#include "flare/report/select.h"
#include "flare/report/study.h"

namespace flare::report {

// What one run contributes.
struct RunFigures {
  const StudyRun* run = nullptr;
  std::vector<LengthPoint> lengths;  // long test set, at multiples of 10
  std::vector<ExampleRow> edits;     // edit-distance test set, one per example
  std::vector<CurvePoint> training;  // a point per checkpoint
};

RunFigures ReadRunFigures(const StudyRun& run, RunFiles& files);

// The run with the highest test accuracy, per architecture, in the order of the tables;
// architectures without one are left out.
std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            RunFiles& files);

// The figures of a language as plots.

// By kind, as their folders are called; those without anything to draw are left out.
std::map<std::string, Plot> LanguagePlots(const Study& study, const std::string& language,
                                          const std::vector<RunFigures>& runs);

// Accuracy against a setting that a grid varies over numbers, a plot per language.

// A line through the means over trials for every curve, loss and validation set, in a band from the
// lowest to the highest trial. Without series if no run has a score.
Plot AxisPlot(const Selection& selection, const NumericAxis& axis, const std::string& language);

}  // namespace flare::report

#endif  // FLARE_REPORT_PLOTS_H_
