// The files of the FLaRe layout: their names, and a split as their bytes. flare_reader.h reads
// them.

#ifndef FLARE_DATA_FLARE_FILES_H_
#define FLARE_DATA_FLARE_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/data/split.h"

namespace flare {

inline constexpr const char* kMainFile = "main.tok";
inline constexpr const char* kLabelsFile = "labels.txt";
inline constexpr const char* kNextSymbolsFile = "next-symbols.jsonl";
inline constexpr const char* kLogProbabilitiesFile = "log-probabilities.txt";
inline constexpr const char* kNumEditsFile = "num-edits.txt";
inline constexpr const char* kEditDistancesFile = "edit-distances.txt";
inline constexpr const char* kColumnFiles[] = {
    kMainFile,     kLabelsFile,           kNextSymbolsFile,
    kNumEditsFile, kLogProbabilitiesFile, kEditDistancesFile};
inline constexpr const char* kManifestFile = "manifest.json";

// Where a split is, relative to its dataset: "." for train, datasets/<split> for others.
std::filesystem::path SplitPath(std::string_view split);

// The splits that a dataset directory holds: train first, then the others by name.
std::vector<std::string> SplitsIn(const std::filesystem::path& dataset);

// File name and contents of every column that the split has, in the published format.
std::vector<std::pair<std::string, std::string>> FormatSplit(const Alphabet& alphabet,
                                                             const Split& split);

}  // namespace flare

#endif  // FLARE_DATA_FLARE_FILES_H_
