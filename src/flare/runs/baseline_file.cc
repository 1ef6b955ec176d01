#include "flare/runs/baseline_file.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

std::map<std::string, Baselines> BaselinesFromJson(const JsonValue& json) {
  std::map<std::string, Baselines> splits;
  json.At("splits").ForEach([&](std::string_view split, const JsonValue& row) {
    splits[std::string(split)] = {
        row.MaybeNumber("majority"),    row.MaybeNumber("majority_per_length"),
        row.MaybeNumber("format_only"), row.MaybeNumber("symbol_counts"),
        row.MaybeNumber("ngrams"),      row.MaybeNumber("state_merging")};
  });
  return splits;
}

// Is it of the sweep's data? A file that does not say of what bytes it is says at least where they
// were.
void CheckIsOf(const JsonValue& json, const Sweep& sweep, const std::string& language) {
  const fs::path dataset = json.StringOr("dataset", "");
  const fs::path wanted = sweep.DatasetPath(language);
  if (!dataset.empty() && dataset.filename() != wanted.filename()) {
    json.Fail(fmt::format("it is of the dataset {}, not {}", Quoted(dataset.filename().string()),
                          Quoted(wanted.filename().string())));
  }
  const std::string sha256 = json.StringOr("data_sha256", "");
  const auto pinned = sweep.data_sha256.find(language);
  if (sha256.empty() || pinned == sweep.data_sha256.end() || sha256 == pinned->second) return;
  json.Fail(fmt::format("it is of other data: the SHA-256 is {}, not {}", sha256, pinned->second));
}

// Calls use(json) for the contents of a file whose check holds. Throws InputError or IoError.
template <class Use>
auto ReadWhole(const fs::path& file, Use use) {
  JsonReader reader;
  const std::string text = ReadRegularFile(file);
  const JsonValue json = reader.Parse(text, file);
  CheckFormat(json, kBaselinesFormat);
  VerifyText(text, json, "");
  return use(json);
}

}  // namespace

bool AreBaselines(const fs::path& file) {
  try {
    return ReadWhole(file, [](const JsonValue& json) { return !BaselinesFromJson(json).empty(); });
  } catch (...) {
    CaughtFault();
    return false;
  }
}

BaselineFile ReadBaselines(const Sweep& sweep, const std::string& language) {
  const fs::path file = sweep.BaselinesPath(language);
  try {
    if (!fs::exists(file)) return {};
    return ReadWhole(file, [&](const JsonValue& json) -> BaselineFile {
      CheckIsOf(json, sweep, language);
      return {BaselinesFromJson(json), "", json.StringOr("data_sha256", "")};
    });
  } catch (...) {
    return {{}, CaughtFault(), ""};
  }
}

}  // namespace flare
