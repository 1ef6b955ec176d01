#include "flare/runs/report_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {

namespace {

// Returns a name without its ending, with blanks for underscores.
std::string TitleWithout(std::string_view name, std::string_view ending) {
  std::string title(name.substr(0, name.size() - ending.size()));
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

}  // namespace

ReportMetric MetricNamed(const std::string& name, const std::string& where) {
  constexpr std::string_view kPositions = "_accuracy_positions", kStrings = "_accuracy_strings",
                             kCrossEntropy = "_cross_entropy";
  if (name == "accuracy") return {};
  if (name == kScaledAccuracy) return {name, "accuracy, scaled from chance to 1"};
  if (name == "f1") return {name, "F1"};
  if (name == "auc") return {name, "AUC"};
  if (name == "longest_perfect_length") return {name, "longest perfect length", false, true, 0};
  const auto is_of = [&](std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending);
  };
  if (is_of(kPositions)) return {name, TitleWithout(name, kPositions) + " accuracy of positions"};
  if (is_of(kStrings)) return {name, TitleWithout(name, kStrings) + " accuracy of whole strings"};
  if (is_of(kCrossEntropy)) {
    return {name, TitleWithout(name, kCrossEntropy) + " cross-entropy", false, false, 3};
  }
  throw InputError(where, fmt::format("unknown metric {}", Quoted(name)),
                   "expected accuracy, scaled_accuracy, f1, auc, longest_perfect_length, or a "
                   "figure of a split that ends with _accuracy_positions, _accuracy_strings or "
                   "_cross_entropy, as state_accuracy_positions");
}

void CheckReportSpec(const ReportSpec& spec, const std::string& where) {
  std::set<std::string> names;
  for (const ReportColumn& column : spec.columns) {
    const char* const kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    if (column.name.empty() || column.name.find_first_not_of(kLetters) != std::string::npos) {
      throw InputError(where, fmt::format("report.columns: the name {}", Quoted(column.name)),
                       "expected lower-case letters, digits and _");
    }
    if (!names.insert(column.name).second) {
      throw InputError(where, fmt::format("report.columns: two are called {}", column.name));
    }
    if (column.title.empty() || column.validation.empty()) {
      throw InputError(
          where, fmt::format("report.columns: {} needs a title and a validation", column.name));
    }
  }
  if (!spec.metric.empty()) MetricNamed(spec.metric, where + ": report.metric");
  if (spec.reach && !std::isfinite(*spec.reach)) {
    throw InputError(where, "report.reach is not a finite number");
  }
}

ReportColumn::Value ReportValue(const std::string& text, const std::string& where) {
  if (text == "mean") return ReportColumn::Value::kMean;
  if (text == "max") return ReportColumn::Value::kMax;
  throw InputError(where, fmt::format("report.columns: the value {}", Quoted(text)),
                   "expected mean or max");
}

Json ReportSpecToJson(const ReportSpec& spec) {
  Json json = Json::object();
  if (!spec.published.empty()) json["published"] = spec.published;
  if (!spec.metric.empty()) json["metric"] = spec.metric;
  if (spec.reach) json["reach"] = *spec.reach;
  if (!spec.tuned.empty()) json["tuned"] = spec.tuned;
  Json columns = Json::array();
  for (const ReportColumn& column : spec.columns) {
    columns.push_back({{"name", column.name},
                       {"title", column.title},
                       {"validation", column.validation},
                       {"value", column.value == ReportColumn::Value::kMax ? "max" : "mean"},
                       {"budget", column.budget}});
  }
  if (!columns.empty()) json["columns"] = columns;
  return json;
}

ReportSpec ReportSpecFromJson(const JsonValue& json) {
  ReportSpec spec;
  spec.published = json.StringOr("published", "");
  spec.metric = json.StringOr("metric", "");
  spec.reach = json.MaybeNumber("reach");
  if (json.Find("tuned")) spec.tuned = json.Strings("tuned");
  if (json.Find("columns")) {
    for (const JsonValue& column : json.Array("columns")) {
      spec.columns.push_back({.name = column.String("name"),
                              .title = column.String("title"),
                              .validation = column.String("validation"),
                              .value = ReportValue(column.String("value"), json.where()),
                              .budget = column.CountOr("budget", 0)});
    }
  }
  CheckReportSpec(spec, json.where());
  return spec;
}

}  // namespace flare
