#include "flare/experiments/sweep_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "flare/base/draft.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/integrity.h"
#include "flare/base/parallel.h"
#include "flare/base/text.h"
#include "flare/base/unavailable.h"
#include "flare/data/baselines.h"
#include "flare/data/flare_files.h"
#include "flare/data/generate.h"
#include "flare/data/manifest.h"
#include "flare/languages/catalog.h"
#include "flare/languages/paper_names.h"
#include "flare/languages/resolve.h"
#include "flare/runs/baseline_file.h"
#include "flare/runs/placed_run.h"
#include "flare/training/known_names.h"
#include "flare/training/make_settings.h"
#include "flare/training/run_data.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// What to do if the existing sweep differs in this way from the one that is wanted.
std::string HintFor(const std::string& difference, bool extend) {
  if (difference.starts_with("data is")) {
    return "give the --data that it was made with, or another --out";
  }
  return extend ? "give the settings that it was made with, or another --out"
                : "give the same grid, or another --out; --extend adds runs";
}

// Does the existing sweep have the same runs, or some of them?
void CheckSame(const Sweep& there, const Sweep& wanted, bool extend) {
  Json a = SweepToJson(there), b = SweepToJson(wanted);
  if (extend) {
    std::set<std::string> runs;
    for (const Coordinates& run : wanted.grid.Runs()) runs.insert(run.Path());
    for (const Coordinates& run : there.grid.Runs()) {
      if (!runs.contains(run.Path())) {
        throw InputError(there.out,
                         fmt::format("has the run {}, which the new grid lacks", run.Path()),
                         "--extend needs a grid that contains the existing one");
      }
    }
    for (Json* json : {&a, &b}) {
      for (const char* key : {"name", "grid", "runs", "definitions", "envelopes"}) json->erase(key);
    }
  }
  // What the data is, is known and compared once all of it is there.
  for (Json* json : {&a, &b}) {
    json->erase("data_sha256");
    json->erase("data_of_recipe");
  }
  const std::string difference = FirstDifference(a, b);
  if (!difference.empty()) {
    throw InputError(there.out, fmt::format("was made with a different grid: its {}", difference),
                     HintFor(difference, extend));
  }
}

// A sweep's target is fixed when it is first planned: by its grid, by the variants that it
// compares, or else by the machine. Before sweeps said it, it was the usual one.
void FixTarget(const Sweep* there, const std::string& machines, Grid& grid) {
  const auto sets_target = [](const Variant& one) { return one.settings.contains("target"); };
  if (std::any_of(grid.variants.begin(), grid.variants.end(), sets_target)) return;
  if (there == nullptr) {
    grid.settings.emplace("target", machines);
    return;
  }
  const auto planned = there->grid.settings.find("target");
  if (planned != there->grid.settings.end()) {
    grid.settings.insert(*planned);
  } else if (const auto named = grid.settings.find("target");
             named != grid.settings.end() && named->second == RunSettings{}.target) {
    grid.settings.erase(named);
  }
}

// Is the language's dataset taken as it is? So are those that the grid gives by their directory,
// those without a manifest, and those whose language only the dataset knows.
bool IsTakenAsItIs(const Sweep& sweep, const Grid::GridLanguage& language) {
  if (!language.data.empty()) return true;
  const fs::path dataset = sweep.DatasetPath(language.name);
  if (!fs::exists(dataset / kMainFile)) return false;
  const bool only_data_knows = language.language == language.name && !IsPublished(language.name);
  try {
    const auto manifest = ReadManifest(dataset);
    return !manifest || (only_data_knows && manifest->language.text != language.name);
  } catch (const InputError&) {
    return only_data_knows;  // others can be made again; whoever needs it says what is wrong
  }
}

