#include "flare/report/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "flare/base/error.h"
#include "flare/report/dataset_facts.h"
#include "flare/report/language_info.h"
#include "flare/report/titles.h"
#include "flare/runs/grid.h"

namespace flare::report {

namespace {

namespace fs = std::filesystem;

StudyRun PlaceRun(flare::Run read, const Source& source, const Cohort& cohort) {
  StudyRun run{std::move(read)};
  run.cohort = cohort.id;
  // The cohorts know what is drawn: of 50,000 runs the lists of it would take megabytes.
  if (run.config) run.config->settings.drawn = {};
  if (run.path.empty()) run.path = source.sweep.RunPath(run.at);
  // Scored by an earlier version, it may have what its program said.
  if (run.result && run.config && run.config->external) {
    run.result->best = MeasuredBest(*run.result, run.config->settings.validation);
  }
  return run;
}

// Runs that are averaged must have the same data, whichever sweep they are in.
void CheckSameData(const std::vector<Source>& sources) {
  struct Seen {
    std::string sha256, where;
  };
  std::map<std::string, Seen> seen;  // by language
  const auto see = [&](const std::string& language, const std::string& sha256,
                       const fs::path& where) {
    const auto [first, is_new] = seen.try_emplace(language, Seen{sha256, where.string()});
    if (is_new || first->second.sha256 == sha256) return;
    throw InputError(where,
                     fmt::format("its data of {} is not that of {}: its SHA-256 is {}, not {}",
                                 language, first->second.where, sha256, first->second.sha256),
                     "a report averages runs of the same data; two sweeps can be compared "
                     "with --compare");
  };
  for (const Source& source : sources) {
    for (const auto& [language, sha256] : source.sweep.data_sha256) {
      see(language, sha256, source.sweep.out);
    }
    for (const flare::Run& run : source.runs) {
      if (!run.config) continue;
      see(run.at.language, run.config->data.Sha256OfAll(),
          run.path.empty() ? source.sweep.RunPath(run.at) : run.path);
    }
  }
}

bool HasEnded(const StudyRun& run) {
  return run.state == RunState::kFinished || run.state == RunState::kDiverged;
}

// If several sources hold a run, the one that has come furthest is shown, whatever their order.
int Precedence(const StudyRun& run) {
  switch (run.state) {
    case RunState::kFinished:
    case RunState::kDiverged:
      return 4;
    case RunState::kRunning:
      return 3;
    case RunState::kFailed:
      return 2;
    case RunState::kDamaged:
      return 1;
    case RunState::kLeft:
      break;
  }
  return 0;
}

// Two sources hold one run: it must not matter which is shown.
void CheckSameOutcome(const StudyRun& first, const StudyRun& second) {
  const std::string difference = OutcomeDifference(second, first);
  if (difference.empty()) return;
  throw InputError(second.path,
                   fmt::format("differs from the run {}: its {}", first.path.string(), difference),
                   "the same settings, seed and data must give the same result; two sweeps can be "
                   "compared with --compare");
}

// Two sources hold baselines of the same data: they have the same format, or else grids gave them
// different envelopes.
void CheckSameFormat(const Source& first, const Source& second, const std::string& language) {
  const auto before = first.baselines.find(language), after = second.baselines.find(language);
  if (before == first.baselines.end() || after == second.baselines.end()) return;
  for (const auto& [split, baselines] : after->second) {
    const auto same = before->second.find(split);
    if (same == before->second.end() || same->second.format_only == baselines.format_only) continue;
    const auto text = [](const std::optional<double>& accuracy) {
      return accuracy ? fmt::format("{}", *accuracy) : "not known";
    };
    throw InputError(
        second.sweep.BaselinesPath(language),
        fmt::format("its format_only of {} is {}, and that of {} is {}", split,
                    text(baselines.format_only), first.sweep.BaselinesPath(language).string(),
                    text(same->second.format_only)),
        "a report shows one format of a language: give both sweeps the same envelope; "
        "two sweeps can be compared with --compare");
  }
}

template <class T>
void AddNew(const T& item, std::vector<T>& to) {
  if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
}

void AddGrid(const Grid& from, Axes& to) {
  for (const auto& language : from.languages) AddNew(language.name, to.languages);
  for (const std::string& loss : from.losses) AddNew(loss, to.losses);
  for (const std::string& validation : from.validations) AddNew(validation, to.validations);
  for (const std::size_t budget : from.budgets) AddNew(budget, to.budgets);
  to.trials = std::max(to.trials, from.trials);
}

// The sources that may say what the data of a language was: those that have runs of it, or all that
// have it planned.
std::vector<const Source*> WitnessesOf(const std::vector<Source>& sources,
                                       const std::string& language) {
  std::vector<const Source*> planned, begun;
  for (const Source& source : sources) {
    const auto& languages = source.sweep.grid.languages;
    if (std::none_of(languages.begin(), languages.end(),
                     [&](const auto& one) { return one.name == language; })) {
      continue;
    }
    planned.push_back(&source);
    if (HasRuns(source, language)) begun.push_back(&source);
  }
  return begun.empty() ? planned : begun;
}

// All have the same data, so that the first will do that still knows what it was.
void TakeData(const std::vector<Source>& sources, const std::string& language, Study& study) {
  for (const Source* source : WitnessesOf(sources, language)) {
    DatasetFacts facts =
        FactsOf(*source, language, study.published ? study.published->data_preset() : "flare");
    if (!facts.damage.empty()) study.damaged_manifests.push_back(facts.damage);
    if (study.facts.contains(language) && !facts.IsKnown()) continue;
    study.datasets[language] = source->sweep.DatasetPath(language);
    study.data[language] = DataOf(*source, language);
    study.facts[language] = std::move(facts);
    if (study.facts[language].IsKnown()) return;
  }
}

// Classifies the regular languages.
void Classify(Study& study) {
  constexpr std::size_t kMostTransitions = 20'000, kMostElements = 20'000;
  for (const std::string& name : study.axes.languages) {
    const auto language = FindLanguage(study, name);
    const Dfa* dfa = language ? language->language->dfa() : nullptr;
    if (dfa == nullptr || dfa->num_states() * dfa->alphabet().size() > kMostTransitions) continue;
    study.classes[name] = std::make_shared<const classes::Classification>(
        classes::Classify(*dfa, {.max_elements = kMostElements}));
  }
}

template <class T>
bool Contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Sweeps of version 0.2 do not say: those of a preset are reported as it says now.
ReportSpec SpecOf(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    if (source.sweep.grid.report.Declares()) return source.sweep.grid.report;
  }
  for (const Source& source : sources) {
    if (const auto preset = FindPreset(source.sweep.grid.name)) return preset->report;
  }
  return {};
}

std::vector<ReportColumn> ColumnsOf(const ReportSpec& spec, const Axes& axes) {
  std::vector<ReportColumn> columns;
  for (const ReportColumn& column : spec.columns) {
    if (Contains(axes.validations, column.validation)) columns.push_back(column);
  }
  if (columns.empty()) {
    for (const std::string& validation : axes.validations) {
      columns.push_back(
          {.name = validation, .title = "Validation " + validation, .validation = validation});
    }
  }
  for (ReportColumn& column : columns) {
    if (!Contains(axes.budgets, column.budget)) column.budget = axes.budgets[0];
  }
  return columns;
}

// The metric of a run on the test split.
std::optional<double> ScoreOf(const StudyRun& run, const std::string& metric) {
  if (metric != kScaledAccuracy) return run.Metric(run.test_split, metric);
  const SplitMetrics* split = run.result ? run.result->Split(run.test_split) : nullptr;
  if (split == nullptr || !split->accuracy || split->examples == 0) return std::nullopt;
  const double positive =
      static_cast<double>(split->positives) / static_cast<double>(split->examples);
  const double chance = std::max(positive, 1 - positive);
  // If all strings have the same label, chance is 1 already.
  if (chance == 1) return std::nullopt;
  return (*split->accuracy - chance) / (1 - chance);
}

// Returns the figures of the test split that could be the metric, in the order of preference.
std::vector<std::string> MetricsOf(const Study& study) {
  std::vector<std::string> shares, others;
  for (const StudyRun& run : study.runs) {
    const SplitMetrics* split = run.result ? run.result->Split(run.test_split) : nullptr;
    if (split == nullptr) continue;
    split->ForEachScalar([&](std::string_view name, double) {
      if (name.ends_with("_accuracy_positions") || name.ends_with("_accuracy_strings")) {
        AddNew(std::string(name), shares);
      } else if (name == "accuracy" || name == "longest_perfect_length" || name == "f1" ||
                 name == "auc" || name.ends_with("_cross_entropy")) {
        AddNew(std::string(name), others);
      }
    });
  }
  // The accuracy before all others, if there is one.
  const auto accuracy = std::find(others.begin(), others.end(), "accuracy");
  if (accuracy != others.end()) std::rotate(others.begin(), accuracy, accuracy + 1);
  const auto at = others.empty() || others[0] != "accuracy" ? others.begin() : others.begin() + 1;
  others.insert(at, shares.begin(), shares.end());
  return others;
}

// Gives the study its metric, and every run its score.
// `where` it is wanted is for messages.
void TakeMetric(const std::string& wanted, const std::string& where, Study& study) {
  const std::vector<std::string> known = MetricsOf(study);
  std::string name = wanted;
  if (name.empty()) name = known.empty() ? "accuracy" : known[0];
  study.metric = MetricNamed(name, where);
  const std::string needed = name == kScaledAccuracy ? "accuracy" : name;
  if (!known.empty() && !Contains(known, needed)) {
    throw InputError(where, fmt::format("no run has {} on {}", needed, study.test_split),
                     fmt::format("runs have {}", fmt::join(known, ", ")));
  }
  for (StudyRun& run : study.runs) run.score = ScoreOf(run, name);
}

// Runs are moved: a large sweep need not be in memory twice.
void TakeRuns(std::vector<Source> sources, const CohortPlan& plan, Study& study) {
  std::size_t most = 0;
  for (const Source& source : sources) most += source.runs.size();
  study.runs.reserve(most);
  std::map<std::string, std::size_t> places;  // of runs, by cohort and coordinates
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Source& source = sources[i];
    for (std::size_t j = 0; j < source.runs.size(); ++j) {
      StudyRun run = PlaceRun(std::move(source.runs[j]), source, plan.cohorts[plan.of_runs[i][j]]);
      run.test_split = study.test_split;
      run.family = study.FamilyOf(run.cohort);
      const auto [place, is_new] =
          places.try_emplace(run.cohort + "/" + run.at.Path(), study.runs.size());
      if (is_new) {
        study.runs.push_back(std::move(run));
        continue;
      }
      StudyRun& first = study.runs[place->second];
      if (HasEnded(run) && HasEnded(first)) CheckSameOutcome(first, run);
      if (Precedence(run) > Precedence(first)) first = std::move(run);
    }
  }
}

}  // namespace

