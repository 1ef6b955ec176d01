// Directories in unusual places, and names that must not be taken literally.

#include "support/paths.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "faults/tiny_commands.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/same_run.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class Paths : public testing::Test {
 protected:
  ProgramResult Run(const std::vector<std::string>& arguments) const {
    return command_.injector().Run(arguments);
  }
  std::vector<std::string> Train(const std::string& data, const std::string& run) const {
    return {"train", "--data",       data,    "--run",        run, "--architecture",
            "rnn",   "--loss",       "rec",   "--layers",     "1", "--hidden",
            "4",     "--validation", "short", "--max-epochs", "1"};
  }
  std::vector<std::string> Sweep(const std::string& data, const std::string& out) const {
    return {"sweep", "run", "grid.toml", "--data", data, "--out", out, "--jobs", "1"};
  }
  // All that writes or reads, with everything under `folder`.
  void CheckAll(const std::string& folder) const {
    const std::string run = folder + "/out/runs/parity/rnn/rec/short/100/1";
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"generate", "--out", folder + "/data", "--config", "splits.toml", "parity"},
             {"verify", folder + "/data/parity"},
             Train(folder + "/data/parity", folder + "/run"),
             Sweep(folder + "/data", folder + "/out"),
             {"sweep", "work", folder + "/out"},
             {"sweep", "status", folder + "/out"},
             {"evaluate", run, "--to", folder + "/evaluation"},
             {"report", folder + "/out", "--to", folder + "/report"}}) {
      const ProgramResult result = Run(arguments);
      EXPECT_EQ(result.exit_code, 0) << arguments[0] << ": " << result.errors;
    }
    EXPECT_TRUE(fs::exists(command_.folder() / folder / "report" / "index.html"));
    EXPECT_EQ(ReadFile(command_.folder() / folder / "out" / "runs" / "parity" / "rnn" / "rec" /
                       "short" / "100" / "1" / "model.safetensors"),
              ReadFile(command_.folder() / "plain" / "out" / "runs" / "parity" / "rnn" / "rec" /
                       "short" / "100" / "1" / "model.safetensors"));
    EXPECT_EQ(TimelessContents(command_.folder() / folder / "data"),
              TimelessContents(command_.folder() / "plain" / "data"));
  }

  void SetUp() override { CheckAll("plain"); }

  const TinyCommand command_{"generate"};
};

TEST_F(Paths, SpacesQuotesAndLettersOfAnyAlphabetWork) {
  for (const char* folder : {"with space", "o'brien \"quoted\" $HOME *", "größe 日本", "-dash",
                             "new\nline", "%s {} \\n"}) {
    SCOPED_TRACE(folder);
    fs::create_directory(command_.folder() / folder);
    CheckAll(std::string("./") + folder);
  }
}

TEST_F(Paths, AreFollowedThroughLinks) {
  fs::create_directories(command_.folder() / "real" / "inner");
  fs::create_directory_symlink("real/inner", command_.folder() / "link");
  CheckAll("link");
  for (const char* folder : {"data", "run", "out", "evaluation", "report"}) {
    const std::string name = std::string("linked-") + folder;
    fs::create_directories(command_.folder() / "targets" / folder);
    fs::create_directories(command_.folder() / "links");
    fs::create_directory_symlink(command_.folder() / "targets" / folder,
                                 command_.folder() / "links" / folder);
  }
  CheckAll("links");
  EXPECT_TRUE(fs::is_symlink(command_.folder() / "links" / "run"));
  EXPECT_TRUE(fs::exists(command_.folder() / "targets" / "run" / "result.json"));
}

