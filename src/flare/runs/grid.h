// A grid: languages × variants × losses × validation sets × sizes × trials, as a TOML file.
//
//   name = "mine"
//   languages = ["parity", {name = "ab-star", language = "regex:(ab)*"},
//                {name = "anbn", data = "DIR"}]     # or "paper", or "all"
//   architectures = ["lstm", {architecture = "transformer", layers = [2, 5], name = "Tf"},
//                    {name = "mine", command = ["./mine"]}]    # another program (external.h)
//   losses = ["rec", "rec+ns"]
//   validations = ["short", "long"]
//   budgets = [64_000]
//   trials = 3
//   seed = 0          # base seed: every run's seed comes from it and the run's coordinates
//   paired = false    # true: variants of equal other coordinates get the same seed
//   data_seed = 0     # of the datasets
//   tuned = ["learning_rate"]     # axes of which reports show the value that validation chooses
//   [settings]        # for every run: any setting of flare train; a list makes an axis
//   max_epochs = 100
//   learning_rate = [0.001, 0.0003]
//   [data]            # settings of the datasets, as flare generate --set takes them
//   preset = "flare"
//   splits.train.size = 1000
//   [report]          # what the report shows (report_spec.h)
//   [about]           # for `flare papers`; decides nothing
//   shows = "..."     # what the grid is to show
//   core_hours = 2    # that all of it takes, if somebody has measured it

#ifndef FLARE_RUNS_GRID_H_
#define FLARE_RUNS_GRID_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/coordinates.h"
#include "flare/runs/external.h"
#include "flare/runs/report_spec.h"
#include "flare/runs/run_settings.h"

namespace flare {

// Of sweep.json. In a sweep of format 1 a setting that is not given means what it meant in version
// 0.2; in one of format 2 Mamba begins as its source does.
constexpr std::uint64_t kSweepFormat = 2;

struct Grid {
  std::string name;
  // Decides what settings mean that the grid does not give: today's, or that of the sweep.json from
  // which it was read.
  std::uint64_t format = kSweepFormat;
  // Where the lists and `settings`, and `data`, were written, for messages.
  SettingPlaces places = "", data_places = "";
  struct GridLanguage {
    std::string name;      // of the dataset's directory
    std::string language;  // as `flare generate` takes it; empty if only its data is known
    std::string data;      // a directory with the dataset; empty: under --data
    std::string where;     // in the file, for messages about the language
    // A pattern of the strings that have the format of members; empty: what is known of it.
    std::string envelope = {};
  };
  std::vector<GridLanguage> languages;
  std::vector<Variant> variants;
  std::vector<External> externals;  // the architectures that other programs train
  std::vector<std::string> losses, validations;
  std::vector<std::size_t> budgets;
  std::size_t trials = 1;
  std::uint64_t seed = 0;
  bool paired = false;
  std::uint64_t data_seed = 0;
  SettingTexts settings;              // the settings of every run
  std::string data_preset = "flare";  // the preset of every dataset
  SettingTexts data;
  ReportSpec report;
  std::string shows;                 // says what the grid is for; may be empty
  std::optional<double> core_hours;  // what all runs take; informs readers only

  // Returns all runs in grid order: nested loops, languages outermost, trials innermost.
  std::vector<Coordinates> Runs() const;
  // Returns those of a language.
  std::vector<Coordinates> RunsOf(const GridLanguage& language) const;
  // Independent of what else is in the grid.
  std::uint64_t SeedOf(const Coordinates& run) const;
  // Returns the settings to pass to ParseSettings.
  SettingTexts SettingsOf(const Coordinates& run) const;
  // Requires: the grid has it.
  const GridLanguage& Language(std::string_view name) const;
  const Variant& VariantOf(std::string_view text) const;
};

// Throws InputError with file and line: unknown keys, empty lists, settings that do not exist. Does
// not check what the languages and the settings of datasets mean.
Grid ParseGrid(std::string_view toml, const std::string& file);

// Finds all faults of a grid before a sweep begins. Throws InputError.
void CheckGrid(const Grid& grid);

// The grid's part of sweep.json.
Json GridToJson(const Grid& grid);
Grid GridFromJson(const JsonValue& json);

// Selects runs of a grid: --only architecture=rnn,lstm --only trial=1.
//
// Every coordinate that is given must have one of its values.
class RunFilter {
 public:
  RunFilter() = default;
  // Texts like "architecture=rnn,lstm". A variant may hold commas, so that variant=... is one
  // value; several are given one by one. Throws InputError for a coordinate that does not exist, or
  // a value that the grid does not have.
  RunFilter(const std::vector<std::string>& conditions, const Grid& grid);
  bool Matches(const Coordinates& run) const;

 private:
  std::map<std::string, std::vector<std::string>> conditions_;
};

// Grids that are part of the program, and what belongs to them: configs/*.toml, papers/*/*.toml and
// papers/*/published.json. A paper is added by adding its folder.

// The text of a file by its path in this repository, such as papers/butoi-2025/grid.toml.
std::optional<std::string_view> BuiltInFile(std::string_view path);
// The paths of all.
std::vector<std::string_view> BuiltInFiles();

// All presets, sorted by name.
std::vector<Grid> Presets();
// The names of all presets, which are those of their grids, in alphabetical order.
std::vector<std::string> PresetNames();
// Returns nothing if no preset has this name.
std::optional<Grid> FindPreset(const std::string& name);

}  // namespace flare

#endif  // FLARE_RUNS_GRID_H_