std::optional<double> StudyRun::Metric(std::string_view split, std::string_view metric) const {
  return result ? result->Metric(split, metric) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> Study::SettingsOf(const StudyRun& run) const {
  if (!run.config) return {};
  return SettingsList(run.config->settings);
}

const Baselines* Study::FindBaselines(const std::string& language) const {
  const auto of_language = baselines.find(language);
  if (of_language == baselines.end()) return nullptr;
  const auto of_split = of_language->second.find(test_split);
  return of_split == of_language->second.end() ? nullptr : &of_split->second;
}

std::size_t Study::Count(RunState state) const {
  return static_cast<std::size_t>(std::count_if(
      runs.begin(), runs.end(), [&](const StudyRun& run) { return run.state == state; }));
}

std::size_t Study::LeftOut() const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const StudyRun& run) { return run.left_out; }));
}

std::string Study::Incomparable(const std::string& language, const std::string& variant) const {
  const Cohort& cohort = CohortOf(variant);
  if (!published || !published->Has(language, cohort.variant)) return "nothing is published of it";
  const auto of_language = facts.find(language);
  if (of_language != facts.end() && !of_language->second.incomparable.empty()) {
    return of_language->second.incomparable;
  }
  if (test_split != "test") return fmt::format("the test split is {}", test_split);
  return cohort.incomparable;
}

