#include "flare/experiments/planned_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/long_work.h"
#include "flare/base/text.h"
#include "flare/data/baselines.h"
#include "flare/data/dataset_config.h"
#include "flare/data/dataset_language.h"
#include "flare/data/flare_files.h"
#include "flare/data/generate.h"
#include "flare/data/manifest.h"
#include "flare/experiments/data_access.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/train_data.h"

namespace flare {

namespace fs = std::filesystem;

namespace {

// Hint for a sweep whose grid changes the definition of a language.
constexpr const char* kKeepDefinition =
    "define the language as it was when the sweep was planned, or plan a sweep for the new "
    "definition with another --out and another --data";

// Is the language's dataset used as it is, and never generated? That holds for datasets that the
// grid names by their directory, for those without a manifest, and for those whose language only
// the dataset knows.
bool IsExternalDataset(const Sweep& sweep, const Grid::GridLanguage& language) {
  if (!language.data.empty()) return true;
  const fs::path dataset = sweep.DatasetPath(language.name);
  const bool only_data_knows = language.language == language.name && !IsPublished(language.name);
  try {
    if (!fs::exists(dataset / kMainFile)) return false;
    const auto manifest = ReadManifest(dataset);
    return !manifest || (only_data_knows && manifest->language.text != language.name);
  } catch (const std::exception&) {
    return only_data_knows;  // any other data can be generated again
  }
}

// Returns nothing if the data does not say it or cannot be read; who reads the data reports the
// fault.
std::optional<NamedLanguage> LanguageOfData(const fs::path& dataset) {
  try {
    if (!fs::is_directory(dataset) || !HasKnownLanguage(dataset)) return std::nullopt;
    return FindDatasetLanguage(dataset).language;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

NamedLanguage Resolve(const Grid::GridLanguage& language) {
  try {
    ResolveOptions options;
    if (!language.envelope.empty()) options.envelope = language.envelope;
    return ResolveLanguage(language.language, options);
  } catch (const InputError& error) {
    throw InputError(language.where, error.what(), error.hint());
  }
}

DatasetConfig DatasetConfigOf(const Grid& grid) {
  const SettingPlaces& places = grid.data_places;
  std::string where = places.Line("preset");
  try {
    DatasetConfig config = MakePreset(grid.data_preset);
    for (const auto& [key, value] : grid.data) {
      where = places.Line(key);
      ApplySetting(key, value, "data", config);
    }
    where = places.file();
    Validate(config);
    return config;
  } catch (const InputError& error) {
    throw InputError(where, error.what(), error.hint());
  }
}

// Throws InputError if a dataset with another recipe exists, for example with another definition of
// its language. A sweep that was planned with a dataset accepts no other in its place.
void CheckRecipe(const Sweep& there, const Sweep& sweep, const DatasetRequest& request,
                 const GenerateOptions& options) {
  const fs::path dataset = sweep.DatasetPath(request.name);
  std::optional<Manifest> manifest;
  try {
    manifest = ReadManifest(dataset);
  } catch (const std::exception&) {
    return;  // whoever reads the dataset reports its faults
  }
  if (!manifest) return;
  const std::string difference = RecipeDifference(
      *manifest, MakeManifest(request.language, request.name, options.seed, options.config));
  if (difference.empty()) return;
  throw InputError(dataset, "exists with a different recipe: " + difference,
                   there.data_sha256.contains(request.name)
                       ? kKeepDefinition
                       : "choose another directory for the datasets, or remove this one");
}

// Generates our own datasets that are missing, and returns them. Throws InputError unless the
// others have the grid's recipe.
std::set<std::string> MakeDatasets(const Sweep& there, const PlanOptions& plan, Sweep& sweep,
                                   LanguagesAway& away, ProgressObserver& observer) {
  const GenerateOptions options{
      .out = sweep.data,
      .seed = sweep.grid.data_seed,
      .config = DatasetConfigOf(sweep.grid),
      .existing = plan.repair ? ExistingData::kRepair : ExistingData::kTrust,
      .wait = {.stop = plan.wait.stop}};
  std::vector<DatasetRequest> to_make;
  std::set<std::string> missing;
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    const fs::path dataset = sweep.DatasetPath(language.name);
    if (IsExternalDataset(sweep, language)) {
      away.Try(language.name, [&] {
        if (fs::exists(dataset / kMainFile)) return;
        throw InputError(dataset, fmt::format("has no {}: not a dataset", kMainFile),
                         "expected a dataset in the FLaRe layout");
      });
      continue;
    }
    DatasetRequest request{language.name, Resolve(language)};
    CheckRecipe(there, sweep, request, options);
    away.Try(language.name, [&] {
      const bool exists = fs::exists(dataset);
      if (!exists && fs::is_symlink(dataset)) throw InputError(dataset, "is a link to nothing");
      if (!exists) missing.insert(language.name);
      sweep.data_of_recipe.insert(language.name);
      if (exists && !plan.repair) {
        GenerateDataset(request, options);  // waits for whoever makes it
      } else {
        to_make.push_back(std::move(request));
      }
    });
  }
  if (to_make.empty()) return missing;
  MakeDirectories(sweep.data);
  Progress progress(observer, to_make.size(), "datasets");
  try {
    GenerateAll(to_make, options, plan.jobs, progress);
  } catch (const WaitStopped&) {
    throw PlanningStopped{};
  }
  return missing;
}

void CheckValidationSplits(const Sweep& sweep, const LanguagesAway& away) {
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    if (away.Has(language.name)) continue;
    const fs::path dataset = sweep.DatasetPath(language.name);
    const auto splits = SplitsIn(dataset);
    for (const std::string& validation : sweep.grid.validations) {
      const std::string split = ValidationSplit(validation);
      if (std::find(splits.begin(), splits.end(), split) != splits.end()) continue;
      throw InputError(
          sweep.grid.places.Line("validations"),
          fmt::format("validations: {} has no split {}", dataset.string(), Quoted(split)),
          fmt::format("it has {}", fmt::join(splits, ", ")));
    }
  }
}

// Identifies the data of each language. Throws InputError if it differs from what the sweep was
// planned with, since runs on different data must not meet in one sweep. That includes the datasets
// in `made`, which were generated just now.
std::map<std::string, RunData> PinData(const Sweep& there, const std::set<std::string>& made,
                                       LanguagesAway& away, Sweep& sweep) {
  std::map<std::string, RunData> all;
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    const std::string& name = language.name;
    const fs::path dataset = sweep.DatasetPath(name);
    const auto planned = there.data_sha256.find(name);
    // A dataset that has lost its manifest since then is still the same data.
    if (there.data_of_recipe.contains(name)) sweep.data_of_recipe.insert(name);
    if (planned != there.data_sha256.end()) sweep.data_sha256[name] = planned->second;
    const auto pin = [&] {
      RunData data = IdentifyData(dataset);
      const std::string sha256 = data.pinned.Sha256OfAll();
      if (planned != there.data_sha256.end() && planned->second != sha256) {
        throw InputError(
            dataset,
            fmt::format("is not the data that {} was planned with: its SHA-256 is {}, not {}",
                        sweep.out.string(), sha256, planned->second),
            made.contains(name)
                ? fmt::format("{}; and remove this dataset, which was made just now",
                              kKeepDefinition)
                : "restore the data (--repair makes what was generated again), or plan a sweep "
                  "with it in another directory");
      }
      sweep.data_sha256[name] = sha256;
      all[name] = std::move(data);
    };
    if (made.contains(name)) {
      pin();
    } else {
      away.Try(name, pin);
    }
  }
  return all;
}

}  // namespace

