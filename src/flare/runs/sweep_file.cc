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

constexpr std::uint64_t kSweepFormat = 1;

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
  Json json = {{kFormatMember, kSweepFormat}};
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

}  // namespace flare
