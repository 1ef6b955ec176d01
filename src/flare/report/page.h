// index.html and what it loads: a folder that works from disk, without a network.
//
// Browsers do not let a page on disk read files, but they let it load scripts. So data is scripts
// that hand over one document each: data/overview.js at once; data/<language>.js when that language
// is opened, and data/<language>.runs.js when its runs are. The full grid opens as fast as a
// small one.

#ifndef FLARE_REPORT_PAGE_H_
#define FLARE_REPORT_PAGE_H_

#include <cstddef>
#include <vector>

#include "flare/report/output_folder.h"
#include "flare/report/run_files.h"
#include "flare/report/select.h"
#include "flare/report/table.h"

namespace flare::report {

// The page looks for news every `refresh_seconds`, unless they are 0.
// `tables` are those of MakeTables(), `extra` those that somebody else made.
void WritePage(const Selection& selection, const std::vector<Table>& tables,
               const std::vector<Table>& extra, std::size_t refresh_seconds, RunFiles& files,
               OutputFolder& out);

}  // namespace flare::report

#endif  // FLARE_REPORT_PAGE_H_
