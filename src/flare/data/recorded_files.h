// The files of a dataset as they were recorded, in its manifest or by a run: what is parsed has the
// hash that was recorded, or it is refused.

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

// For ReadSplit, which then throws Unavailable if a recorded file is missing, and InputError if one
// is not what was recorded, or was not recorded; with this hint. Keeps references.
SplitFiles RecordedFiles(const std::filesystem::path& dataset, const std::string& split,
                         const FileHashes& recorded, const char* hint);

}  // namespace flare

#endif  // FLARE_DATA_RECORDED_FILES_H_
