#include "flare/runs/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"

namespace flare {

namespace fs = std::filesystem;

namespace {

void CheckMembers(const JsonValue& json) {
  static const std::vector<std::string> members = {
      "format",         "name",        "seed",        "data_seed",
      "grid",           "definitions", "overrides",   "data_overrides",
      "labels",         "paired",      "data_preset", "data_directories",
      "envelopes",      "report",      "data",        "data_sha256",
      "data_of_recipe", "records",     "external",    "runs",
      kCheckMember};
  json.ForEach([&](std::string_view name, const JsonValue&) {
    if (std::find(members.begin(), members.end(), name) != members.end()) return;
    const auto nearest = Nearest(name, members);
    json.Fail(fmt::format("unknown member {}", Quoted(name)),
              nearest ? fmt::format("did you mean {}?", *nearest) : "");
  });
}

}  // namespace

fs::path Sweep::DatasetPath(const std::string& language) const {
  const std::string& directory = is_records ? "" : grid.Language(language).data;
  return directory.empty() ? data / language : fs::path(directory);
}

Json SweepToJson(const Sweep& sweep) {
  Json json = {{kFormatMember, sweep.grid.format}};
  json.update(GridToJson(sweep.grid));
  json["data"] = sweep.data.string();
  if (!sweep.data_sha256.empty()) json["data_sha256"] = sweep.data_sha256;
  if (!sweep.data_of_recipe.empty()) json["data_of_recipe"] = sweep.data_of_recipe;
  if (sweep.is_records) json["records"] = true;
  json["runs"] = sweep.grid.Runs().size();
  return json;
}

std::string SweepText(const Sweep& sweep) { return CheckedText(SweepToJson(sweep)); }

Sweep ReadSweep(const fs::path& out) {
  const fs::path file = SweepFile(out);
  if (!fs::exists(file)) {
    throw InputError(out, "is not a sweep directory: it has no sweep.json",
                     "flare sweep plan or flare sweep run makes one");
  }
  JsonReader reader;
  const std::string text = ReadRegularFile(file);
  const JsonValue json = reader.Parse(text, file);
  if (!json.IsObject() || !json.Find(kFormatMember)) {
    throw InputError(file, "is not the description of a sweep");
  }
  CheckFormat(json, kSweepFormat);
  CheckMembers(json);
  if (!json.Find("data")) json.Fail("it does not say where the data is");
  Sweep sweep{out, json.String("data"), GridFromJson(json)};
  sweep.grid.format = json.Count(kFormatMember);
  sweep.is_records = json.Truth("records");
  // The data of records is stored with them.
  if (sweep.is_records) sweep.data = out / sweep.data;
  if (json.Find("data_sha256")) {
    json.At("data_sha256").ForEach([&](std::string_view language, const JsonValue& hash) {
      sweep.data_sha256[std::string(language)] = hash.AsString(language);
    });
  }
  if (json.Find("data_of_recipe")) {
    for (std::string& language : json.Strings("data_of_recipe")) {
      sweep.data_of_recipe.insert(std::move(language));
    }
  }
  if (json.Find("runs") && json.Count("runs") != sweep.grid.Runs().size()) {
    json.Fail(fmt::format("it says that it has {}, and its grid has {}",
                          Counted(json.Count("runs"), "run"), sweep.grid.Runs().size()));
  }
  VerifyText(text, json, "restore it; if you changed it on purpose, remove the member \"check\"");
  return sweep;
}

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

// Throws InputError unless the baselines belong to the sweep's data. Old files name only the data's
// directory, not its hash.
void CheckBelongsToSweep(const JsonValue& json, const Sweep& sweep, const std::string& language) {
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
      CheckBelongsToSweep(json, sweep, language);
      return {BaselinesFromJson(json), "", json.StringOr("data_sha256", "")};
    });
  } catch (...) {
    return {{}, CaughtFault(), ""};
  }
}

}  // namespace flare
