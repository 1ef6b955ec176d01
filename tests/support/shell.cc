#include "support/shell.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "flare/base/error.h"

namespace flare {
namespace {

std::string SingleQuoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

ShellResult RunShell(const std::string& command, const std::filesystem::path& directory) {
  const std::string line =
      "cd " + SingleQuoted(directory) + " && bash -c " + SingleQuoted(command) + " 2>&1";
  std::FILE* pipe = ::popen(line.c_str(), "r");
  FLARE_CHECK(pipe != nullptr);
  ShellResult result;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), count);
  }
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& parent) {
  std::string name = (parent / "flare-test-XXXXXX").string();
  FLARE_CHECK(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() { std::filesystem::remove_all(path_); }

}  // namespace flare
