#include "flare/base/file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/error.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() { fs::create_directories(directory_); }
  ~FileTest() override { fs::remove_all(directory_); }

  const fs::path directory_ =
      fs::path(testing::TempDir()) /
      (std::string("flare-") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(FileTest, ReadsBackWhatWasWrittenAndLeavesNothingElse) {
  const std::string path = directory_ / "a file";
  const std::string contents("line\n\0byte\xFF", 11);
  WriteFileAtomically(path, "old");
  WriteFileAtomically(path, contents);
  EXPECT_EQ(ReadFile(path), contents);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
}

TEST_F(FileTest, MissingFileIsTheUsersFault) {
  EXPECT_THROW(ReadFile(directory_ / "none"), InputError);
  EXPECT_THROW(ReadFile(directory_), InputError);
}

TEST_F(FileTest, FailedWriteKeepsTheOldContents) {
  EXPECT_THROW(WriteFileAtomically(directory_ / "none" / "file", "x"), IoError);
  // A directory cannot be replaced by a file: the rename fails, after the temporary was written.
  fs::create_directory(directory_ / "taken");
  EXPECT_THROW(WriteFileAtomically(directory_ / "taken", "x"), IoError);
  EXPECT_TRUE(fs::is_directory(directory_ / "taken"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
}

}  // namespace
}  // namespace flare
