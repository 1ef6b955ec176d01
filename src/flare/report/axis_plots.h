// Accuracy against a setting that a grid varies over numbers, a plot per language.

#ifndef FLARE_REPORT_AXIS_PLOTS_H_
#define FLARE_REPORT_AXIS_PLOTS_H_

#include <string>

#include "flare/report/numeric_axes.h"
#include "flare/report/plot.h"
#include "flare/report/select.h"

namespace flare::report {

// A line through the means over trials for every curve, loss and validation set, in a band from the
// lowest to the highest trial. Without series if no run has a score.
Plot AxisPlot(const Selection& selection, const NumericAxis& axis, const std::string& language);

}  // namespace flare::report

#endif  // FLARE_REPORT_AXIS_PLOTS_H_
