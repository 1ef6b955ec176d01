// flare verify DIR…: is everything that datasets claim true?

#include <memory>

#include "flare/base/json.h"
#include "flare/cli/command.h"
#include "flare/data/verify.h"

namespace flare {
namespace {

struct Options {
  explicit Options(CLI::App& app) : datasets(app) {
    app.add_flag("--json", json, "as JSON");
    AddCount(app, "--examples", examples, "how many differing examples to show per check");
  }

  DatasetsArgument datasets;
  bool json = false;
  std::uint64_t examples = 3;
};

int Verify(const Options& options) {
  std::vector<SplitVerification> rows;
  for (const std::string& directory : options.datasets.directories()) {
    const DatasetLanguage language = options.datasets.Find(directory);
    for (auto& row : VerifyDataset(directory, language, options.examples)) {
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
  const auto options = std::make_shared<Options>(app);
  return [options] { return Verify(*options); };
}

}  // namespace flare