// Nothing if the data does not say, or cannot be read, which whoever needs it says.
std::optional<NamedLanguage> LanguageOfData(const fs::path& dataset) {
  try {
    if (!fs::is_directory(dataset) || !HasKnownLanguage(dataset)) return std::nullopt;
    return FindDatasetLanguage(dataset).language;
  } catch (const InputError&) {
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

// What becomes of a fault in the data of one language: of a sweep that was planned before, the runs
// of that language may wait for its data while others go on.
class DataFaults {
 public:
  DataFaults(bool may_wait, const Sweep& there, ProgressObserver& observer)
      : may_wait_(may_wait), there_(there), observer_(observer) {}

  // Calls look(), unless the language's runs wait already.
  template <class Look>
  void Try(const std::string& language, Look look) {
    if (waiting_.contains(language)) return;
    try {
      look();
    } catch (const InputError& error) {
      if (!may_wait_ || !there_.data_sha256.contains(language)) throw;
      waiting_.insert(language);
      if (waiting_.size() == there_.grid.languages.size()) throw;  // nothing goes on
      observer_.Say(fmt::format("{}; its runs wait for it", error.what()));
    }
  }
  bool IsWaiting(const std::string& language) const { return waiting_.contains(language); }

 private:
  const bool may_wait_;
  const Sweep& there_;
  ProgressObserver& observer_;
  std::set<std::string> waiting_;
};

// Our own datasets must have the grid's recipe.
void MakeDatasets(Sweep& sweep, const PlanOptions& plan, DataFaults& faults,
                  ProgressObserver& observer) {
  const GenerateOptions options{
      .out = sweep.data,
      .seed = sweep.grid.data_seed,
      .config = DatasetConfigOf(sweep.grid),
      .existing = plan.repair ? ExistingData::kRepair : ExistingData::kTrust,
      .wait = {.stop = plan.wait.stop}};
  std::vector<DatasetRequest> to_make;
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    faults.Try(language.name, [&] {
      const fs::path dataset = sweep.DatasetPath(language.name);
      if (IsTakenAsItIs(sweep, language)) {
        if (fs::exists(dataset / kMainFile)) return;
        throw InputError(dataset, fmt::format("has no {}: not a dataset", kMainFile),
                         "expected a dataset in the FLaRe layout");
      }
      sweep.data_of_recipe.insert(language.name);
      DatasetRequest request{language.name, Resolve(language)};
      if (fs::exists(dataset) && !plan.repair) {
        GenerateDataset(request, options);  // checks the recipe
      } else {
        to_make.push_back(std::move(request));
      }
    });
  }
  if (to_make.empty()) return;
  MakeDirectories(sweep.data);
  Progress progress(observer, to_make.size(), "datasets");
  try {
    GenerateAll(to_make, options, plan.jobs, progress);
  } catch (const GenerationStopped&) {
    throw PlanningStopped{};
  }
}

// Versions before drafts wrote sweep.json.4711.tmp.
bool IsDraftOfSweep(const std::string& name) {
  const std::string file = SweepFile("").string();
  return DraftOf(name) == file || (name.starts_with(file + ".") && name.ends_with(".tmp"));
}

// Of a sweep, what a crash may have left or spared of them.
bool HoldsBaselines(const fs::path& folder) {
  if (!fs::is_directory(fs::symlink_status(folder))) return false;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool is_draft = DraftOf(entry.path().filename().string()).has_value();
    if (!is_draft && !AreBaselines(entry.path())) return false;
  }
  return true;
}

// A sweep that was killed while it was planned may have left these; it still is a sweep.
void CheckSweepOrEmpty(const fs::path& out) {
  if (fs::exists(SweepFile(out))) return;
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    if (IsLockName(name, "lock") || IsDraftOfSweep(name)) continue;
    if (name == "baselines" && HoldsBaselines(entry.path())) continue;
    if (fs::exists(SweepFile(out))) return;  // meanwhile
    const bool has_lost_its_file = fs::is_directory(out / "runs");
    throw InputError(out, fmt::format("holds something other than a sweep: {}", Quoted(name)),
                     has_lost_its_file
                         ? "name a new or empty directory; if it is a sweep that lost its "
                           "sweep.json, plan the same grid and data elsewhere, and copy that one"
                         : "name a new or empty directory");
  }
}

