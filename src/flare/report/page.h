// index.html and what it loads: a folder that works from disk, without a network.
//
// Browsers do not let a page on disk read files, but they let it load scripts. So data is scripts
// that hand over documents: data/overview-1.js at once, data/languages-N.js when one of its
// languages is opened, and data/runs-N.js when its runs are. A grid of 1,500 languages opens as
// fast as a small one.

#ifndef FLARE_REPORT_PAGE_H_
#define FLARE_REPORT_PAGE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/report/output_folder.h"
#include "flare/report/run_files.h"
#include "flare/report/select.h"
#include "flare/report/table.h"

namespace flare::report {

// The page looks for news every `refresh_seconds`, unless they are 0.
// `tables` are those of MakeTables(), `extra` those that somebody else made, `figures` the places
// of those of each language that it shows beside its charts.
void WritePage(const Selection& selection, const std::vector<Table>& tables,
               const std::vector<Table>& extra, const std::map<std::string, Table>& full,
               const std::map<std::string, std::vector<std::string>>& figures,
               std::size_t refresh_seconds, RunFiles& files, OutputFolder& out);

// The documents that the page's scripts draw.

// The grid, the languages, the tables, those that somebody else made, the hierarchy.
Json OverviewData(const Selection& selection, const std::vector<Table>& tables,
                  const std::vector<Table>& extra, std::size_t refresh_seconds);
// A language: definition, automaton, samples, full table, curves, hardest examples, what was
// learned.
Json LanguageData(const Selection& selection, const std::string& language, const Table& full,
                  RunFiles& files);
// Settings, hashes and scores of every run of a language.
Json RunsData(const Selection& selection, const std::string& language);

// Files that are part of the program: the page's sources and Chart.js.

// Returns nothing if the program was built without a file of this name.
std::optional<std::string_view> FindEmbeddedFile(std::string_view name);

// Requires: there is one.
inline std::string_view EmbeddedFile(std::string_view name) {
  const auto file = FindEmbeddedFile(name);
  FLARE_CHECK(file.has_value());
  return *file;
}

}  // namespace flare::report

#endif  // FLARE_REPORT_PAGE_H_