const PublishedValue* Study::FindPublished(const std::string& column, const std::string& language,
                                           const std::string& variant, std::size_t budget) const {
  if (!published || !shows_published || !Incomparable(language, variant).empty()) return nullptr;
  return published->Find(column, language, CohortOf(variant).variant, budget);
}

std::size_t Study::PublishedRuns(const ReportColumn& column) const {
  std::size_t most = 0;
  for (const std::string& language : axes.languages) {
    for (const std::string& variant : axes.variants) {
      const PublishedValue* value = FindPublished(column.name, language, variant, column.budget);
      if (value != nullptr) most = std::max(most, value->runs);
    }
  }
  return most;
}

std::string Study::PublishedLabel() const { return published ? published->label() : "published"; }

ReportColumn Study::BestColumn() const {
  for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
    if (column->value == ReportColumn::Value::kMax) return *column;
  }
  ReportColumn last = columns.back();
  last.value = ReportColumn::Value::kMax;
  return last;
}

std::vector<std::string> Study::Variants() const {
  static const std::vector<std::string> first = {"transformer", "rnn", "lstm"};
  const auto place = [&](const std::string& id) {
    return std::find(first.begin(), first.end(), CohortOf(id).variant);
  };
  std::vector<std::string> ordered;
  for (const Family& family : families) ordered.push_back(family.id());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return ordered;
}