// What is planted in place of a temporary directory or a lock is not followed.
TEST_F(Paths, LinksInThePlaceOfOurOwnFilesAreRefused) {
  fs::create_directories(command_.folder() / "planted");
  fs::create_directories(command_.folder() / "victim");
  WriteFile(command_.folder() / "victim" / "precious", "x");
  fs::create_directory_symlink("../victim", command_.folder() / "planted" / ".parity.partial");
  const ProgramResult result =
      Run({"generate", "--out", "planted", "--config", "splits.toml", "parity"});
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  EXPECT_TRUE(fs::exists(command_.folder() / "victim" / "precious"));
  fs::create_directories(command_.folder() / "locked");
  fs::create_symlink("../victim/precious", command_.folder() / "locked" / "lock");
  EXPECT_EQ(Run(Train("data/parity", "locked")).exit_code, 2);
  EXPECT_EQ(ReadFile(command_.folder() / "victim" / "precious"), "x");
}

TEST_F(Paths, NamesOf255BytesAreFineAndLongerOnesAreReported) {
  const std::string longest(255, 'l');
  fs::create_directory(command_.folder() / longest);
  CheckAll(longest);
  const std::string longer(256, 'l');
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"generate", "--out", longer, "--config", "splits.toml", "parity"},
           Train("data/parity", longer),
           Sweep("data", longer),
           Sweep(longer, "out"),
           {"evaluate", "plain/run", "--to", longer},
           {"report", "plain/out", "--to", longer}}) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments[0] << ": " << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("File name too long"));
    EXPECT_THAT(result.errors, Not(HasSubstr("unexpected")));
  }
}

// From a path in which all files have room to one that is too long itself.
TEST_F(Paths, NearTheLongestPathTheAnswerIsCleanOrTheWorkIsDone) {
  std::string base = command_.folder();
  while (base.size() < 3900) base += "/" + std::string(100, 'p');
  std::set<int> codes;
  for (const std::size_t size : {10u, 100u, 130u, 150u, 170u, 190u, 197u, 230u}) {
    const std::string path =
        base + "/" + std::string(4096 - 200 + size > base.size() ? size : 1, 'q');
    SCOPED_TRACE(path.size());
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"generate", "--out", path, "--config", "splits.toml", "parity"},
             Train("data/parity", path + "/run")}) {
      const ProgramResult result = Run(arguments);
      codes.insert(result.exit_code);
      EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 3) << result.exit_code;
      if (result.exit_code == 0) continue;
      EXPECT_TRUE(result.errors.ends_with("File name too long\n")) << result.errors;
      EXPECT_FALSE(fs::exists(command_.folder() / "run" / "result.json"));
    }
  }
  EXPECT_EQ(codes, (std::set<int>{0, 3}));
}

TEST_F(Paths, NamesOfLanguagesCannotLeaveTheirDirectory) {
  const std::set<fs::path> before{fs::directory_iterator(command_.folder()), {}};
  const std::string too_long(101, 'n');
  for (const std::string& name : {std::string("../x"), std::string(".."), std::string("."),
                                  std::string("a/b"), std::string("/x"), std::string(".hidden"),
                                  std::string("a\nb"), std::string("a\xff"), too_long}) {
    SCOPED_TRACE(name);
    const ProgramResult generated = Run(
        {"generate", "--out", "work", "--name", name, "--config", "splits.toml", "regex:(ab)*"});
    EXPECT_EQ(generated.exit_code, 2) << generated.errors;
    EXPECT_THAT(generated.errors, HasSubstr("cannot be the name of a directory"));
  }
  for (const char* language : {"regex:../../x", "regex:a/b", "att:../x.att", "../x", "a/b"}) {
    EXPECT_EQ(Run({"generate", "--out", "work", language}).exit_code, 2) << language;
  }
  for (const char* name : {"../x", "a/b", "..", ".hidden"}) {
    std::string grid = ReadFile(command_.folder() / "grid.toml");
    const std::string text = fmt::format("{{name = \"{}\", language = \"regex:(ab)*\"}}", name);
    grid.replace(grid.find("\"parity\""), 8, text);
    WriteFile(command_.folder() / "work" / "grid.toml", grid);
    const ProgramResult result =
        Run({"sweep", "run", "work/grid.toml", "--data", "work/data", "--out", "work/out"});
    EXPECT_EQ(result.exit_code, 2) << result.errors;
  }
  EXPECT_FALSE(fs::exists(command_.folder() / "work" / "data"));
  EXPECT_EQ((std::set<fs::path>{fs::directory_iterator(command_.folder()), {}}), before);
}

