// Datasets that train in a moment.

#ifndef FLARE_TESTS_SUPPORT_SMALL_DATASET_H_
#define FLARE_TESTS_SUPPORT_SMALL_DATASET_H_

#include <filesystem>
#include <string>

namespace flare {

// Makes FOLDER/LANGUAGE with strings up to length 12 in training and 40 in the test split.
std::filesystem::path MakeSmallDataset(const std::filesystem::path& folder,
                                       const std::string& language, std::size_t train_size = 2000);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_SMALL_DATASET_H_
