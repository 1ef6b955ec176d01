#include "flare/training/run_data.h"

#include <gtest/gtest.h>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::string ErrorOf(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// Its metrics would overwrite eval/hardest.json, or be overwritten by it.
TEST(RunData, RefusesASplitWithTheNameOfAnotherFile) {
  const TemporaryDirectory folder;
  const fs::path data = MakeSmallDataset(folder.path(), "parity", 10);
  IdentifyData(data);
  fs::remove(data / "manifest.json");
  fs::rename(data / "datasets" / "test-edit-distance", data / "datasets" / "hardest");
  EXPECT_EQ(ErrorOf([&] { IdentifyData(data); }), data.string() + ": has a split named hardest");
}

}  // namespace
}  // namespace flare
