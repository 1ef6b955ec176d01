#include "flare/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <thread>

#include "flare/base/error.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  const TemporaryDirectory folder_;
  const fs::path& directory_ = folder_.path();
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

// A pipe in a dataset must not block its reader for ever; one that the user names is waited for.
TEST_F(FileTest, PipesAreReadOnlyWhereTheUserNamesThem) {
  const std::string pipe = directory_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(ReadRegularFile(pipe), InputError);
  EXPECT_THROW(ReadRegularFile(directory_), InputError);
  EXPECT_THROW(ReadRegularFile("/dev/null"), InputError);
  EXPECT_THROW(ReadRegularFile(directory_ / "none"), InputError);
  std::jthread writer([&] { WriteFile(pipe, "text"); });
  EXPECT_EQ(ReadFile(pipe), "text");
  WriteFile(directory_ / "file", "contents");
  fs::create_symlink("file", directory_ / "link");
  EXPECT_EQ(ReadRegularFile(directory_ / "link"), "contents");
}

TEST_F(FileTest, RefusesAFileOfMoreThanTwoGigabytesBeforeItReads) {
  const fs::path file = directory_ / "large";
  WriteFile(file, "");
  fs::resize_file(file, (std::uintmax_t{2} << 30) + 1);  // takes no blocks on the disk
  rusage before, after;
  ASSERT_EQ(::getrusage(RUSAGE_SELF, &before), 0);
  EXPECT_THROW(ReadFile(file), InputError);
  EXPECT_THROW(ReadRegularFile(file), InputError);
  ASSERT_EQ(::getrusage(RUSAGE_SELF, &after), 0);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000);  // kB
}

TEST_F(FileTest, ReadsTheEndOfAFileOfAnySize) {
  const std::string path = directory_ / "log";
  WriteFile(path, "first\nlast\n");
  EXPECT_EQ(ReadEnd(path, 5), "last\n");
  EXPECT_EQ(ReadEnd(path, 11), "first\nlast\n");
  EXPECT_EQ(ReadEnd(path, 100), "first\nlast\n");
  fs::resize_file(path, std::uintmax_t{3} << 30);  // takes no blocks on the disk
  EXPECT_EQ(ReadEnd(path, 3), std::string(3, '\0'));
  EXPECT_THROW(ReadEnd(directory_, 3), InputError);
}

TEST_F(FileTest, FailedWriteKeepsTheOldContents) {
  EXPECT_THROW(WriteFileAtomically(directory_ / "none" / "file", "x"), IoError);
  fs::create_directory(directory_ / "taken");
  EXPECT_THROW(WriteFileAtomically(directory_ / "taken", "x"), InputError);
  EXPECT_TRUE(fs::is_directory(directory_ / "taken"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
}

TEST_F(FileTest, MakesDirectoriesUnlessSomethingElseIsThere) {
  MakeDirectories(directory_ / "a" / "b");
  MakeDirectories(directory_ / "a" / "b");
  EXPECT_TRUE(fs::is_directory(directory_ / "a" / "b"));
  WriteFile(directory_ / "file", "kept");
  EXPECT_THROW(MakeDirectories(directory_ / "file"), InputError);
  EXPECT_THROW(MakeDirectories(directory_ / "file" / "below"), IoError);
  EXPECT_EQ(ReadFile(directory_ / "file"), "kept");
}

TEST_F(FileTest, FollowsLinksAndLeavesSpecialFilesAlone) {
  WriteFileAtomically(directory_ / "target", "old");
  fs::create_symlink("target", directory_ / "link");
  WriteFileAtomically(directory_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(directory_ / "link"));
  EXPECT_EQ(ReadFile(directory_ / "target"), "new");
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(WriteFileAtomically(directory_ / "pipe", "x"), InputError);
  EXPECT_TRUE(fs::is_fifo(directory_ / "pipe"));
}

// The folder that the user names may be a link; what is ours in it may not.
TEST_F(FileTest, WritesInsideAFolderThroughNoLink) {
  const fs::path ours = directory_ / "ours", elsewhere = directory_ / "elsewhere";
  fs::create_directories(elsewhere);
  WriteFile(elsewhere / "mine", "mine");
  WriteInside(ours, "a/b/file", "new");
  EXPECT_EQ(ReadFile(ours / "a/b/file"), "new");
  fs::create_directory_symlink(ours, directory_ / "link");
  WriteInside(directory_ / "link", "a/b/file", "newer");
  EXPECT_EQ(ReadFile(ours / "a/b/file"), "newer");

  fs::create_symlink(elsewhere / "mine", ours / "a/link");
  fs::create_symlink(elsewhere / "nothing", ours / "a/dangling");
  fs::create_directory_symlink(elsewhere, ours / "folder");
  for (const char* file : {"a/link", "a/dangling", "folder/mine", "folder/new"}) {
    EXPECT_THROW(WriteInside(ours, file, "new"), InputError) << file;
  }
  EXPECT_EQ(ReadFile(elsewhere / "mine"), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(elsewhere), {}), 1);
}

}  // namespace
}  // namespace flare
