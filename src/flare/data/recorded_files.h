// The files of a dataset as its manifest or a run recorded them. A file is refused unless its hash
// is the recorded one.

#ifndef FLARE_DATA_RECORDED_FILES_H_
#define FLARE_DATA_RECORDED_FILES_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/data/flare_reader.h"

namespace flare {

// The SHA-256 of each file of the FLaRe layout, by its path relative to the dataset.
using FileHashes = std::map<std::string, std::string>;

std::string RelativePath(const std::string& split, const char* file);

// The splits whose strings were recorded: train first, then the others by name.
std::vector<std::string> RecordedSplits(const FileHashes& recorded);

// Returns a check for ReadSplit, which then throws Unavailable if a recorded file is missing, and
// InputError with this hint if a file differs from what was recorded or was not recorded. Keeps
// references to its arguments.
SplitFiles RecordedFiles(const std::filesystem::path& dataset, const std::string& split,
                         const FileHashes& recorded, const char* hint);

}  // namespace flare

#endif  // FLARE_DATA_RECORDED_FILES_H_
