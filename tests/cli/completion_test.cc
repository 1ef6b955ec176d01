// Completions and the manual, as the shells and groff that read them see them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/installed.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

const std::string kFlare = FlareProgram();

std::vector<std::string> SortedWords(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> words;
  for (std::string word; in >> word;) words.insert(word);
  return {words.begin(), words.end()};
}

// What bash offers after these words, the last of which is incomplete.
std::vector<std::string> Bash(const std::string& words) {
  return SortedWords(RunShell(fmt::format("source <({} completion bash); COMP_WORDS=({}); "
                                          "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _flare; "
                                          "printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                                          kFlare, words))
                         .output);
}

// The commands that help lists, each with its subcommands.
std::vector<std::string> AllCommands() {
  const std::string list =
      "{} {} --help | sed -n '/^Subcommands:/,$ s/^  \\([a-z][a-z-]*\\).*/\\1/p'";
  std::vector<std::string> commands;
  for (const std::string& command :
       SortedWords(RunShell(fmt::format(fmt::runtime(list), kFlare, "")).output)) {
    commands.push_back(command);
    for (const std::string& sub :
         SortedWords(RunShell(fmt::format(fmt::runtime(list), kFlare, command)).output)) {
      commands.push_back(command + " " + sub);
    }
  }
  return commands;
}

TEST(Completion, OffersTheOptionsOfEveryCommand) {
  const auto commands = AllCommands();
  ASSERT_GE(commands.size(), 20u);
  for (const std::string& command : commands) {
    const auto flags = SortedWords(
        RunShell(
            fmt::format("{} {} --help | grep -oE '^  (-[a-z],)?--[a-z][a-z0-9-]*' | tr ',' ' '",
                        kFlare, command))
            .output);
    ASSERT_FALSE(flags.empty()) << command;
    const auto offered = Bash("flare " + command + " -");
    EXPECT_EQ(offered, flags) << command;
  }
}

TEST(Completion, OffersCommandsAndValues) {
  EXPECT_EQ(Bash("flare sweep st"), std::vector<std::string>{"status"});
  EXPECT_EQ(Bash("flare train --architecture ls"), std::vector<std::string>{"lstm"});
  EXPECT_EQ(Bash("flare show pari"), std::vector<std::string>{"parity"});
  EXPECT_EQ(Bash("flare completion z"), std::vector<std::string>{"zsh"});
  EXPECT_EQ(Bash("flare show --format do"), std::vector<std::string>{"dot"});
}

TEST(Completion, IsReadByZsh) {
  if (!Installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  const auto read = RunShell(kFlare + " completion zsh | zsh -n");
  EXPECT_EQ(read.exit_code, 0) << read.output;
}

TEST(Completion, IsReadByFish) {
  if (!Installed("fish")) GTEST_SKIP() << "fish is not installed";
  const auto offered = RunShell(
      fmt::format("fish -c '{} completion fish | source; complete -C \"flare sweep st\"'", kFlare));
  EXPECT_THAT(offered.output, HasSubstr("status"));
}

TEST(Completion, OtherShellsAreRefused) {
  const auto refused = RunShell(kFlare + " completion tcsh");
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
}

TEST(Manual, IsSetWithoutAWarning) {
  if (!Installed("groff")) GTEST_SKIP() << "groff is not installed";
  const auto warnings = RunShell(kFlare + " man | groff -man -Tutf8 -ww -z");
  EXPECT_EQ(warnings.output, "");
}

TEST(Manual, HasEveryCommand) {
  const std::string page = RunShell(kFlare + " man").output;
  for (const std::string& command : AllCommands()) {
    if (command == "sweep") continue;  // its subcommands are there
    std::string name = "flare " + command;
    for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) {
      name.replace(at, 1, "\\-");
    }
    EXPECT_THAT(page, HasSubstr(".SS " + name + "\n")) << name;
  }
}

}  // namespace
}  // namespace flare
