#include "flare/report/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/report/dataset_facts.h"
#include "flare/runs/run_directory.h"

namespace flare::report {

namespace fs = std::filesystem;

std::string Source::Title() const {
  return Visible(sweep.grid.name.empty() ? sweep.out.string() : sweep.grid.name);
}

Source ReadSource(const fs::path& directory) {
  Source source{
      .sweep = ReadSweep(directory), .runs = {}, .baselines = {}, .damaged_baselines = {}};
  source.runs = ReadRuns(source.sweep);
  for (const auto& language : source.sweep.grid.languages) {
    BaselineFile file = ReadBaselines(source.sweep, language.name);
    const auto data = DataOf(source, language.name);
    if (data && !file.data_sha256.empty() && file.data_sha256 != data->Sha256OfAll()) {
      file = {{},
              fmt::format("{}: is of other data than the runs",
                          source.sweep.BaselinesPath(language.name).string()),
              ""};
    }
    if (!file.splits.empty()) source.baselines[language.name] = std::move(file.splits);
    if (!file.damage.empty()) source.damaged_baselines.push_back(std::move(file.damage));
  }
  return source;
}

namespace {

// Returns the settings that the user gave a run besides its coordinates, without those that it
// drew.
SettingTexts GivenTo(const RunSettings& settings) {
  SettingTexts texts = TextsOf(settings);
  for (const char* coordinate : {"architecture", "loss", "validation", "budget", "seed"}) {
    texts.erase(coordinate);
  }
  for (const std::string& key : settings.drawn) texts.erase(key);
  return texts;
}

// Returns the settings that all runs were given with the same value.
SettingTexts CommonOf(const std::vector<SettingTexts>& given) {
  SettingTexts common = given[0];
  for (const SettingTexts& texts : given) {
    std::erase_if(common, [&](const auto& setting) {
      const auto found = texts.find(setting.first);
      return found == texts.end() || found->second != setting.second;
    });
  }
  return common;
}

template <class T>
bool AddIfNew(const T& item, std::vector<T>& to) {
  if (std::find(to.begin(), to.end(), item) != to.end()) return false;
  to.push_back(item);
  return true;
}

// "parity", or "parity (2)" where runs of that name have had other data.
std::string LanguageOf(const PinnedData& data, Sweep& sweep) {
  std::string name = data.language;
  for (int number = 2;; ++number) {
    const auto [known, is_new] = sweep.data_sha256.try_emplace(name, data.Sha256OfAll());
    if (is_new) {
      sweep.grid.languages.push_back(
          {.name = name, .language = "", .data = data.path.string(), .where = ""});
    }
    if (known->second == data.Sha256OfAll()) return name;
    name = fmt::format("{} ({})", data.language, number);
  }
}

// Returns the names of the settings in which runs differ.
std::string DifferencesText(const std::vector<flare::Run>& runs,
                            const std::vector<SettingTexts>& given, const SettingTexts& common) {
  std::set<std::string> differ;
  for (const SettingTexts& texts : given) {
    for (const auto& [key, text] : texts) {
      if (!common.contains(key)) differ.insert(key);
    }
  }
  const RunConfig& first = *runs[0].config;
  for (const flare::Run& run : runs) {
    const RunConfig& other = *run.config;
    const auto add = [&](const char* what, bool is_same) {
      if (!is_same) differ.insert(what);
    };
    add("architecture", other.settings.architecture == first.settings.architecture);
    add("loss", other.settings.loss == first.settings.loss);
    add("validation", other.settings.validation == first.settings.validation);
    add("seed", other.settings.seed == first.settings.seed);
    add("data", other.data.Sha256OfAll() == first.data.Sha256OfAll());
  }
  if (runs.size() == 1) return "This is a single run, which no sweep made.";
  const std::vector<std::string> names(differ.begin(), differ.end());
  return fmt::format(
      "These are {} that no sweep made, grouped by their settings; they differ in {}.",
      Counted(runs.size(), "run"), names.empty() ? "nothing" : Listed(names, "and"));
}

}  // namespace

bool IsRun(const fs::path& directory) { return RunDirectory(directory).is_begun(); }

Source ReadRunsByHand(const std::vector<fs::path>& directories) {
  Source source;
  std::set<fs::path> seen;
  for (const fs::path& directory : directories) {
    if (!seen.insert(fs::weakly_canonical(directory)).second) continue;
    source.runs.push_back(ReadRun(directory));
    if (!source.runs.back().config) throw InputError(directory, source.runs.back().fault);
  }
  FLARE_CHECK(!source.runs.empty());
  Grid& grid = source.sweep.grid;
  grid.name = Counted(source.runs.size(), "run");
  // No grid has it, so that no run here is taken for one that a grid has planned.
  grid.seed = std::numeric_limits<std::uint64_t>::max();
  source.sweep.out = source.runs[0].path.parent_path();
  // Sizes are coordinates where all have been given a budget, and the same.
  const std::size_t budget = source.runs[0].config->settings.budget;
  const bool same_budget =
      std::all_of(source.runs.begin(), source.runs.end(),
                  [&](const flare::Run& run) { return run.config->settings.budget == budget; });
  grid.budgets = {same_budget ? budget : 0};
  std::vector<SettingTexts> given;
  for (const flare::Run& run : source.runs) {
    given.push_back(GivenTo(run.config->settings));
    if (!same_budget) given.back()["hidden"] = std::to_string(run.config->settings.hidden);
    const auto& external = run.config->external;
    if (external && FindExternal(grid.externals, external->name) == nullptr) {
      grid.externals.push_back({external->name, external->command, external->options});
    }
  }
  grid.settings = CommonOf(given);
  source.origin = DifferencesText(source.runs, given, grid.settings);
  std::vector<flare::Run> placed;
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> of_point;
  for (std::size_t i = 0; i < source.runs.size(); ++i) {
    flare::Run& run = source.runs[i];
    const RunSettings& settings = run.config->settings;
    SettingTexts own = given[i];
    for (const auto& [key, text] : grid.settings) own.erase(key);
    const Variant variant =
        MakeVariant(settings.architecture, own, SettingPlaces(""), grid.externals);
    if (std::none_of(grid.variants.begin(), grid.variants.end(),
                     [&](const Variant& one) { return one.Text() == variant.Text(); })) {
      grid.variants.push_back(variant);
    }
    const std::string& split = settings.validation;
    const std::string validation = split == ValidationSplit("short")  ? "short"
                                   : split == ValidationSplit("long") ? "long"
                                                                      : split;
    AddIfNew(settings.loss, grid.losses);
    AddIfNew(validation, grid.validations);
    run.at = {LanguageOf(run.config->data, source.sweep),
              variant.Text(),
              settings.loss,
              validation,
              grid.budgets[0],
              1};
    auto& trials = of_point[run.at.Path()];
    // A run that was named twice counts once.
    if (!AddIfNew({settings.seed, settings.arithmetic}, trials)) continue;
    run.at.trial = trials.size();
    grid.trials = std::max(grid.trials, run.at.trial);
    placed.push_back(std::move(run));
  }
  source.runs = std::move(placed);
  return source;
}

}  // namespace flare::report
