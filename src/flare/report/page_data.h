// The documents that the page's scripts draw.

#ifndef FLARE_REPORT_PAGE_DATA_H_
#define FLARE_REPORT_PAGE_DATA_H_

#include <cstddef>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/report/run_files.h"
#include "flare/report/select.h"
#include "flare/report/table.h"

namespace flare::report {

// The grid, the languages, the tables, those that somebody else made, the hierarchy.
Json OverviewData(const Selection& selection, const std::vector<Table>& tables,
                  const std::vector<Table>& extra, std::size_t refresh_seconds);
// A language: definition, automaton, samples, full table, curves, hardest examples, what was
// learned.
Json LanguageData(const Selection& selection, const std::string& language, RunFiles& files);
// Settings, hashes and scores of every run of a language.
Json RunsData(const Study& study, const std::string& language);

}  // namespace flare::report

#endif  // FLARE_REPORT_PAGE_DATA_H_
