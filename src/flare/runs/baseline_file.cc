#include "flare/runs/baseline_file.h"

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/integrity.h"
#include "flare/base/json_reader.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

std::map<std::string, Baselines> BaselinesFromJson(const JsonValue& json) {
  std::map<std::string, Baselines> splits;
  json.At("splits").ForEach([&](std::string_view split, const JsonValue& row) {
    splits[std::string(split)] = {row.MaybeNumber("majority"),
                                  row.MaybeNumber("majority_per_length"),
                                  row.MaybeNumber("format_only"), row.MaybeNumber("symbol_counts"),
                                  row.MaybeNumber("ngrams")};
  });
  return splits;
}

}  // namespace

BaselineFile ReadBaselines(const fs::path& file) {
  try {
    if (!fs::exists(file)) return {};
    JsonReader reader;
    const std::string text = ReadRegularFile(file);
    const JsonValue json = reader.Parse(text, file);
    VerifyText(text, json, "flare sweep run makes it again");
    return {BaselinesFromJson(json), ""};
  } catch (...) {
    return {{}, CaughtFault()};
  }
}

}  // namespace flare
