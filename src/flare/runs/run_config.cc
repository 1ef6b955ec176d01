#include "flare/runs/run_config.h"

#include <fmt/format.h>

#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"

namespace flare {
namespace {

constexpr std::uint64_t kConfigFormat = 1;

Json DataToJson(const PinnedData& data) {
  if (!data.known_sha256.empty()) {
    return {
        {"language", data.language}, {"alphabet", data.alphabet}, {"sha256", data.known_sha256}};
  }
  return {{"path", data.path.string()},
          {"language", data.language},
          {"alphabet", data.alphabet},
          {"sha256", data.Sha256OfAll()},
          {"files", data.files}};
}

PinnedData DataFromJson(const JsonValue& json) {
  PinnedData data;
  data.language = json.String("language");
  data.alphabet = json.Strings("alphabet");
  if (!json.Find("path") && !json.Find("files")) {
    data.known_sha256 = json.String("sha256");
    if (data.known_sha256.empty()) json.Fail("data: the hash is empty");
    return data;
  }
  data.path = json.String("path");
  if (data.alphabet.empty()) json.Fail("data: the alphabet is empty");
  json.At("files").ForEach([&](std::string_view name, const JsonValue& hash) {
    data.files[std::string(name)] = hash.AsString(name);
  });
  return data;
}

}  // namespace

std::string PinnedData::Sha256OfAll() const {
  if (!known_sha256.empty()) return known_sha256;
  std::string listing;
  for (const auto& [name, hash] : files) listing += name + " " + hash + "\n";
  return Sha256(listing);
}

Json ConfigToJson(const RunConfig& config) {
  Json json = {{kFormatMember, kConfigFormat}, {"data", DataToJson(config.data)}};
  json.update(SettingsToJson(config.settings));
  if (config.external) json["external"] = ExternalToJson(*config.external);
  return json;
}

RunConfig ConfigFromJson(const JsonValue& json) {
  CheckFormat(json, kConfigFormat);
  const std::vector<std::string> others = {kFormatMember, "data", "external", kCheckMember};
  if (!json.Find("external")) {
    return {SettingsFromJson(json, others), DataFromJson(json.At("data"))};
  }
  const External external = ExternalFromJson(json.String("architecture"), json.At("external"));
  CheckExternal(external, json.where());
  return {SettingsFromJson(json, others, {external}), DataFromJson(json.At("data")), external};
}

std::string ConfigDifference(const RunConfig& there, const RunConfig& wanted) {
  const std::string difference = SettingsDifference(there.settings, wanted.settings);
  if (!difference.empty()) return difference;
  const auto what = [](const RunConfig& config) {
    const PinnedData& data = config.data;
    return Json{{"data", {{"alphabet", data.alphabet}, {"sha256", data.Sha256OfAll()}}},
                {"external", config.external ? ExternalToJson(*config.external) : Json(nullptr)}};
  };
  return FirstDifference(what(there), what(wanted));
}

}  // namespace flare
