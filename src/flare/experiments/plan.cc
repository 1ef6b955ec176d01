#include "flare/experiments/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/lock_file.h"
#include "flare/base/text.h"
#include "flare/experiments/planned_data.h"
#include "flare/runs/grid.h"
#include "flare/runs/run.h"
#include "flare/training/make_settings.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// Hint for the user whose existing sweep differs in this way from the one that is wanted.
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
  // The hashes of the data are compared later, once all of it is there.
  for (Json* json : {&a, &b}) {
    json->erase("data_sha256");
    json->erase("data_of_recipe");
    // The section on reports does not affect runs.
    json->erase("report");
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

// Versions before drafts wrote sweep.json.4711.tmp.
bool IsDraftOfSweep(const std::string& name) {
  const std::string file = SweepFile("").string();
  return DraftOf(name) == file || (name.starts_with(file + ".") && name.ends_with(".tmp"));
}

// A sweep that was killed while it was planned may have left these; it still is a sweep.
void CheckSweepOrEmpty(const fs::path& out) {
  if (fs::exists(SweepFile(out))) return;
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    if (IsLockName(name, "lock") || IsDraftOfSweep(name)) continue;
    if (name == "baselines" && HoldsBaselines(entry.path())) continue;
    if (fs::exists(SweepFile(out))) return;  // another process was faster
    const bool has_lost_its_file = fs::is_directory(out / "runs");
    throw InputError(out, fmt::format("holds something other than a sweep: {}", Quoted(name)),
                     has_lost_its_file
                         ? "name a new or empty directory; if it is a sweep that lost its "
                           "sweep.json, plan the same grid and data elsewhere, and copy that one"
                         : "name a new or empty directory");
  }
}

}  // namespace

NewDirectory::NewDirectory(fs::path path) : path_(std::move(path)), is_new_(!fs::exists(path_)) {
  MakeDirectories(path_);
}

NewDirectory::~NewDirectory() {
  std::error_code is_not_empty;
  if (is_new_) fs::remove(path_, is_not_empty);
}

Grid PresetGrid(const std::string& name) {
  if (auto grid = FindPreset(name)) return *std::move(grid);
  throw InputError("--preset", fmt::format("there is no {}", Quoted(name)),
                   fmt::format("expected one of {}", fmt::join(PresetNames(), ", ")));
}

void CheckPlan(const Sweep& sweep) {
  const Grid& grid = sweep.grid;
  CheckPlannedData(sweep);
  for (const Variant& variant : grid.variants) {
    const External* external = FindExternal(grid.externals, variant.architecture);
    for (const std::string& loss : grid.losses) {
      for (const std::size_t budget : grid.budgets) {
        const Coordinates run{grid.languages[0].name, variant.Text(), loss,
                              grid.validations[0],    budget,         1};
        try {
          const SettingTexts texts = grid.SettingsOf(run);
          CheckTrainData(sweep, ParseSettings(texts, grid.places, grid.externals));
          if (external != nullptr) {
            MakeExternalSettings(texts, *external, grid.places);
          } else {
            MakeSettings(texts, 2, grid.places);
          }
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
  const NewDirectory directory(out);
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
  if (std::string& file = sweep.grid.report.published;
      !file.empty() && !file.starts_with("built-in:")) {
    if (!fs::exists(file)) throw InputError(file, "the published values are not there");
    file = fs::weakly_canonical(fs::absolute(file)).string();
    CheckRecordable(file);
  }
  const bool planned = fs::exists(SweepFile(out));
  Sweep there = planned ? ReadSweep(out) : Sweep{};
  if (there.is_records) {
    throw InputError(out, "holds records of runs", "name a new or empty directory");
  }
  if (planned) sweep.grid.format = there.grid.format;
  CheckPlan(sweep);
  FixTarget(planned ? &there : nullptr, options.target, sweep.grid);
  if (planned) CheckSame(there, sweep, options.extend);
  const std::map<std::string, RunData> pinned = PlanData(there, options, sweep, observer);
  const std::string text = SweepText(sweep);
  if (!planned || ReadRegularFile(SweepFile(out)) != text) WriteInside(out, SweepFile(""), text);
  MakeBaselines(sweep, pinned, planned, options, observer);
  return sweep;
}

}  // namespace flare
