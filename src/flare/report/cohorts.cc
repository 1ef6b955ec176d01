#include "flare/report/cohorts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/runs/run_settings.h"

namespace flare::report {
namespace {

// Returns the settings that a run draws from its seed unless the grid gives them.
std::vector<std::string> MayBeDrawn() {
  std::vector<std::string> keys = {"learning_rate", "batch_tokens"};
  for (std::string& key : CoefficientKeys()) keys.push_back(std::move(key));
  return keys;
}

bool IsDrawn(const std::string& key, const Grid& grid, const Variant& variant) {
  return !grid.settings.contains(key) && !variant.settings.contains(key);
}

// Returns what a grid sets for the runs of a variant, besides their coordinates.
RunSettings SettingsInGrid(const Grid& grid, const Variant& variant) {
  SettingTexts texts = grid.settings;
  for (const auto& [key, value] : variant.settings) texts[key] = value;
  texts["architecture"] = variant.architecture;
  // A loss with every term accepts the coefficients of all of them.
  texts["loss"] = AllLosses().back();
  return ParseSettings(texts, grid.places, grid.externals);
}

SettingTexts SettingTextsInGrid(const Grid& grid, const Variant& variant) {
  RunSettings settings = SettingsInGrid(grid, variant);
  // A size that is given stands in the place of the budget.
  if (settings.hidden != 0) settings.budget = 0;
  SettingTexts texts = TextsOf(settings);
  for (const std::string& key : MayBeDrawn()) {
    if (IsDrawn(key, grid, variant)) texts.erase(key);
  }
  return texts;
}

// What published runs drew must have been drawn here too. Returns the first setting for which that
// does not hold; empty if there is none.
std::string SettingsGap(const Grid& grid, const Variant& variant, const SettingTexts& published) {
  RunSettings ours = SettingsInGrid(grid, variant);
  for (const std::string& key : MayBeDrawn()) {
    if (IsDrawn(key, grid, variant) || published.contains(key)) continue;
    return fmt::format("{} is {}, not drawn for each run", key, SettingText(ours, key));
  }
  SettingTexts texts = published;
  texts["architecture"] = variant.architecture;
  texts["loss"] = AllLosses().back();
  const RunSettings wanted = ParseSettings(texts, "", grid.externals);
  ours.target = wanted.target;
  return SettingsDifference(ours, wanted);
}

bool HasVariant(const Grid& grid, const std::string& text) {
  return std::any_of(grid.variants.begin(), grid.variants.end(),
                     [&](const Variant& variant) { return variant.Text() == text; });
}

// Do two grids plan the same runs of this variant where both have one?
bool MeanTheSame(const Grid& a, const Grid& b, const std::string& variant) {
  for (const std::string& key : MayBeDrawn()) {
    if (IsDrawn(key, a, a.VariantOf(variant)) != IsDrawn(key, b, b.VariantOf(variant)))
      return false;
  }
  if (!SettingsDifference(SettingsInGrid(a, a.VariantOf(variant)),
                          SettingsInGrid(b, b.VariantOf(variant)))
           .empty()) {
    return false;
  }
  const std::string architecture = ArchitectureOf(variant);
  const External* of_a = FindExternal(a.externals, architecture);
  const External* of_b = FindExternal(b.externals, architecture);
  if (of_a != nullptr && of_b != nullptr && of_a->command != of_b->command) return false;
  if (a.seed == b.seed && a.paired == b.paired) return true;
  std::set<std::string> paths;
  for (const Coordinates& run : a.Runs()) {
    if (run.variant == variant) paths.insert(run.Path());
  }
  for (const Coordinates& run : b.Runs()) {
    if (paths.contains(run.Path()) && a.SeedOf(run) != b.SeedOf(run)) return false;
  }
  return true;
}

// The arithmetic, instruction set and program of a run; empty strings if it has not begun.
struct Machine {
  std::string arithmetic, target;
  std::string program;  // the hash of an external program's files, as far as it is known
  auto operator<=>(const Machine&) const = default;
};

std::string ProgramOf(const External& external) {
  constexpr std::size_t kDigits = 8;
  if (external.files.empty()) return "not recorded";
  std::string listing;
  for (const auto& [name, hash] : external.files) listing += name + " " + hash + "\n";
  return Sha256(listing).substr(0, kDigits);
}

Machine MachineOf(const flare::Run& run) {
  const RunSettings& settings = run.config->settings;
  return {settings.arithmetic, settings.native_target,
          run.config->external ? ProgramOf(*run.config->external) : ""};
}

// Sources whose grids plan the same runs for a variant, and what its runs computed with.
struct SourceGroup {
  std::vector<std::size_t> sources;
  std::set<Machine> machines;
};

std::vector<SourceGroup> GroupSources(const std::vector<Source>& sources,
                                      const std::string& variant) {
  std::vector<SourceGroup> all;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Grid& grid = sources[i].sweep.grid;
    if (!HasVariant(grid, variant)) continue;
    // Compare with every source of the group: a grid may share runs with some and not with others.
    auto group = std::find_if(all.begin(), all.end(), [&](const SourceGroup& one) {
      return std::all_of(one.sources.begin(), one.sources.end(), [&](std::size_t other) {
        return MeanTheSame(sources[other].sweep.grid, grid, variant);
      });
    });
    if (group == all.end()) group = all.insert(group, SourceGroup{});
    group->sources.push_back(i);
    for (const flare::Run& run : sources[i].runs) {
      if (run.at.variant == variant && run.config) group->machines.insert(MachineOf(run));
    }
  }
  for (SourceGroup& group : all) {
    // No run of the variant has begun.
    if (group.machines.empty()) group.machines.insert(Machine{});
  }
  return all;
}

// The main table chooses among all losses, so a loss that was not published changes it.
std::string LossGap(const std::vector<Source>& sources, const SourceGroup& group,
                    const Published& published) {
  for (const std::size_t i : group.sources) {
    for (const std::string& loss : sources[i].sweep.grid.losses) {
      if (!published.HasLoss(loss)) return fmt::format("the grid has the loss {}", loss);
    }
  }
  return "";
}

std::string GapOf(const std::vector<Source>& sources, const SourceGroup& group,
                  const std::string& variant, const Published* published) {
  if (published == nullptr) return "";
  const Grid& grid = sources[group.sources[0]].sweep.grid;
  const std::string gap = SettingsGap(grid, grid.VariantOf(variant), published->settings());
  return gap.empty() ? LossGap(sources, group, *published) : gap;
}

// Returns the machine that the remaining runs will use, as far as that is known.
Machine MachineOfNewRuns(const SourceGroup& group, const std::string& variant,
                         const OptionTexts& options) {
  const std::string arithmetic = ArithmeticOf(ArchitectureOf(variant), options);
  for (const Machine& machine : group.machines) {
    if (machine.arithmetic == arithmetic) return machine;
  }
  return *group.machines.rbegin();
}

std::string TitleOf(const std::vector<Source>& sources, std::size_t i) {
  const std::string title = sources[i].Title();
  const auto same = std::count_if(sources.begin(), sources.end(),
                                  [&](const Source& one) { return one.Title() == title; });
  return same > 1 ? sources[i].sweep.out.string() : title;
}

// Returns the titles of all sweeps whose runs the column shows.
std::string TitleOf(const std::vector<Source>& sources, const SourceGroup& group) {
  std::vector<std::string> titles;
  for (const std::size_t i : group.sources) titles.push_back(TitleOf(sources, i));
  return fmt::format("{}", fmt::join(titles, ", "));
}

std::string NoteOf(const SourceGroup& group, const Machine& machine, const std::string& sweep) {
  std::string note = sweep;
  const auto add = [&](const char* what, const std::string& value) {
    note += fmt::format("{}{} {}", note.empty() ? "" : ", ", what, value);
  };
  const auto differ = [&](auto member) {
    return std::any_of(group.machines.begin(), group.machines.end(),
                       [&](const Machine& other) { return other.*member != machine.*member; });
  };
  if (differ(&Machine::arithmetic)) add("arithmetic", machine.arithmetic);
  if (differ(&Machine::target)) add("target", machine.target);
  if (differ(&Machine::program)) add("program", machine.program);
  return note;
}

// Removes ",setting=value" from a variant's text, or ", setting=value" from a label.
void EraseSetting(const std::string& beginning, std::string& text) {
  const std::size_t begin = text.find(beginning);
  if (begin == std::string::npos) return;
  text.erase(begin, std::min(text.find(',', begin + 1), text.size()) - begin);
}

// Returns the cohort without these settings: the part that it shares with cohorts that differ from
// it in them only.
Cohort Without(Cohort cohort, const std::vector<std::string>& varied) {
  for (const std::string& setting : varied) {
    cohort.settings.erase(setting);
    cohort.options.erase(setting);
    EraseSetting("," + setting + "=", cohort.variant);
    EraseSetting(", " + setting + "=", cohort.label);
  }
  return cohort;
}

template <class T>
bool IsIn(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Empty if the cohort does not have it.
std::string SettingTextOf(const Cohort& cohort, const std::string& setting) {
  const auto found = cohort.settings.find(setting);
  return found == cohort.settings.end() ? "" : found->second;
}

// Does the family have several values of the setting, all numbers, and no two equal? Two texts of
// one number, such as an external program's 16 and 016, would hide each other.
bool HasDistinctNumbers(const Family& family, const std::vector<Cohort>& cohorts,
                        const std::string& setting) {
  std::set<double> numbers;
  for (const Cohort& cohort : cohorts) {
    if (!IsIn(family.cohorts, cohort.id)) continue;
    const auto number = NumberOf(cohort, setting);
    if (!number || !numbers.insert(*number).second) return false;
  }
  return numbers.size() > 1;
}

}  // namespace

std::optional<double> NumberOf(const Cohort& cohort, const std::string& setting) {
  constexpr double kLargest = 1e300;
  const auto found = cohort.settings.find(setting);
  if (found == cohort.settings.end()) return std::nullopt;
  const auto number = ParseNumber<double>(found->second);
  return number && std::abs(*number) <= kLargest ? number : std::nullopt;
}

std::vector<Family> FamiliesOf(const std::vector<Cohort>& cohorts,
                               const std::vector<std::string>& varied) {
  std::vector<Family> families;
  std::map<std::tuple<SettingTexts, std::string, std::string>, std::size_t> places;
  for (const Cohort& cohort : cohorts) {
    Cohort shown = Without(cohort, varied);
    const auto [place, is_new] =
        places.try_emplace({shown.settings, shown.label, shown.note}, families.size());
    if (is_new) families.push_back({std::move(shown), {}});
    families[place->second].cohorts.push_back(cohort.id);
  }
  for (Family& family : families) {
    std::vector<const Cohort*> members;
    for (const Cohort& cohort : cohorts) {
      if (IsIn(family.cohorts, cohort.id)) members.push_back(&cohort);
    }
    std::vector<std::string> differing;
    for (const std::string& setting : varied) {
      if (std::any_of(members.begin(), members.end(), [&](const Cohort* one) {
            return SettingTextOf(*one, setting) != SettingTextOf(*members[0], setting);
          })) {
        differing.push_back(setting);
      }
    }
    Cohort& shown = family.shown = Without(*members[0], differing);
    if (members.size() == 1) continue;
    shown.id = shown.variant;
    for (const std::string& setting : differing) shown.id += fmt::format(",{}=*", setting);
    if (!shown.note.empty()) shown.id += fmt::format(" ({})", shown.note);
    shown.incomparable = fmt::format("the grid varies {}", fmt::join(differing, " and "));
    shown.settings = members[0]->settings;
    shown.options = members[0]->options;
  }
  return families;
}

std::vector<std::string> NumericSettings(const std::vector<Cohort>& cohorts) {
  // A setting that is in no variant's text cannot vary.
  std::set<std::string> candidates;
  for (const Cohort& cohort : cohorts) {
    for (const auto& [setting, text] : cohort.settings) {
      if (cohort.variant.find("," + setting + "=") != std::string::npos) candidates.insert(setting);
    }
  }
  std::vector<std::string> settings;
  for (const std::string& setting : candidates) {
    const std::vector<Family> families = FamiliesOf(cohorts, {setting});
    if (std::any_of(families.begin(), families.end(), [&](const Family& family) {
          return HasDistinctNumbers(family, cohorts, setting);
        })) {
      settings.push_back(setting);
    }
  }
  return settings;
}

CohortPlan PlanCohorts(const std::vector<Source>& sources, const Published* published) {
  CohortPlan plan;
  for (const Source& source : sources) plan.of_runs.emplace_back(source.runs.size());
  std::vector<std::string> variants;
  for (const Source& source : sources) {
    for (const Variant& variant : source.sweep.grid.variants) {
      const std::string text = variant.Text();
      if (std::find(variants.begin(), variants.end(), text) == variants.end()) {
        variants.push_back(text);
      }
    }
  }
  for (const std::string& variant : variants) {
    const std::vector<SourceGroup> all = GroupSources(sources, variant);
    for (const SourceGroup& group : all) {
      const std::string sweep = all.size() > 1 ? TitleOf(sources, group) : "";
      const Grid& grid = sources[group.sources[0]].sweep.grid;
      std::map<Machine, std::size_t> cohorts;
      for (const Machine& machine : group.machines) {
        Cohort cohort{.id = variant,
                      .variant = variant,
                      .label = grid.VariantOf(variant).label,
                      .note = NoteOf(group, machine, sweep),
                      .incomparable = GapOf(sources, group, variant, published),
                      .options = SettingsInGrid(grid, grid.VariantOf(variant)).options,
                      .settings = SettingTextsInGrid(grid, grid.VariantOf(variant))};
        if (!cohort.note.empty()) cohort.id += fmt::format(" ({})", cohort.note);
        cohorts[machine] = plan.cohorts.size();
        plan.cohorts.push_back(std::move(cohort));
      }
      const OptionTexts options = SettingsInGrid(grid, grid.VariantOf(variant)).options;
      const Machine machine_of_new_runs = MachineOfNewRuns(group, variant, options);
      for (const std::size_t i : group.sources) {
        for (std::size_t j = 0; j < sources[i].runs.size(); ++j) {
          const flare::Run& run = sources[i].runs[j];
          if (run.at.variant != variant) continue;
          plan.of_runs[i][j] = cohorts.at(run.config ? MachineOf(run) : machine_of_new_runs);
        }
      }
    }
  }
  return plan;
}

}  // namespace flare::report
