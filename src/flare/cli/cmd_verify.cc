// flare verify DIR…: is everything that datasets claim true?

#include <memory>

#include "flare/base/json.h"
#include "flare/cli/command.h"
#include "flare/data/verify.h"

namespace flare {
namespace {

struct VerifyArguments {
  explicit VerifyArguments(CLI::App& app) : datasets(app) {
    app.add_flag("--json", json, "as JSON");
    AddCount(app, "--examples", examples, "how many differing examples to show per check");
  }

  DatasetsArgument datasets;
  bool json = false;
  std::uint64_t examples = 3;
};

int Verify(const VerifyArguments& options) {
  // Directories that are not datasets are reported before any other is verified.
  const auto& directories = options.datasets.directories();
  std::vector<DatasetLanguage> languages;
  for (const std::string& directory : directories) {
    languages.push_back(options.datasets.Find(directory));
  }
  std::vector<SplitVerification> rows;
  for (std::size_t i = 0; i < directories.size(); ++i) {
    for (auto& row : VerifyDataset(directories[i], languages[i], options.examples)) {
      rows.push_back(std::move(row));
    }
  }
  Print(options.json ? JsonText(VerificationToJson(rows)) : FormatVerification(rows));
  for (const SplitVerification& row : rows) {
    if (!row.ok()) return kNegativeAnswer;
  }
  return kDone;
}

}  // namespace

std::function<int()> VerifyCommand(CLI::App& app) {
  const auto options = std::make_shared<VerifyArguments>(app);
  return [options] { return Verify(*options); };
}

}  // namespace flare
