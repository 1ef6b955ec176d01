// What a power cut would leave cannot be tried here, but the order of calls shows it: a file is on
// the disk before its name is, and the name before the command says that it is done.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "faults/tiny_commands.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// The first such call after `begin`, or the number of all calls.
std::size_t Find(const std::vector<FaultPoint>& calls, std::size_t begin, const std::string& call,
                 const std::string& path) {
  while (begin < calls.size() && (calls[begin].call != call || calls[begin].path != path)) {
    ++begin;
  }
  return begin;
}

// Is `path`, which the call `renamed` gives its name, part of what that renames?
bool IsDraftOf(const std::string& path, const std::string& renamed) {
  const fs::path to(renamed);
  const std::string partial = to.parent_path() / ("." + to.filename().string() + ".partial");
  return path == renamed + ".tmp" || path == renamed + ".flare.#.tmp" ||
         path.starts_with(partial + "/");
}

// Returns how many names were checked.
int Check(const std::vector<FaultPoint>& calls) {
  int names = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].call != "rename") continue;
    const std::string& to = calls[i].path;
    if (to.ends_with("/lock")) continue;  // whose owner does not survive the power cut either
    std::size_t drafts = 0;
    for (std::size_t written = 0; written < i; ++written) {
      const auto& [call, path, nth] = calls[written];
      if ((call != "write" && call != "mkdir") || !IsDraftOf(path, to)) continue;
      ++drafts;
      EXPECT_LT(Find(calls, written, "fsync", path), i) << path << " has a name before it lasts";
    }
    if (drafts == 0) continue;  // an empty log
    ++names;
    EXPECT_LT(Find(calls, i, "fsync", fs::path(to).parent_path()), calls.size())
        << to << " may lose its name";
  }
  return names;
}

class Order : public testing::TestWithParam<const char*> {};

// A report is left out: it can be made again, and hundreds of small files would take seconds.
INSTANTIATE_TEST_SUITE_P(, Order, testing::Values("generate", "train", "sweep", "evaluate"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(Order, AFileLastsBeforeItsNameDoes) {
  const TinyCommand command(GetParam());
  command.Prepare();
  EXPECT_GE(Check(command.injector().Trace(command.arguments())), 1);
}

// What was hashed is what was parsed: nobody can come in between.
TEST(OrderOfReading, AFileThatIsHashedIsReadOnce) {
  const TinyCommand command("evaluate");
  for (const auto& arguments :
       {command.arguments(), std::vector<std::string>{"verify", "data/parity"}}) {
    command.Prepare();
    std::map<std::string, int> times;
    for (const FaultPoint& point : command.injector().Trace(arguments)) {
      if (point.call == "open-read") ++times[point.path];
    }
    int files = 0;
    for (const auto& [path, opened] : times) {
      if (!path.ends_with(".tok") && !path.ends_with(".txt") && !path.ends_with(".safetensors")) {
        continue;
      }
      EXPECT_EQ(opened, 1) << arguments[0] << ": " << path;
      ++files;
    }
    EXPECT_GE(files, 6) << arguments[0];
  }
}

// A run that is continued rewrites its log.
TEST(OrderOfARunThatGoesOn, AFileLastsBeforeItsNameDoes) {
  const TinyCommand command("train");
  command.Prepare();
  const FaultyRun killed = command.injector().Run(
      command.arguments(), {"write", "work/run/result.json.flare.#.tmp", 1}, {"kill-before"});
  ASSERT_TRUE(killed.reached);
  const auto calls = command.injector().Trace(command.arguments());
  EXPECT_EQ(std::count_if(calls.begin(), calls.end(),
                          [](const FaultPoint& point) {
                            return point.call == "rename" && point.path == "work/run/events.jsonl";
                          }),
            1);
  EXPECT_GE(Check(calls), 5);
}

}  // namespace
}  // namespace flare