void CheckValidationSplits(const Sweep& sweep, const DataFaults& faults) {
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    if (faults.IsWaiting(language.name)) continue;
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

// Runs on different data must not meet in one sweep. Returns it by language.
std::map<std::string, RunData> PinData(const Sweep& there, DataFaults& faults, Sweep& sweep) {
  std::map<std::string, RunData> all;
  for (const Grid::GridLanguage& language : sweep.grid.languages) {
    const std::string& name = language.name;
    const auto planned = there.data_sha256.find(name);
    // It is the same data, also if its manifest has been lost since.
    if (there.data_of_recipe.contains(name)) sweep.data_of_recipe.insert(name);
    if (planned != there.data_sha256.end()) sweep.data_sha256[name] = planned->second;
    faults.Try(name, [&] {
      const fs::path dataset = sweep.DatasetPath(name);
      RunData data = IdentifyData(dataset);
      const std::string sha256 = data.pinned.Sha256OfAll();
      if (planned != there.data_sha256.end() && planned->second != sha256) {
        throw InputError(
            dataset,
            fmt::format("is not the data that {} was planned with: its SHA-256 is {}, not {}",
                        sweep.out.string(), sha256, planned->second),
            "restore the data (--repair makes what was generated again), or plan a sweep with it "
            "in another directory");
      }
      sweep.data_sha256[name] = sha256;
      all[name] = std::move(data);
    });
  }
  return all;
}

// Runs need none, so that what stands in the place of a language's baselines stays with them.
void WriteBaselines(const Sweep& sweep, const std::string& language,
                    const DatasetBaselines& baselines, Progress& progress) {
  const auto leave_out = [&] {
    progress.Say(fmt::format("{}: its baselines are left out: {}", language, CaughtFault()));
  };
  try {
    const fs::path file = sweep.BaselinesPath(language).lexically_relative(sweep.out);
    WriteInside(sweep.out, file, CheckedText(BaselinesToJson(baselines)));
  } catch (const InputError&) {
    leave_out();
  } catch (const IoError& error) {
    if (error.error_number() != EACCES) throw;
    leave_out();
  }
}

// Of a sweep that was planned before, baselines that do not say of what data they are (version 0.1
// did not) are taken for its own; in a new one they are what another has left.
bool HasBaselines(const Sweep& sweep, const std::string& language, bool planned) {
  const BaselineFile there = ReadBaselines(sweep, language);
  return !there.splits.empty() && (planned || !there.data_sha256.empty());
}

// Of the files that are pinned.
DatasetBaselines BaselinesOf(const fs::path& dataset, const PinnedData& data) {
  DatasetBaselines baselines =
      HasKnownLanguage(dataset)
          ? ComputeBaselines(dataset, FindDatasetLanguage(dataset), data.files)
          : ComputeBaselines(dataset, data.files);
  baselines.data_sha256 = data.Sha256OfAll();
  return baselines;
}

void MakeBaselines(const Sweep& sweep, const std::map<std::string, RunData>& data, bool planned,
                   std::size_t jobs, ProgressObserver& observer) {
  std::vector<std::string> missing;
  for (const auto& [language, pinned] : data) {
    if (!HasBaselines(sweep, language, planned)) missing.push_back(language);
  }
  if (missing.empty()) return;
  Progress progress(observer, missing.size(), "baselines");
  ForEachInParallel(missing.size(), jobs, [&](std::size_t i) {
    const DatasetBaselines baselines =
        BaselinesOf(sweep.DatasetPath(missing[i]), data.at(missing[i]).pinned);
    WriteBaselines(sweep, missing[i], baselines, progress);
    progress.Step("");
  });
}

}  // namespace

void CheckMeaning(const Sweep& sweep) {
  const Grid& grid = sweep.grid;
  DatasetConfigOf(grid);
  for (const Grid::GridLanguage& language : grid.languages) {
    const fs::path dataset = sweep.DatasetPath(language.name);
    if (!IsTakenAsItIs(sweep, language)) {
      CheckPaperName(language.name, Resolve(language), language.where);
    } else if (const auto known = LanguageOfData(dataset)) {
      CheckPaperName(language.name, *known, language.where);
    }
  }
  for (const Variant& variant : grid.variants) {
    if (FindExternal(grid.externals, variant.architecture) != nullptr) continue;
    for (const std::string& loss : grid.losses) {
      for (const std::size_t budget : grid.budgets) {
        const Coordinates run{grid.languages[0].name, variant.Text(), loss,
                              grid.validations[0],    budget,         1};
        try {
          MakeSettings(grid.SettingsOf(run), 2, grid.places);
        } catch (const Unavailable&) {
          // The machine that plans need not be one that trains.
        }
      }
    }
  }
}

Sweep PlanSweep(const Grid& grid, const fs::path& data, const fs::path& out,
                const PlanOptions& options, ProgressObserver& observer) {
  if (out.empty()) throw InputError("--out", "is empty");
  MakeDirectories(out);
  CheckSweepOrEmpty(out);
  // Two processes that plan the same sweep do so one after the other.
  const auto planning = WaitForLock(out / "lock", options.wait);
  if (planning == nullptr) throw PlanningStopped{};
  RemoveTemporaries(out);
  RemoveTemporaries(out / "baselines");
  Sweep sweep{out, fs::weakly_canonical(fs::absolute(data)), grid};
  CheckRecordable(sweep.data);
  for (Grid::GridLanguage& language : sweep.grid.languages) {
    if (!language.data.empty()) language.data = fs::weakly_canonical(fs::absolute(language.data));
  }
  CheckMeaning(sweep);
  const bool planned = fs::exists(SweepFile(out));
  Sweep there = planned ? ReadSweep(out, KnownNames()) : Sweep{};
  if (there.is_records) {
    throw InputError(out, "holds records of runs", "name a new or empty directory");
  }
  FixTarget(planned ? &there : nullptr, options.target, sweep.grid);
  if (planned) {
    CheckSame(there, sweep, options.extend);
    PinDataOfRuns(there, KnownNames());
  }
  DataFaults faults(options.may_wait_for_data, there, observer);
  MakeDatasets(sweep, options, faults, observer);
  CheckValidationSplits(sweep, faults);
  const std::map<std::string, RunData> pinned = PinData(there, faults, sweep);
  const std::string text = SweepText(sweep);
  if (!planned || ReadRegularFile(SweepFile(out)) != text) WriteInside(out, SweepFile(""), text);
  MakeBaselines(sweep, pinned, planned, options.jobs, observer);
  return sweep;
}

}  // namespace flare
