// Datasets in the FLaRe layout (folder.h: every file of one, its manifest among them), as `flare
// verify` and training read them. What is accepted is the same when it is written and read again.

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/data/dataset_language.h"
#include "flare/data/flare_files.h"
#include "flare/data/verify.h"
#include "flare/training/run_data.h"
#include "folder.h"
#include "target.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

void Verify(const fs::path& dataset, const std::string& language) {
  const auto rows = VerifyDataset(dataset, FindDatasetLanguage(dataset, language), 2);
  FormatVerification(rows);
  JsonText(VerificationToJson(rows));
}

void ReadTwice(const fs::path& dataset, const std::string& name, const Alphabet& alphabet) {
  const auto files = FormatSplit(alphabet, ReadSplit(dataset, name, alphabet));
  for (const auto& [file, text] : files) WriteFile(dataset / SplitPath(name) / file, text);
  FLARE_CHECK(FormatSplit(alphabet, ReadSplit(dataset, name, alphabet)) == files);
}

}  // namespace

void FuzzDataset(std::string_view text) {
  const Folder folder(text);
  const fs::path& dataset = folder.path();
  Accepts([&] { Verify(dataset, ""); });
  Accepts([&] { Verify(dataset, "parity"); });
  Accepts([&] {
    const RunData pinned = IdentifyData(dataset);
    for (const std::string& name : pinned.Splits()) ReadPinnedSplit(pinned, name, {});
  });
  Accepts([&] {
    const Alphabet alphabet = ReadAlphabet(dataset);
    for (const std::string& name : SplitsIn(dataset)) {
      Accepts([&] { ReadTwice(dataset, name, alphabet); });
    }
  });
}

}  // namespace flare
