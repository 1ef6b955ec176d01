// Runs every ```console block of README.md, docs/ and tests/cli/*.md and compares what it prints:
// the documentation shows what the program does, and each command has its examples of use and
// abuse.
//
// In a block, a line `$ command` is run by bash, in one directory per file, with flare on the PATH
// and with the contents of the folder `examples` next to the file; `> ` continues it. What follows
// is its output, stderr included, and `[exit N]` if N is not 0. FLARE_UPDATE_TRANSCRIPTS=1 rewrites
// the files instead.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "support/installed.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Files() {
  const fs::path root = SourceDir();
  std::vector<fs::path> files{root / "README.md"};
  for (const char* folder : {"docs", "tests/cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".md") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Run(const std::string& command, const fs::path& directory) {
  const std::string path = fs::path(FlareProgram()).parent_path();
  const ShellResult result = RunShell("PATH=" + path + ":$PATH; " + command, directory);
  // Where the test happens to run must not show.
  std::string output = result.output;
  const std::string here = fs::canonical(directory).string() + "/";
  for (std::size_t at; (at = output.find(here)) != std::string::npos;)
    output.erase(at, here.size());
  if (!output.empty() && output.back() != '\n') output += '\n';
  if (result.exit_code != 0) output += "[exit " + std::to_string(result.exit_code) + "]\n";
  return output;
}

// The file as it would be if all its blocks were true.
std::string TrueText(const fs::path& file, const std::string& text) {
  const TemporaryDirectory directory;
  const fs::path examples = file.parent_path() / "examples";
  if (fs::exists(examples)) fs::copy(examples, directory.path());
  std::string out, command;
  bool in_block = false;
  const auto finish = [&] {
    if (!command.empty()) out += Run(command, directory.path());
    command.clear();
  };
  for (const std::string_view line : Lines(text)) {
    if (line == "```console") {
      in_block = true;
    } else if (in_block && line == "```") {
      finish();
      in_block = false;
    } else if (in_block) {
      if (line.starts_with("$ ")) {
        finish();
        command = line.substr(2);
      } else if (line.starts_with("> ") && !command.empty() && out.ends_with("\\\n")) {
        command += "\n" + std::string(line.substr(2));
      } else {
        continue;  // output, which Run writes again
      }
    }
    out += line;
    out += '\n';
  }
  return out;
}

class Transcript : public testing::TestWithParam<fs::path> {};

TEST_P(Transcript, IsTrue) {
  const std::string text = ReadFile(GetParam());
  if (text.find("fstcompile") != std::string::npos && !Installed("fstcompile")) {
    GTEST_SKIP() << "OpenFst's fstcompile is not installed";
  }
  const std::string truth = TrueText(GetParam(), text);
  if (std::getenv("FLARE_UPDATE_TRANSCRIPTS") != nullptr) {
    WriteFileAtomically(GetParam(), truth);
    return;
  }
  const auto told = Lines(text), seen = Lines(truth);
  for (std::size_t i = 0; i < std::min(told.size(), seen.size()); ++i) {
    ASSERT_EQ(told[i], seen[i]) << GetParam() << ":" << i + 1;
  }
  EXPECT_EQ(told.size(), seen.size());
}

INSTANTIATE_TEST_SUITE_P(Files, Transcript, testing::ValuesIn(Files()), [](const auto& file) {
  std::string name = file.param.stem().string();
  // README.md is that of the project, and others have the names of their folders.
  const fs::path folder = file.param.parent_path();
  if (name == "README" && folder != fs::path(SourceDir())) name = folder.filename().string();
  // A guide may have the name of the page on its background.
  if (folder.filename() == "how-to") name = "how_to_" + name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace flare
