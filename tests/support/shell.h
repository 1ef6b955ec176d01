// Runs commands as a person at a terminal would.

#ifndef FLARE_TESTS_SUPPORT_SHELL_H_
#define FLARE_TESTS_SUPPORT_SHELL_H_

#include <filesystem>
#include <string>

namespace flare {

struct ShellResult {
  std::string output;  // stdout and stderr together, in the order they came
  int exit_code;
};

// `command` is given to bash, in `directory`.
ShellResult RunShell(const std::string& command, const std::filesystem::path& directory = ".");

// A new directory that is removed with its contents at the end of the scope.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_SHELL_H_
