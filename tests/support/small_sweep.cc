#include "support/small_sweep.h"

#include <fmt/format.h>

#include "flare/base/file.h"
#include "support/paths.h"
#include "support/same_run.h"

namespace flare {

namespace fs = std::filesystem;

void WriteSmallGrid(const fs::path& folder, int epochs) {
  WriteFile(folder / "grid.toml", fmt::format(R"(
languages = ["parity", {{name = "ab-star", language = "regex:(ab)*"}}]
architectures = ["rnn", "transformer"]
losses = ["rec"]
validations = ["short"]
budgets = [1_000]
trials = 2
[settings]
layers = 1
batch_tokens = 256
checkpoint_examples = 100
stopping_patience = 1_000_000
max_epochs = {}
[data]
splits.train.size = 100
splits.train.max_length = 10
splits.validation-short.size = 50
splits.validation-short.max_length = 10
splits.validation-long.size = 0
splits.test.size = 100
splits.test.max_length = 30
splits.test-short-held-out.size = 0
splits.test-edit-distance.size = 0
)",
                                              epochs));
}

std::string SweepCommand(const std::string& out, const std::string& more) {
  return fmt::format("{} sweep run grid.toml --data data --out {} {}", FlareProgram(), out, more);
}

std::map<std::string, std::map<std::string, std::string>> RunsOf(const fs::path& out) {
  std::map<std::string, std::map<std::string, std::string>> runs;
  for (const auto& entry : fs::recursive_directory_iterator(out / "runs")) {
    if (entry.path().filename() != "result.json") continue;
    const fs::path run = entry.path().parent_path();
    runs[fs::relative(run, out / "runs")] = TimelessContents(run);
  }
  return runs;
}

}  // namespace flare
