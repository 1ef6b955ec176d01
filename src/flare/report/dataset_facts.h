// The data that runs had. What lies where it was may be other data by now, of which nothing is said
// beside these runs.

#ifndef FLARE_REPORT_DATASET_FACTS_H_
#define FLARE_REPORT_DATASET_FACTS_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "flare/automata/alphabet.h"
#include "flare/data/manifest.h"
#include "flare/languages/source.h"
#include "flare/report/source.h"
#include "flare/runs/run_directory.h"

namespace flare::report {

// Has a run of the language begun?
bool HasRuns(const Source& source, const std::string& language);

// Returns the data of a language's runs, as any of them records it; if none has begun, as the sweep
// was planned. Returns nothing if neither says it: then the data that exists counts.
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

// Facts about the data of a language for a report: the lengths of its splits' strings, its
// language, and whether it was made like published data.

struct DatasetFacts {
  std::map<std::string, LengthRange> lengths = {};  // of the splits for which they are known
  // Why runs on it cannot be compared with published ones, as "test has lengths up to 60, not 500";
  // empty if they can.
  std::string incomparable = {};
  // Its language, as the manifest defines it, or by a name of the catalogue. Neither if that is not
  // known.
  std::optional<SavedLanguage> saved_language = {};
  std::string language_name = {};
  // What is wrong with its manifest; then all of this is what the sweep was planned with.
  std::string damage = {};

  bool IsKnown() const { return !lengths.empty(); }
};

// Takes the facts from the dataset's manifest, or from its strings and labels if it has none. If
// the data of the runs is gone, takes them from the sweep's plan, provided that the data was made
// so. `preset` is the recipe of the data of published runs (data/dataset_config.h).
DatasetFacts FactsOf(const Source& source, const std::string& language, const std::string& preset);

}  // namespace flare::report

#endif  // FLARE_REPORT_DATASET_FACTS_H_
