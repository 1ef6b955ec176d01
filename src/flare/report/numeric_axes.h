// Settings that a grid varies over numbers, as learning_rate = [0.001, 0.01]: what tables have as
// columns side by side is a curve.

#ifndef FLARE_REPORT_NUMERIC_AXES_H_
#define FLARE_REPORT_NUMERIC_AXES_H_

#include <cstddef>
#include <optional>
#include <span>
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

  // Returns the values of all curves, in ascending order.
  std::vector<double> Values() const;
};

std::vector<NumericAxis> NumericAxesOf(const Study& study);

// Does a score rise or fall along a scale, as accuracy does along learning rates? The same seeds at
// every place of the scale make blocks: what a seed decides does not blur the trend.

// The scores of one seed, at some places of the scale.
struct TrendBlock {
  std::vector<double> places, scores;  // of one length
};

struct Trend {
  // The mean of the blocks' rank correlations between places and scores, from −1 (falls throughout)
  // to 1; that of a block whose scores are all equal is 0.
  double correlation = 0;
  // The probability that chance gives a trend as strong, in either direction, if it deals the
  // scores of each block out to its places. It is usually exact for up to eight places, and else
  // estimated from 20,000 deals.
  double p = 1;
  std::size_t n = 0;  // scores
};

// Blocks with fewer than two scores do not count; nothing without any other. `stream` names the
// random draws.
std::optional<Trend> TrendOf(std::span<const TrendBlock> blocks, const std::string& stream);

}  // namespace flare::report

#endif  // FLARE_REPORT_NUMERIC_AXES_H_
