// TOML: grids of sweeps, and settings of datasets. What is accepted is the same after a round trip
// through JSON or its list of settings.

#include "flare/base/error.h"
#include "flare/data/dataset_config.h"
#include "flare/runs/grid.h"
#include "target.h"

namespace flare {
namespace {

void ReadGrid(std::string_view text) {
  const Grid grid = ParseGrid(text, "grid.toml");
  const Json json = GridToJson(grid);
  JsonReader reader;
  FLARE_CHECK(GridToJson(GridFromJson(reader.Parse(json.dump(), "sweep.json"))) == json);
}

void ReadDatasetConfig(std::string_view text) {
  DatasetConfig config = MakePreset("flare");
  ApplyToml(text, "dataset.toml", config);
  Validate(config);
  DatasetConfig again = MakePreset("flare");
  for (const auto& [key, value] : SettingsOf(config)) {
    const Json json = Json::parse(value);
    ApplySetting(key, json.is_string() ? json.get<std::string>() : value, "", again);
  }
  FLARE_CHECK(SettingsOf(again) == SettingsOf(config));
}

}  // namespace

void FuzzToml(std::string_view text) {
  // A grid may name files to read; those of this machine are not what is tried here.
  if (text.find("att:") != std::string_view::npos) return;
  Accepts([&] { ReadGrid(text); });
  Accepts([&] { ReadDatasetConfig(text); });
}

}  // namespace flare
