#include "flare/runs/report_spec.h"

#include <fmt/format.h>

#include <set>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {

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