// A language like any other: the pattern is not a path.
TEST_F(Paths, APatternWithSlashesIsAPattern) {
  const ProgramResult result = Run({"generate", "--out", "work", "--name", "größe 日本", "--config",
                                    "splits.toml", "regex:(../a/b)*"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(Run({"verify", "work/größe 日本"}).exit_code, 0);
}

TEST_F(Paths, ASweepFileThatSomebodyChangedCannotLeaveItsDirectory) {
  fs::copy(command_.folder() / "plain" / "out", command_.folder() / "work" / "out",
           fs::copy_options::recursive);
  fs::copy(command_.folder() / "data" / "parity", command_.folder() / "escaped",
           fs::copy_options::recursive);
  const fs::path file = command_.folder() / "work" / "out" / "sweep.json";
  Json sweep = Json::parse(ReadFile(file));
  sweep["grid"]["languages"][0] = "../../escaped";
  WriteFile(file, JsonText(sweep));
  for (const char* sub : {"work", "status", "list"}) {
    const ProgramResult result = Run({"sweep", sub, "work/out"});
    EXPECT_EQ(result.exit_code, 2) << sub;
    EXPECT_THAT(result.errors, HasSubstr("cannot be the name of a directory"));
  }
  EXPECT_FALSE(fs::exists(command_.folder() / "work" / "escaped"));
  EXPECT_EQ(Run({"report", "work/out", "--to", "work/report"}).exit_code, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(command_.folder() / "work"), {}), 1);
}

// JSON is UTF-8: a directory that it cannot name is refused, not recorded under another name.
TEST_F(Paths, DataInADirectoryThatIsNotUtf8IsRefused) {
  const std::string folder = "bad\xffname";
  fs::create_directory(command_.folder() / folder);
  fs::copy(command_.folder() / "data", command_.folder() / folder / "data",
           fs::copy_options::recursive);
  for (const auto& arguments :
       {Train(folder + "/data/parity", "work/run"), Sweep(folder + "/data", "work/out")}) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("is not UTF-8"));
  }
  // What is not written down may have any name.
  EXPECT_EQ(Run(Train("data/parity", folder + "/run")).exit_code, 0);
  EXPECT_EQ(Run(Sweep("data", folder + "/out")).exit_code, 0);
}

// In a /tmp of its own, where somebody has put a link in place of the file that libxsmm locks.
TEST(SharedTmp, ALinkInPlaceOfTheLockOfLibxsmmIsRefused) {
  const TemporaryDirectory work(fs::path(FlareProgram()).parent_path());
  const auto in_own_tmp = [&](const std::string& command) {
    return RunShell("unshare -m sh -c 'mount -t tmpfs none /tmp && " + command + "'", work.path());
  };
  if (in_own_tmp("true").exit_code != 0) GTEST_SKIP() << "may not mount";
  const std::string lock = "/tmp/.libxsmm.$(id -u)";
  const std::string doctor = FlareProgram() + " doctor";
  const ShellResult native = in_own_tmp(doctor + " | grep \"^target native\"");
  ASSERT_EQ(native.exit_code, 0) << native.output;
  if (native.output.ends_with(" loops\n")) GTEST_SKIP() << "without libxsmm";
  const ShellResult linked = in_own_tmp("ln -s \"$PWD/other\" " + lock + " && " + doctor);
  EXPECT_EQ(linked.exit_code, 2) << linked.output;
  EXPECT_THAT(linked.output, HasSubstr(".libxsmm."));
  EXPECT_THAT(linked.output, HasSubstr("symbolic link"));
  EXPECT_FALSE(fs::exists(work.path() / "other"));
}

}  // namespace
}  // namespace flare
