#include "support/small_dataset.h"

#include "flare/data/generate.h"
#include "flare/languages/source.h"

namespace flare {

std::filesystem::path MakeSmallDataset(const std::filesystem::path& folder,
                                       const std::string& language, std::size_t train_size) {
  DatasetConfig config = MakePreset("flare");
  const auto set = [&](const std::string& key, std::size_t value) {
    ApplySetting("splits." + key, std::to_string(value), "test", config);
  };
  set("train.size", train_size);
  set("train.max_length", 12);
  set("validation-short.size", 300);
  set("validation-short.max_length", 12);
  set("validation-long.size", 100);
  set("validation-long.max_length", 24);
  set("test.size", 300);
  set("test.max_length", 40);
  set("test-short-held-out.size", 200);
  set("test-short-held-out.max_length", 12);
  set("test-edit-distance.size", 20);
  set("test-edit-distance.max_length", 40);
  GenerateDataset({language, ResolveLanguage(language)}, {folder, 0, config});
  return folder / language;
}

}  // namespace flare
