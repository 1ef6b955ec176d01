#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class DraftTest : public testing::Test {
 protected:
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{}));
  }

  const TemporaryDirectory folder_;
  const std::string path_ = folder_.path() / "a.json";
};

TEST_F(DraftTest, HasANameOfItsOwn) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) {
    const Draft draft(path_);
    EXPECT_EQ(DraftOf(fs::path(draft.name()).filename()), "a.json");
    names.insert(draft.name());
  }
  EXPECT_EQ(names.size(), 100u);
  EXPECT_EQ(Files(), 0u);
  for (const char* other : {"thesis.tmp", "a.json.tmp", "a.json.4711.tmp", "flare.00.tmp",
                            ".flare.00.tmp", "a.flare..tmp", "a.flare.x1.tmp", "a.flare.00"}) {
    EXPECT_EQ(DraftOf(other), std::nullopt) << other;
  }
}

TEST_F(DraftTest, OnlyDraftsOfKilledProcessesAreRemoved) {
  // A process that is killed while it writes.
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Draft draft(path_);
    draft.Write("half");
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  Draft alive(path_);
  alive.Write("whole");
  WriteFile(folder_.path() / "thesis.tmp", "years of work");
  RemoveTemporaries(folder_.path());
  EXPECT_EQ(Files(), 3u);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  RemoveTemporaries(folder_.path());
  EXPECT_EQ(Files(), 2u);
  alive.Rename();
  EXPECT_EQ(ReadFile(path_), "whole");
  EXPECT_EQ(ReadFile(folder_.path() / "thesis.tmp"), "years of work");
}

TEST_F(DraftTest, PipesAndDevicesAreNotReplaced) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(RefusalOf([&] { Draft draft(path_); }), HasSubstr("is not a regular file"));
  EXPECT_TRUE(fs::is_fifo(path_));
  EXPECT_EQ(Files(), 1u);
}

TEST_F(DraftTest, NothingIsRemovedThroughALink) {
  const std::string left = path_ + ".flare.0123456789abcdef.tmp";
  WriteFile(left, "");
  const TemporaryDirectory other;
  fs::create_directory_symlink(folder_.path(), other.path() / "link");
  RemoveTemporaries(other.path() / "link");
  EXPECT_TRUE(fs::exists(left));
  // Nor what a link with such a name points to.
  fs::create_symlink("a.json", path_ + ".flare.00.tmp");
  WriteFile(path_, "kept");
  RemoveTemporaries(folder_.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(ReadFile(path_), "kept");
}

TEST_F(DraftTest, ErrorsNameTheFileThatItIsFor) {
  try {
    Draft(folder_.path() / "none" / "file");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none/file: cannot write"));
    EXPECT_THAT(error.what(), Not(HasSubstr(".tmp")));
  }
}

}  // namespace
}  // namespace flare