void CheckPlannedData(const Sweep& sweep) {
  DatasetConfigOf(sweep.grid);
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    if (!IsExternalDataset(sweep, language)) {
      CheckPaperName(language.name, Resolve(language), language.where);
    } else if (const auto known = LanguageOfData(sweep.DatasetPath(language.name))) {
      CheckPaperName(language.name, *known, language.where);
    }
  }
}

void CheckTrainData(const Sweep& sweep, const RunSettings& settings) {
  if (settings.curriculum.empty() && !FindTrainData(settings.train_data)->needs_recipe) return;
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    const fs::path dataset = sweep.DatasetPath(language.name);
    if (!IsExternalDataset(sweep, language)) {
      const Manifest recipe = MakeManifest(Resolve(language), language.name, sweep.grid.data_seed,
                                           DatasetConfigOf(sweep.grid));
      CheckTrainData(settings, &recipe, language.name, sweep.grid.places);
    } else if (fs::is_directory(dataset)) {
      const auto recipe = ReadManifest(dataset);
      CheckTrainData(settings, recipe ? &*recipe : nullptr, dataset.string(), sweep.grid.places);
    }
  }
}

std::map<std::string, RunData> PlanData(const Sweep& there, const PlanOptions& options,
                                        Sweep& sweep, ProgressObserver& observer) {
  LanguagesAway away(options.may_wait_for_data, there, sweep, observer);
  const std::set<std::string> made = MakeDatasets(there, options, sweep, away, observer);
  CheckValidationSplits(sweep, away);
  return PinData(there, made, away, sweep);
}

