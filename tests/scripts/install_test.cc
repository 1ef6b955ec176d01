// cmake --install into a user's directory, and Debian's package.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/installed.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

std::string OutputOf(const std::string& command, const fs::path& folder) {
  const ShellResult result = RunShell(command, folder);
  EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.output;
  return result.output;
}

TEST(Install, PutsAProgramThatRunsWhereTheUserSays) {
  const TemporaryDirectory folder;
  OutputOf(CMAKE_COMMAND " --install " FLARE_BUILD_DIR " --prefix $PWD/there", folder.path());
  EXPECT_EQ(
      OutputOf("cd / && env -i " + (folder.path() / "there/bin/flare").string() + " --version",
               folder.path()),
      std::string("flare ") + Version() + "\n");
  const fs::path share = folder.path() / "there/share";
  const std::vector<std::pair<std::string, std::string>> written = {
      {"bash-completion/completions/flare", "completion bash"},
      {"zsh/site-functions/_flare", "completion zsh"},
      {"fish/vendor_completions.d/flare.fish", "completion fish"},
      {"man/man1/flare.1", "man"}};
  for (const auto& [file, command] : written) {
    EXPECT_EQ(ReadFile(share / file), OutputOf(FlareProgram() + " " + command, folder.path()));
  }
  const fs::path doc = share / "doc/flare-languages";
  EXPECT_EQ(ReadFile(doc / "copyright"), ReadFile(SourceDir() + "/LICENSE"));
  EXPECT_EQ(ReadFile(doc / "docs/reference/runs.md"),
            ReadFile(SourceDir() + "/docs/reference/runs.md"));
  EXPECT_THAT(ReadFile(doc / "licences/libxsmm-dev"), HasSubstr("BSD"));
}

TEST(Package, IsDebiansWithItsDependencies) {
  if (!Installed("dpkg-shlibdeps") || !Installed("dpkg-deb")) GTEST_SKIP() << "dpkg-dev is missing";
  const TemporaryDirectory folder;
  OutputOf(CPACK_COMMAND " --config " FLARE_BUILD_DIR "/CPackConfig.cmake -B $PWD", folder.path());
  const std::string file = OutputOf("ls *.deb", folder.path());
  EXPECT_EQ(file.substr(0, file.rfind('_')), std::string("flare-languages_") + Version());
  const std::string control = OutputOf("dpkg-deb --field *.deb", folder.path());
  EXPECT_THAT(control, HasSubstr("Package: flare-languages\n"));
  for (const char* needed : {"libc6 (>= ", "libgmp10", "libgvc6", "liblinear4"}) {
    EXPECT_THAT(control, HasSubstr(needed)) << needed;
  }
  const std::string files = OutputOf("dpkg-deb --contents *.deb", folder.path());
  EXPECT_THAT(files, HasSubstr(" ./usr/bin/flare\n"));
  // It runs from where it is unpacked, too.
  EXPECT_EQ(
      OutputOf("dpkg-deb --extract *.deb there && there/usr/bin/flare --version", folder.path()),
      std::string("flare ") + Version() + "\n");
}

}  // namespace
}  // namespace flare
