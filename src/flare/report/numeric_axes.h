// Settings that a grid varies over numbers, as learning_rate = [0.001, 0.01]: what tables have as
// columns side by side is a curve.

#ifndef FLARE_REPORT_NUMERIC_AXES_H_
#define FLARE_REPORT_NUMERIC_AXES_H_

#include <string>
#include <vector>

#include "flare/report/select.h"

namespace flare::report {

// Cohorts that differ in nothing but one setting.
struct AxisCurve {
  struct Point {
    double value;
    std::string cohort;
  };
  std::string title;          // what they share: "Simple RNN", "LSTM, layers=2"
  std::vector<Point> points;  // by value, at least two
};

struct NumericAxis {
  std::string setting;
  std::vector<AxisCurve> curves;

  // Of all curves, ascending.
  std::vector<double> Values() const;
};

std::vector<NumericAxis> NumericAxesOf(const Study& study);

}  // namespace flare::report

#endif  // FLARE_REPORT_NUMERIC_AXES_H_