const Family* Study::FindFamily(const std::string& id) const {
  for (const auto* all : {&families, &contenders}) {
    for (const Family& family : *all) {
      if (family.id() == id) return &family;
    }
  }
  return nullptr;
}

const Cohort& Study::CohortOf(const std::string& id) const {
  for (const Cohort& cohort : cohorts) {
    if (cohort.id == id) return cohort;
  }
  const Family* family = FindFamily(id);
  FLARE_CHECK(family != nullptr);
  return family->shown;
}

std::vector<std::string> Study::Members(const std::string& id) const {
  const Family* family = FindFamily(id);
  return family != nullptr ? family->cohorts : std::vector{id};
}

const std::string& Study::FamilyOf(const std::string& cohort) const {
  const auto found = std::find_if(families.begin(), families.end(), [&](const Family& family) {
    return Contains(family.cohorts, cohort);
  });
  FLARE_CHECK(found != families.end());
  return found->id();
}

bool Study::MayHaveScores(const std::string& id) const {
  const std::vector<std::string> members = Members(id);
  return std::any_of(runs.begin(), runs.end(), [&](const StudyRun& run) {
    return Contains(members, run.cohort) &&
           (run.score.has_value() || run.state != RunState::kFinished);
  });
}

std::string Study::PlaceIn(const std::string& family, const std::string& cohort) const {
  const std::vector<std::string> members = Members(family);
  std::string place;
  for (const auto& [setting, text] : CohortOf(cohort).settings) {
    if (std::any_of(members.begin(), members.end(), [&](const std::string& other) {
          const SettingTexts& settings = CohortOf(other).settings;
          const auto found = settings.find(setting);
          return found == settings.end() || found->second != text;
        })) {
      place += fmt::format("{}{}={}", place.empty() ? "" : ", ", setting, text);
    }
  }
  return place;
}

std::string Study::Title(const std::string& variant) const {
  return CohortTitle(CohortOf(variant), cohorts, false);
}

std::string Study::ShortTitle(const std::string& variant) const {
  return CohortTitle(CohortOf(variant), cohorts, true);
}

std::string CommonTestSplit(const std::vector<const Source*>& sources) {
  std::string first = "test";
  for (const Source* source : sources) {
    for (const flare::Run& run : source->runs) {
      if (!run.result) continue;
      const std::string split = TestSplitOf(*run.result);
      if (split == "test" && run.result->Split(split) != nullptr) return split;
      if (first == "test") first = split;
    }
  }
  return first;
}

