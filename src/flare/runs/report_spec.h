// What a grid says about its report: its section [report].
//
//   [report]
//   published = "published.json"     # values to show beside ours, relative to the grid's file
//
//   [[report.columns]]               # a block of the main table, with a column per architecture
//   name = "expressivity"            # in CSV and JSON, and the metric of published values
//   title = "Expressivity"
//   validation = "long"              # of the runs that it is about
//   value = "max"                    # the highest of all runs; or "mean", of the loss with the
//   best budget = 64_000                  # likewise; the grid's first if it is not given
//
// A grid that declares no columns has one block per validation set.

#ifndef FLARE_RUNS_REPORT_SPEC_H_
#define FLARE_RUNS_REPORT_SPEC_H_

#include <cstddef>
#include <string>
#include <vector>

#include "flare/base/json.h"

namespace flare {

struct ReportColumn {
  // Over the trials of the loss with the highest mean; over all trials of all losses.
  enum class Value { kMean, kMax };

  std::string name = {}, title = {}, validation = {};
  Value value = Value::kMean;
  std::size_t budget = 0;  // 0: the grid's first
};

struct ReportSpec {
  // A file, or "built-in:" and the path of one that is part of the program; empty: none.
  std::string published = {};
  std::vector<ReportColumn> columns = {};

  bool IsEmpty() const { return published.empty() && columns.empty(); }
};

// Throws InputError with `where`: names that are not lower-case letters, digits and _, or are twice
// there; titles and validation sets that are empty; values that do not exist.
void CheckReportSpec(const ReportSpec& spec, const std::string& where);
// "mean", "max". Throws InputError with `where`.
ReportColumn::Value ReportValue(const std::string& text, const std::string& where);

Json ReportSpecToJson(const ReportSpec& spec);
ReportSpec ReportSpecFromJson(const JsonValue& json);

}  // namespace flare

#endif  // FLARE_RUNS_REPORT_SPEC_H_
