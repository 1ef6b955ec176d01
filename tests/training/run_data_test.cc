#include "flare/training/run_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

std::string ErrorOf(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(RunData, IsPinnedFileByFile) {
  const TemporaryDirectory folder;
  const fs::path path = MakeSmallDataset(folder.path(), "parity", 10);
  const fs::path test = path / "datasets" / "test";
  fs::remove(path / "manifest.json");
  fs::remove(test / "num-edits.txt");
  const RunData data = IdentifyData(path);
  const auto read = [&](const ReadOptions& options) {
    return ErrorOf([&] { ReadPinnedSplit(data, "test", options); });
  };
  const ReadOptions all, none = kOnlyStrings;
  EXPECT_EQ(read(all), "");
  // A file that comes later would change what is measured.
  WriteFile(test / "num-edits.txt", "1\n");
  EXPECT_EQ(read(all), (test / "num-edits.txt").string() + ": is not among the recorded files");
  EXPECT_EQ(read(none), "");
  fs::remove(test / "num-edits.txt");
  const std::string sets = ReadFile(test / "next-symbols.jsonl");
  fs::remove(test / "next-symbols.jsonl");
  EXPECT_EQ(read(all),
            (test / "next-symbols.jsonl").string() + ": is missing, although it was recorded");
  EXPECT_EQ(read(none), "");
  WriteFile(test / "next-symbols.jsonl", sets + "\n");
  EXPECT_EQ(read(all), (test / "next-symbols.jsonl").string() +
                           ": has changed: its SHA-256 is not the one that was recorded");
  WriteFile(test / "next-symbols.jsonl", sets);
  EXPECT_EQ(read(all), "");
}

// Its answers could not be written when all is done.
TEST(RunData, RefusesASplitWhoseNameIsTooLong) {
  const TemporaryDirectory folder;
  const fs::path data = MakeSmallDataset(folder.path(), "parity", 10);
  fs::remove(data / "manifest.json");
  const auto rename = [&](const std::string& from, std::size_t length) {
    const std::string to(length, 'x');
    fs::rename(data / "datasets" / from, data / "datasets" / to);
    return to;
  };
  const std::string longest = rename("test-edit-distance", 222);
  EXPECT_EQ(ErrorOf([&] { IdentifyData(data); }), "");
  rename(longest, 223);
  EXPECT_THAT(ErrorOf([&] { IdentifyData(data); }),
              HasSubstr("has a split whose name has 223 bytes: 'xx"));
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
