// The commands that write files, on the tiniest case: one language, 20 examples, one epoch.

#ifndef FLARE_TESTS_FAULTS_TINY_COMMANDS_H_
#define FLARE_TESTS_FAULTS_TINY_COMMANDS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "faults/injection.h"
#include "support/shell.h"

namespace flare {

// A command and the files that it starts from. All that it writes is in one folder, `work`; what it
// reads is next to that.
class TinyCommand {
 public:
  // generate, train, sweep, report or evaluate.
  explicit TinyCommand(const std::string& name);

  const std::vector<std::string>& arguments() const { return arguments_; }
  const Injector& injector() const { return injector_; }
  // Also the directory in which the command runs.
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path work() const { return folder_ / "work"; }

  // Makes the work folder again, as it is before the command. report and evaluate find old files
  // there, which they must replace.
  void Prepare() const;

 private:
  void Succeed(const std::vector<std::string>& arguments) const;

  TemporaryDirectory scratch_;
  std::filesystem::path folder_;
  Injector injector_;
  std::vector<std::string> arguments_;
};

}  // namespace flare

#endif  // FLARE_TESTS_FAULTS_TINY_COMMANDS_H_
