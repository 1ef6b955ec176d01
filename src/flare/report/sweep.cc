#include "flare/report/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "flare/base/check.h"
#include "flare/base/json_reader.h"
#include "flare/report/names.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/sweep_file.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

Run ReadRun(const fs::path& path, Coordinates at, const Names& names, JsonReader& reader) {
  Run run;
  run.at = std::move(at);
  run.directory = path;
  const RunDirectory directory(path);
  run.state = directory.Look();
  if (directory.is_begun()) {
    run.config = ConfigFromJson(reader.Read(directory.config()), names);
    run.settings = SettingsList(run.config->settings, names);
  }
  if (run.state == RunState::kFinished) {
    run.result = ResultFromJson(reader.Read(directory.result()));
    if (run.result->diverged) run.state = RunState::kDiverged;
  } else if (run.state == RunState::kFailed) {
    run.failure = directory.ReasonOfFailure();
  }
  return run;
}

std::map<std::string, Baselines> ReadBaselines(const JsonValue& json) {
  std::map<std::string, Baselines> splits;
  json.At("splits").ForEach([&](std::string_view split, const JsonValue& row) {
    splits[std::string(split)] = {row.MaybeNumber("majority"),
                                  row.MaybeNumber("majority_per_length"),
                                  row.MaybeNumber("format_only"), row.MaybeNumber("symbol_counts"),
                                  row.MaybeNumber("ngrams")};
  });
  return splits;
}

template <class T>
void AddNew(const T& item, std::vector<T>& to) {
  if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
}

void AddGrid(const Grid& from, Sweep& sweep) {
  Axes& to = sweep.axes;
  for (const auto& language : from.languages) AddNew(language.name, to.languages);
  for (const Variant& variant : from.variants) {
    AddNew(variant.Text(), to.variants);
    if (!variant.label.empty()) sweep.labels.try_emplace(variant.Text(), variant.label);
  }
  for (const std::string& loss : from.losses) AddNew(loss, to.losses);
  for (const std::string& validation : from.validations) AddNew(validation, to.validations);
  for (const std::size_t budget : from.budgets) AddNew(budget, to.budgets);
  to.trials = std::max(to.trials, from.trials);
}

std::string TestSplitOf(const std::vector<Run>& runs) {
  std::string first;
  for (const Run& run : runs) {
    if (!run.result) continue;
    for (const auto& [split, metrics] : run.result->splits) {
      if (split == "test") return split;
      if (first.empty() && split.starts_with("test")) first = split;
    }
  }
  return first.empty() ? "test" : first;
}

}  // namespace

std::optional<double> Run::Metric(std::string_view split, std::string_view metric) const {
  return result ? result->Metric(split, metric) : std::nullopt;
}

const Baselines* Sweep::FindBaselines(const std::string& language) const {
  const auto of_language = baselines.find(language);
  if (of_language == baselines.end()) return nullptr;
  const auto of_split = of_language->second.find(test_split);
  return of_split == of_language->second.end() ? nullptr : &of_split->second;
}

std::size_t Sweep::Count(RunState state) const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [&](const Run& run) { return run.state == state; }));
}

std::size_t Sweep::MainBudget() const {
  constexpr std::size_t kPaper = 64'000;
  const auto& budgets = axes.budgets;
  return std::find(budgets.begin(), budgets.end(), kPaper) != budgets.end() ? kPaper : budgets[0];
}

std::string Sweep::FirstValidation() const {
  return HasPapersValidations() ? "short" : axes.validations[0];
}

std::string Sweep::SecondValidation() const {
  if (HasPapersValidations()) return "long";
  return axes.validations.size() > 1 ? axes.validations[1] : "";
}

bool Sweep::HasPapersValidations() const {
  return std::any_of(axes.validations.begin(), axes.validations.end(),
                     [](const std::string& split) { return split == "short" || split == "long"; });
}

std::vector<std::string> Sweep::Variants() const {
  static const std::vector<std::string> paper = {"transformer", "rnn", "lstm"};
  std::vector<std::string> ordered = axes.variants;
  std::stable_sort(ordered.begin(), ordered.end(), [](const std::string& a, const std::string& b) {
    return std::find(paper.begin(), paper.end(), a) < std::find(paper.begin(), paper.end(), b);
  });
  return ordered;
}

std::string Sweep::Title(const std::string& variant) const {
  const auto label = labels.find(variant);
  return label == labels.end() ? VariantTitle(variant) : label->second;
}

std::string Sweep::ShortTitle(const std::string& variant) const {
  const auto label = labels.find(variant);
  return label == labels.end() ? VariantAbbreviation(variant) : label->second;
}

Sweep ReadSweeps(const std::vector<fs::path>& directories, const Names& names) {
  FLARE_CHECK(!directories.empty());
  JsonReader reader;
  Sweep sweep;
  std::set<std::string> seen;
  for (const fs::path& directory : directories) {
    const flare::Sweep one = ReadSweep(directory, names);
    if (&directory == directories.data()) sweep.seed = one.grid.seed;
    sweep.name += (sweep.name.empty() || one.grid.name.empty() ? "" : " + ") + one.grid.name;
    AddGrid(one.grid, sweep);
    for (Coordinates& at : one.grid.Runs()) {
      if (!seen.insert(at.Path()).second) continue;
      const fs::path path = one.RunPath(at);
      sweep.runs.push_back(ReadRun(path, std::move(at), names, reader));
    }
    for (const auto& language : one.grid.languages) {
      sweep.datasets.try_emplace(language.name, one.DatasetPath(language.name));
      const fs::path baselines = one.BaselinesPath(language.name);
      if (!sweep.baselines.contains(language.name) && fs::exists(baselines)) {
        sweep.baselines[language.name] = ReadBaselines(reader.Read(baselines));
      }
    }
  }
  sweep.test_split = TestSplitOf(sweep.runs);
  for (Run& run : sweep.runs) run.test_split = sweep.test_split;
  return sweep;
}

}  // namespace flare::report
