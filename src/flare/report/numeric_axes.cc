#include "flare/report/numeric_axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "flare/base/text.h"
#include "flare/report/titles.h"
#include "flare/runs/variant.h"

namespace flare::report {
namespace {

// The settings that some variant has in its text. One that every run has cannot be an axis.
std::set<std::string> VariedSettings(const Study& study) {
  std::set<std::string> varied;
  for (const Cohort& cohort : study.cohorts) {
    for (const auto& [setting, text] : cohort.settings) {
      if (cohort.variant.find("," + setting + "=") != std::string::npos) varied.insert(setting);
    }
  }
  return varied;
}

// "LSTM, layers=2" of "lstm,layers=2,learning_rate=0.001".
std::string TitleWithout(const Cohort& cohort, const std::string& setting) {
  std::string text = cohort.variant;
  const std::size_t begin = text.find("," + setting + "=");
  if (begin != std::string::npos) {
    const std::size_t end = std::min(text.find(',', begin + 1), text.size());
    text.erase(begin, end - begin);
  }
  const std::string title = VariantTitle(text);
  return cohort.note.empty() ? title : title + " (" + cohort.note + ")";
}

// A place on an axis: what is not finite has none, and beyond this, differences might not be.
std::optional<double> NumberOf(const Cohort& cohort, const std::string& setting) {
  constexpr double kLargest = 1e300;
  const auto found = cohort.settings.find(setting);
  if (found == cohort.settings.end()) return std::nullopt;
  const auto number = ParseNumber<double>(found->second);
  return number && std::abs(*number) <= kLargest ? number : std::nullopt;
}

// Two texts of one number, as another program's 16 and 016, would hide each other.
bool HasEqualValues(const AxisCurve& curve) {
  return std::adjacent_find(curve.points.begin(), curve.points.end(),
                            [](const AxisCurve::Point& a, const AxisCurve::Point& b) {
                              return a.value == b.value;
                            }) != curve.points.end();
}

NumericAxis AxisOf(const Study& study, const std::string& setting) {
  NumericAxis axis{setting, {}};
  // Grouped by all that is alike, in the order in which it was met.
  std::map<std::tuple<SettingTexts, std::string>, std::size_t> places;
  for (const std::string& id : study.Variants()) {
    const Cohort& cohort = study.CohortOf(id);
    const auto value = NumberOf(cohort, setting);
    if (!value) continue;
    SettingTexts alike = cohort.settings;
    alike.erase(setting);
    const auto [place, is_new] = places.try_emplace({alike, cohort.note}, axis.curves.size());
    if (is_new) axis.curves.push_back({TitleWithout(cohort, setting), {}});
    axis.curves[place->second].points.push_back({*value, id});
  }
  for (AxisCurve& curve : axis.curves) {
    std::stable_sort(
        curve.points.begin(), curve.points.end(),
        [](const AxisCurve::Point& a, const AxisCurve::Point& b) { return a.value < b.value; });
  }
  std::erase_if(axis.curves, [](const AxisCurve& curve) {
    return curve.points.size() < 2 || HasEqualValues(curve);
  });
  return axis;
}

}  // namespace

std::vector<double> NumericAxis::Values() const {
  std::set<double> values;
  for (const AxisCurve& curve : curves) {
    for (const AxisCurve::Point& point : curve.points) values.insert(point.value);
  }
  return {values.begin(), values.end()};
}

std::vector<NumericAxis> NumericAxesOf(const Study& study) {
  std::vector<NumericAxis> axes;
  for (const std::string& setting : VariedSettings(study)) {
    NumericAxis axis = AxisOf(study, setting);
    if (!axis.curves.empty()) axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace flare::report
