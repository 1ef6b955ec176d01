// Decides whether a dataset without a manifest is of the language that its directory's name
// suggests: it is if the language gives every label.

#ifndef FLARE_DATA_LABEL_GAP_H_
#define FLARE_DATA_LABEL_GAP_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flare/languages/language.h"

namespace flare {

// Returns the contents of a file of the dataset by its relative path; nothing if it is not
// available.
using DatasetFileReader =
    std::function<std::optional<std::string>(const std::filesystem::path& file)>;

// Returns why the dataset is not of the language, as "train labels '0 1' with 1"; empty if the
// labels of these splits are all right.
std::string LabelGap(const Language& language, const std::vector<std::string>& splits,
                     const DatasetFileReader& read);

}  // namespace flare

#endif  // FLARE_DATA_LABEL_GAP_H_
