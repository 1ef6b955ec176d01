// The data that runs had. What lies where it was may be other data by now, of which nothing is said
// beside these runs.

#ifndef FLARE_REPORT_DATA_OF_RUNS_H_
#define FLARE_REPORT_DATA_OF_RUNS_H_

#include <filesystem>
#include <optional>
#include <string>

#include "flare/data/manifest.h"
#include "flare/report/source.h"
#include "flare/runs/run_config.h"

namespace flare::report {

// Has a run of the language begun?
bool HasRuns(const Source& source, const std::string& language);

// Of the runs of a language, by any of them; of none that has begun, what the sweep was planned
// with. Nothing if neither says: then it is what is there.
std::optional<PinnedData> DataOf(const Source& source, const std::string& language);

// Is the manifest that of this data?
bool IsOf(const Manifest& manifest, const std::optional<PinnedData>& data);

// A dataset without a manifest, if it is this data: with the hash of every file, which is not known
// of data that is known by its hash alone.
std::optional<PinnedData> FilesOf(const std::filesystem::path& dataset,
                                  const std::optional<PinnedData>& data);

// The bytes of a file of a dataset; nothing if it is not there, or not as recorded.
std::optional<std::string> ReadAsRecorded(const std::filesystem::path& dataset,
                                          const std::filesystem::path& relative,
                                          const std::optional<PinnedData>& data);

}  // namespace flare::report

#endif  // FLARE_REPORT_DATA_OF_RUNS_H_
