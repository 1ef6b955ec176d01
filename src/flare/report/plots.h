// The figures of a report, as plots and as files.

#ifndef FLARE_REPORT_PLOTS_H_
#define FLARE_REPORT_PLOTS_H_

#include <map>
#include <string>
#include <vector>

#include "flare/report/numeric_axes.h"
#include "flare/report/output_folder.h"
#include "flare/report/plot.h"
#include "flare/report/run_files.h"
#include "flare/report/select.h"
#include "flare/report/study.h"

namespace flare::report {

// The data of one run for the figures of its language, and its look.
struct RunFigures {
  const StudyRun* run = nullptr;
  std::string title = {};
  Look look = {};
  std::vector<LengthPoint> lengths = {};  // long test set, at multiples of 10
  std::vector<ExampleRow> edits = {};     // edit-distance test set, one per example
  std::vector<CurvePoint> training = {};  // a point per checkpoint
};

// The run with the highest test accuracy, per architecture, in the order of the tables;
// architectures without one are left out.
std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            RunFiles& files);

// Plots by kind, as their folders are called. Those without anything to draw are left out.
using Plots = std::map<std::string, Plot>;

// Returns the figures that show single runs.
Plots LanguagePlots(const Study& study, const std::string& language,
                    const std::vector<RunFigures>& runs);

// Returns plots over bins of lengths, for every validation set and every accuracy by length: lines
// through the means over the trials behind the main table, in bands from the lowest to the highest.
Plots LengthPlots(const Selection& selection, const std::string& language, RunFiles& files);

// Along a setting that a grid varies over numbers: a line through the means over trials for every
// curve, loss and validation set, in a band from the lowest to the highest trial. Without series if
// no run has a score.
Plot AxisPlot(const Selection& selection, const NumericAxis& axis, const std::string& language);

// The training curve of every run, and its accuracies by length, a plot per language: by what their
// files are called.
Plots PlotsOfRuns(const Study& study, RunFiles& files);

// Figures as SVG and as pgfplots: a .tex with a tikzpicture and its .dat files, to be \input in a
// paper, and all.tex, which sets them all on their own.
//
//   \newcommand{\flarefigures}{path/to/report/figures}
//   \input{\flarefigures/cross-entropy-vs-length/parity}

// Under figures/: hierarchy, predicted, a folder per kind of plot, the maps of score_maps.h, and
// all.tex. Returns the figures by length of each language, which its page shows.
std::map<std::string, std::vector<std::string>> WriteFigures(const Selection& selection,
                                                             RunFiles& files, OutputFolder& out);

}  // namespace flare::report

#endif  // FLARE_REPORT_PLOTS_H_
