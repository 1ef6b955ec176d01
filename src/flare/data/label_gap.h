// Is a dataset that does not say so of a language? Its directory's name, which anybody may have
// given, is borne out if every label is what the language gives.

#ifndef FLARE_DATA_LABEL_GAP_H_
#define FLARE_DATA_LABEL_GAP_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flare/languages/language.h"

namespace flare {

// The contents of a file of the dataset, by its path in there; nothing if it is not to be had.
using DatasetFileReader =
    std::function<std::optional<std::string>(const std::filesystem::path& file)>;

// Why the dataset is not of the language, as "train labels '0 1' with 1"; empty if the labels of
// these splits are all right.
std::string LabelGap(const Language& language, const std::vector<std::string>& splits,
                     const DatasetFileReader& read);

}  // namespace flare

#endif  // FLARE_DATA_LABEL_GAP_H_