namespace {

void SayLeftOut(const std::string& language, Progress& progress) {
  progress.Say(fmt::format("{}: its baselines are left out: {}", language, CaughtFault()));
}

// Runs do not need baselines, so a file that we may not replace is left, with a note.
void WriteBaselines(const Sweep& sweep, const std::string& language,
                    const DatasetBaselines& baselines, Progress& progress) {
  try {
    const fs::path file = sweep.BaselinesPath(language).lexically_relative(sweep.out);
    Json document = {{kFormatMember, kBaselinesFormat}};
    document.update(BaselinesToJson(baselines));
    WriteInside(sweep.out, file, CheckedText(document));
  } catch (const InputError&) {
    SayLeftOut(language, progress);
  } catch (const IoError& error) {
    if (error.error_number() != EACCES) throw;
    SayLeftOut(language, progress);
  }
}

// Baselines of version 0.1 do not name their data. In a sweep that was planned before, they are
// taken for its own; in a new sweep, another sweep has left them.
bool HasBaselines(const Sweep& sweep, const std::string& language, bool planned) {
  const BaselineFile there = ReadBaselines(sweep, language);
  return !there.splits.empty() && (planned || !there.data_sha256.empty());
}

// Computes the baselines from the pinned files.
DatasetBaselines BaselinesOf(const fs::path& dataset, const PinnedData& data) {
  DatasetBaselines baselines =
      HasKnownLanguage(dataset)
          ? ComputeBaselines(dataset, FindDatasetLanguage(dataset), {.recorded = data.files})
          : ComputeBaselines(dataset, {.recorded = data.files});
  baselines.data_sha256 = data.Sha256OfAll();
  return baselines;
}

}  // namespace

bool HoldsBaselines(const fs::path& folder) {
  if (!fs::is_directory(fs::symlink_status(folder))) return false;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool is_draft = DraftOf(entry.path().filename().string()).has_value();
    if (!is_draft && !AreBaselines(entry.path())) return false;
  }
  return true;
}

void MakeBaselines(const Sweep& sweep, const std::map<std::string, RunData>& data, bool planned,
                   const PlanOptions& options, ProgressObserver& observer) {
  std::vector<std::string> missing;
  for (const auto& [language, pinned] : data) {
    if (!HasBaselines(sweep, language, planned)) missing.push_back(language);
  }
  if (missing.empty()) return;
  Progress progress(observer, missing.size(), "baselines");
  ForEachInParallel(missing.size(), options.jobs, [&](std::size_t i) {
    const std::string& language = missing[i];
    try {
      const DatasetBaselines baselines =
          BaselinesOf(sweep.DatasetPath(language), data.at(language).pinned);
      WriteBaselines(sweep, language, baselines, progress);
    } catch (const std::exception&) {
      if (!planned || !options.may_wait_for_data) throw;
      SayLeftOut(language, progress);
    }
    progress.Step("");
  });
}

}  // namespace flare
