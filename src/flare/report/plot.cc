#include "flare/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace flare::report {
namespace {

constexpr const char* kInk = "#1c2128";
constexpr const char* kFaint = "#8a939e";

// The area of the data.
constexpr double kLeft = 58, kRight = kPlotWidth - 14, kTop = 30, kBottom = kPlotHeight - 66;

struct Frame {
  double least_x, most_x, most_y;  // the least is 0 or below unless by logarithms
  bool logarithmic_x;

  Place At(double x, double y) const {
    const double along = logarithmic_x
                             ? (kRight - kLeft) * std::log(x / least_x) / std::log(most_x / least_x)
                             : (kRight - kLeft) * (x - least_x) / (most_x - least_x);
    return {kLeft + along, kBottom - (kBottom - kTop) * y / most_y};
  }
};

bool IsThere(const Series::Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

Frame FrameOf(const Plot& plot) {
  double least_x = std::numeric_limits<double>::infinity(), most_x = 0, most_y = 0;
  for (const Series& series : plot.series) {
    for (const Series::Point& point : series.points) {
      if (!IsThere(point)) continue;
      least_x = std::min(least_x, point.x);
      most_x = std::max(most_x, point.x);
      most_y = std::max({most_y, point.y, std::isfinite(point.above) ? point.above : 0});
    }
  }
  for (const auto& [y, meaning] : plot.horizontal_lines) most_y = std::max(most_y, 1.1 * y);
  const bool logarithmic_x = plot.logarithmic_x && 0 < least_x && least_x < most_x;
  if (!logarithmic_x) least_x = std::min(least_x, 0.0);
  return {least_x, most_x > least_x ? most_x : 1,
          plot.most_y > 0 ? plot.most_y
          : most_y > 0    ? most_y
                          : 1,
          logarithmic_x};
}

// From 0 in both directions.
std::vector<double> TicksOf(const Frame& frame) {
  if (frame.logarithmic_x) return LogarithmicTicks(frame.least_x, frame.most_x);
  std::vector<double> ticks;
  if (frame.most_x > 0) ticks = TicksUpTo(frame.most_x);
  if (frame.least_x < 0) {
    for (const double tick : TicksUpTo(-frame.least_x)) ticks.push_back(tick > 0 ? -tick : 0);
  }
  return ticks;
}

void DrawAxes(const Plot& plot, const Frame& frame, Canvas& canvas) {
  const Stroke axis{kInk, 1}, grid{"#e4e8ed", 1};
  for (const double y : TicksUpTo(frame.most_y)) {
    const Place at = frame.At(frame.least_x, y);
    canvas.Line({at, {kRight, at.y}}, grid);
    canvas.Text({kLeft - 6, at.y + 4}, fmt::format("{:g}", y), {11, Anchor::kEnd});
  }
  for (const double x : TicksOf(frame)) {
    const Place at = frame.At(x, 0);
    canvas.Line({at, {at.x, kBottom + 4}}, axis);
    canvas.Text({at.x, kBottom + 17}, fmt::format("{:g}", x), {11, Anchor::kMiddle});
  }
  canvas.Line({{kLeft, kTop}, {kLeft, kBottom}, {kRight, kBottom}}, axis);
  canvas.Text({(kLeft + kRight) / 2, 18}, plot.title, {14, Anchor::kMiddle});
  canvas.Text({(kLeft + kRight) / 2, kBottom + 34}, plot.x_title, {12, Anchor::kMiddle});
  canvas.Text({16, (kTop + kBottom) / 2}, plot.y_title,
              {.size = 12, .anchor = Anchor::kMiddle, .upwards = true});
}

void DrawLines(const Plot& plot, const Frame& frame, Canvas& canvas) {
  const Stroke dashed{kFaint, 1, true};
  for (const double x : plot.vertical_lines) {
    if (x > frame.most_x) continue;
    canvas.Line({frame.At(x, 0), frame.At(x, frame.most_y)}, dashed);
    canvas.Text({frame.At(x, 0).x + 3, kTop + 10}, fmt::format("{:g}", x),
                {10, Anchor::kStart, kFaint});
  }
  for (const auto& [y, meaning] : plot.horizontal_lines) {
    if (y > frame.most_y) continue;
    canvas.Line({frame.At(frame.least_x, y), frame.At(frame.most_x, y)}, dashed);
    canvas.Text({kRight, frame.At(frame.least_x, y).y - 4}, meaning, {10, Anchor::kEnd, kFaint});
  }
}

void DrawBand(const Series& series, double opacity, const Frame& frame, Canvas& canvas) {
  std::vector<Place> outline;
  const auto add = [&](double x, double y) {
    outline.push_back(frame.At(x, std::clamp(y, 0.0, frame.most_y)));
  };
  for (const Series::Point& p : series.points) {
    if (IsThere(p) && std::isfinite(p.above)) add(p.x, p.above);
  }
  for (auto p = series.points.rbegin(); p != series.points.rend(); ++p) {
    if (IsThere(*p) && std::isfinite(p->below)) add(p->x, p->below);
  }
  if (outline.size() > 3) canvas.Area(outline, series.color, opacity);
}

void DrawSeries(const Series& series, const Frame& frame, Canvas& canvas) {
  std::vector<Place> line;
  const auto end_line = [&] {
    if (line.size() == 1) canvas.Dot(line[0], 2.5, series.color, {series.color, 1});
    if (line.size() > 1) canvas.Line(line, {series.color, 1.8});
    line.clear();
  };
  for (const Series::Point& point : series.points) {
    const Place place = frame.At(point.x, std::clamp(point.y, 0.0, frame.most_y));
    if (!IsThere(point)) {
      end_line();
    } else if (series.as_dots) {
      canvas.Dot(place, 2.5, series.color, {series.color, 0.5});
    } else {
      line.push_back(place);
    }
  }
  end_line();
}

// As many side by side as there is room for, by the number of letters.
void DrawLegend(const Plot& plot, Canvas& canvas) {
  double x = kLeft, y = kPlotHeight - 16;
  for (const Series& series : plot.series) {
    const double width = 30 + 6.5 * static_cast<double>(series.title.size());
    if (x > kLeft && x + width > kPlotWidth) {
      x = kLeft;
      y += 13;
    }
    canvas.Line({{x, y - 4}, {x + 16, y - 4}}, {series.color, 2.5});
    canvas.Text({x + 21, y}, series.title, {11, Anchor::kStart});
    x += width;
  }
}

}  // namespace

std::vector<double> TicksUpTo(double most) {
  const double magnitude = std::pow(10, std::floor(std::log10(most / 5)));
  double step = magnitude;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * magnitude;
    if (most / step <= 6) break;
  }
  if (most >= 3) step = std::max(1.0, step);
  std::vector<double> ticks;
  for (double i = 0; i * step <= most * (1 + 1e-9); ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<double> LogarithmicTicks(double least, double most) {
  constexpr double kManyDecades = 2.5;
  std::vector<double> ticks;
  for (double power = std::floor(std::log10(least)); power <= std::log10(most); ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      const bool is_wanted = factor == 1 || std::log10(most / least) < kManyDecades;
      // A power of ten that is an end of the range may be rounded.
      if (is_wanted && tick >= least * (1 - 1e-9) && tick <= most * (1 + 1e-9)) {
        ticks.push_back(tick);
      }
    }
  }
  return ticks;
}

std::string PlotColor(const std::string& variant, std::size_t& others) {
  if (variant == "transformer") return "#0072b2";
  if (variant == "rnn") return "#d1495b";
  if (variant == "lstm") return "#009e73";
  static const std::array<const char*, 4> colors = {"#9a4fb5", "#b07d00", "#5b6abf", "#7a8b00"};
  return colors[others++ % colors.size()];
}

void DrawPlot(const Plot& plot, Canvas& canvas) {
  const Frame frame = FrameOf(plot);
  DrawAxes(plot, frame, canvas);
  for (const Series& series : plot.series) {
    // The more of them overlap, the fainter they are.
    if (HasBand(series)) DrawBand(series, plot.series.size() > 2 ? 0.07 : 0.15, frame, canvas);
  }
  DrawLines(plot, frame, canvas);
  for (const Series& series : plot.series) DrawSeries(series, frame, canvas);
  DrawLegend(plot, canvas);
}

}  // namespace flare::report
