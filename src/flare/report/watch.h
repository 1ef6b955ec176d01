// A report that follows a sweep while it runs.

#ifndef FLARE_REPORT_WATCH_H_
#define FLARE_REPORT_WATCH_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "flare/report/report.h"
#include "flare/runs/names.h"

namespace flare::report {

// Writes the report, then again whenever a sweep has changed, until every run is finished; looks
// every `seconds`, as does the page meanwhile. `made` is called after each report.
void WatchReport(const std::vector<std::filesystem::path>& sweeps, const Names& names,
                 const std::filesystem::path& to, std::size_t seconds, ReportOptions options,
                 const std::function<void(const ReportSummary&)>& made);

}  // namespace flare::report

#endif  // FLARE_REPORT_WATCH_H_