Study CombineSources(std::vector<Source> sources, const std::string& metric) {
  FLARE_CHECK(!sources.empty());
  CheckSameData(sources);
  Study study;
  const ReportSpec spec = SpecOf(sources);
  if (!spec.published.empty()) study.published = Published::Read(spec.published);
  const CohortPlan plan = PlanCohorts(sources, study.published.get());
  study.seed = sources[0].sweep.grid.seed;
  study.cohorts = plan.cohorts;
  for (const Cohort& cohort : plan.cohorts) study.axes.variants.push_back(cohort.id);
  std::vector<std::string> tuned;
  for (const Source& source : sources) {
    for (const std::string& setting : source.sweep.grid.report.tuned) AddNew(setting, tuned);
  }
  study.numeric_settings = NumericSettings(study.cohorts);
  std::erase_if(study.numeric_settings,
                [&](const std::string& setting) { return Contains(tuned, setting); });
  study.contenders = FamiliesOf(study.cohorts, tuned);
  std::vector<std::string> varied = tuned;
  varied.insert(varied.end(), study.numeric_settings.begin(), study.numeric_settings.end());
  study.families = FamiliesOf(study.cohorts, varied);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    const Grid& grid = source.sweep.grid;
    study.name += (study.name.empty() || grid.name.empty() ? "" : " + ") + grid.name;
    AddGrid(grid, study.axes);
    if (!source.origin.empty()) study.origin = source.origin;
    for (const auto& [language, baselines] : source.baselines) {
      for (std::size_t j = 0; j < i; ++j) CheckSameFormat(sources[j], source, language);
      study.baselines.try_emplace(language, baselines);
    }
    study.damaged_baselines.insert(study.damaged_baselines.end(), source.damaged_baselines.begin(),
                                   source.damaged_baselines.end());
  }
  study.columns = ColumnsOf(spec, study.axes);
  for (const std::string& language : study.axes.languages) TakeData(sources, language, study);
  Classify(study);
  std::vector<const Source*> all;
  for (const Source& source : sources) all.push_back(&source);
  study.test_split = CommonTestSplit(all);
  TakeRuns(std::move(sources), plan, study);
  if (metric.empty()) {
    TakeMetric(spec.metric, "report.metric", study);
  } else {
    TakeMetric(metric, "metric", study);
  }
  study.reach = spec.reach;
  constexpr double kReach = 0.9;
  if (!study.reach && study.metric.is_share) study.reach = kReach;
  return study;
}

Study ReadStudy(const std::vector<fs::path>& directories, const std::string& metric) {
  std::vector<Source> sources;
  std::vector<fs::path> by_hand;
  for (const fs::path& directory : directories) {
    if (!fs::exists(SweepFile(directory)) && IsRun(directory)) {
      by_hand.push_back(directory);
    } else {
      sources.push_back(ReadSource(directory));
    }
  }
  if (!by_hand.empty()) sources.push_back(ReadRunsByHand(by_hand));
  return CombineSources(std::move(sources), metric);
}

namespace {

StudyRun LeftOut(const StudyRun& run) {
  StudyRun left;
  left.at = run.at;
  left.cohort = run.cohort;
  left.family = run.family;
  left.path = run.path;
  left.test_split = run.test_split;
  left.left_out = true;
  return left;
}

}  // namespace

void MarkPartialTrials(Study& study) {
  std::set<std::size_t> all, partial;
  for (const StudyRun& run : study.runs) {
    all.insert(run.at.trial);
    if (!run.result) partial.insert(run.at.trial);
  }
  if (partial.empty()) return;
  const std::size_t whole = all.size() - partial.size();
  if (whole == 0) {
    study.note = "No trial is done at every point of the grid yet: all runs count.";
    return;
  }
  // The same until another trial is whole, however many runs come in.
  study.note = fmt::format("Only trials that are done at every point of the grid count: {} of {}.",
                           whole, all.size());
  for (StudyRun& run : study.runs) {
    run.left_out = run.result && partial.contains(run.at.trial);
  }
}

void DropLeftOut(Study& study) {
  for (StudyRun& run : study.runs) {
    if (run.left_out) run = LeftOut(run);
  }
}

}  // namespace flare::report
