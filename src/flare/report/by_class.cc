// Tables over the languages of a class: means on every test split, and what theorems exclude beside
// what was learned. For grids over many regular languages, where a row per language says little.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/rng.h"
#include "flare/report/predicted.h"
#include "flare/report/statistics.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// "strictly local" of "strictly local (k = 2)".
std::string WithoutParameter(const std::string& title) { return title.substr(0, title.find(" (")); }

// The languages of each class, from the smallest: each language counts in the smallest classes that
// it belongs to.
std::vector<std::pair<std::string, std::vector<std::string>>> LanguagesOfClasses(
    const Study& study) {
  std::map<std::string, std::vector<std::string>> by_title;
  constexpr const char* kOther = "regular, in none of these";
  for (const std::string& language : study.axes.languages) {
    const auto classes = study.classes.find(language);
    if (classes == study.classes.end()) continue;
    std::set<std::string> titles;
    for (const std::string& title : classes::SmallestClasses(*classes->second)) {
      titles.insert(WithoutParameter(title));
    }
    if (titles.empty()) titles.insert(kOther);
    for (const std::string& title : titles) by_title[title].push_back(language);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> ordered;
  for (const std::string_view key : classes::PropertyKeys()) {
    const auto found = by_title.find(classes::PropertyTitle(key));
    if (found == by_title.end()) continue;
    ordered.emplace_back(found->first, std::move(found->second));
    by_title.erase(found);
  }
  for (auto& [title, languages] : by_title) ordered.emplace_back(title, std::move(languages));
  return ordered;
}

// The test splits of any run, that of the study first.
std::vector<std::string> TestSplitsOf(const Study& study) {
  std::vector<std::string> splits = {study.test_split};
  for (const StudyRun& run : study.runs) {
    if (!run.result) continue;
    for (const auto& [split, metrics] : run.result->splits) {
      if (!split.starts_with("test") || !metrics ||
          std::find(splits.begin(), splits.end(), split) != splits.end()) {
        continue;
      }
      splits.push_back(split);
    }
  }
  return splits;
}

// The mean over the trials behind the main table; nothing without any.
std::optional<double> MeanOnSplit(const Selection& selection, const std::string& language,
                                  const std::string& family, const std::string& split) {
  const Study& study = selection.study();
  const auto best = selection.Score(
      {.validation = study.MainValidation(), .budget = study.MainBudget()}, language, family);
  if (!best) return std::nullopt;
  const RunGroup* group =
      selection.Find(language, family, best->losses[0], study.MainValidation(), study.MainBudget());
  const std::string name = study.metric.name == kScaledAccuracy ? "accuracy" : study.metric.name;
  std::vector<double> values;
  for (const StudyRun* run : group->runs) {
    const auto value = split == study.test_split ? run->score : run->Metric(split, name);
    if (value) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(Mean(values));
}

}  // namespace

// Means over the languages of each class, on every test split.
Table ByClassTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "by-class";
  const auto classes = LanguagesOfClasses(study);
  if (std::none_of(classes.begin(), classes.end(),
                   [](const auto& one) { return one.second.size() >= kLeastForInterval; })) {
    return table;
  }
  const std::vector<std::string> splits = TestSplitsOf(study);
  table.caption = fmt::format(
      "{} by class of the language: means over languages of means over trials, with validation on "
      "'{}'. A language counts in each of the smallest classes that it belongs to.",
      MetricTitle(study), study.MainValidation());
  table.columns = {{"class", "Class", "", true},
                   {"architecture", "Architecture", "", true},
                   {"languages", "Languages", ""}};
  for (const std::string& split : splits) {
    table.columns.push_back({split, "Mean", split});
    table.columns.push_back({split + "_interval", "95 % of mean", split});
  }
  for (const auto& [title, languages] : classes) {
    bool first = !table.rows.empty();
    for (const std::string& family : study.Variants()) {
      Row row;
      row.rule_above = std::exchange(first, false);
      row.cells = {Cell::Text(title), Cell::Text(study.Title(family)), Cell()};
      std::size_t most = 0;
      for (const std::string& split : splits) {
        std::vector<double> values;
        for (const std::string& language : languages) {
          const auto value = MeanOnSplit(selection, language, family, split);
          if (value) values.push_back(*value);
        }
        most = std::max(most, values.size());
        Cell interval;
        interval.decimals = study.metric.decimals;
        if (values.size() >= kLeastForInterval) {
          Rng rng =
              Rng::For(study.seed, fmt::format("report/by-class/{}/{}/{}", title, family, split));
          interval.interval = BootstrapMean(values, rng);
        }
        row.cells.push_back(values.empty() ? Cell()
                                           : Cell::Number(Mean(values), study.metric.decimals));
        row.cells.push_back(std::move(interval));
      }
      row.cells[2] = Cell::Number(static_cast<double>(most), 0);
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = {fmt::format(
      "95 % of mean: percentile bootstrap over the languages of the class, of at least {}; "
      "languages counts those with a run, n those of the split.",
      kLeastForInterval)};
  return table;
}

namespace {

// A theorem as it is about an architecture of the study.
struct Statement {
  std::string family, model, read_out, theorem, source;
  auto operator<=>(const Statement&) const = default;
};

struct Observed {
  std::size_t languages = 0;                   // with a run
  std::vector<std::string> excluded, learned;  // their titles
  bool conditional = false;                    // unless TC⁰ = NC¹
};

// The best accuracy of any run of a cohort on a language.
std::map<std::pair<std::string, std::string>, double> BestAccuracies(const Study& study) {
  std::map<std::pair<std::string, std::string>, double> best;
  for (const StudyRun& run : study.runs) {
    const auto score = study.metric.is_share ? run.score : run.TestAccuracy();
    if (!score) continue;
    const auto [at, is_new] = best.try_emplace({run.at.language, run.cohort}, *score);
    if (!is_new) at->second = std::max(at->second, *score);
  }
  return best;
}

}  // namespace

// For each theorem, the languages that it excludes, and those of them that were learned all the
// same.
Table TheoryTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "theory";
  const auto best = BestAccuracies(study);
  std::vector<Statement> order;
  std::map<Statement, Observed> all;
  for (const std::string& language : study.axes.languages) {
    const auto classes = study.classes.find(language);
    if (classes == study.classes.end()) continue;
    const Theory theory(*classes->second);
    for (const std::string& family : study.Variants()) {
      std::map<Statement, bool> met;  // is a network that it excludes right on every string?
      for (const std::string& id : study.Members(family)) {
        const Cohort& cohort = study.CohortOf(id);
        const auto found = best.find({language, id});
        if (found == best.end()) continue;
        for (const theory::Prediction& one : theory.Of(cohort)) {
          if (!theory::AppliesTo(one, ArchitectureOf(cohort.variant), cohort.options)) continue;
          const bool excluded = one.verdict == theory::Verdict::kExcluded ||
                                one.verdict == theory::Verdict::kExcludedUnless;
          const char* const reads = !one.read_out                             ? "either"
                                    : *one.read_out == theory::ReadOut::kLast ? "last symbol"
                                                                              : "end symbol";
          const Statement statement{family, one.model, reads, one.theorem, one.source};
          const auto [at, is_new] = all.try_emplace(statement);
          if (is_new) order.push_back(statement);
          const auto [state, is_first] = met.try_emplace(statement, false);
          if (is_first) ++at->second.languages;
          if (is_first && excluded) at->second.excluded.push_back(LanguageTitle(language));
          at->second.conditional |= one.verdict == theory::Verdict::kExcludedUnless;
          if (excluded && found->second == 1 && !std::exchange(state->second, true)) {
            at->second.learned.push_back(LanguageTitle(language));
          }
        }
      }
    }
  }
  table.caption =
      "What theorems exclude, and what was learned all the same: of the languages with a run, how "
      "many each theorem excludes for an idealization of the architecture at the read-out that the "
      "networks have, and on how many of those a run is right on every test string.";
  table.columns = {{"architecture", "Architecture", "", true},
                   {"model", "Idealization", "", true},
                   {"read_out", "Reads", "", true},
                   {"theorem", "Theorem", "", true},
                   {"languages", "In all", "Languages"},
                   {"excluded", "Excluded", "Languages"},
                   {"learned", "Learned all the same", "Languages"},
                   {"names", "Which", "Languages", true},
                   {"source", "Source", "", true}};
  std::string family;
  for (const Statement& one : order) {
    const Observed& observed = all.at(one);
    if (observed.excluded.empty()) continue;
    Row row;
    row.rule_above = !table.rows.empty() && family != one.family;
    family = one.family;
    row.cells = {Cell::Text(study.Title(one.family)),
                 Cell::Text(one.model),
                 Cell::Text(one.read_out),
                 Cell::Text(one.theorem),
                 Cell::Number(static_cast<double>(observed.languages), 0),
                 Cell::Number(static_cast<double>(observed.excluded.size()), 0),
                 Cell::Number(static_cast<double>(observed.learned.size()), 0),
                 Cell::Text(fmt::format("{}", fmt::join(observed.learned, ", "))),
                 Cell::Text(one.source + (observed.conditional ? " (unless TC⁰ = NC¹)" : ""))};
    table.rows.push_back(std::move(row));
  }
  table.notes = {std::string(theory::Idealization())};
  return table;
}

}  // namespace flare::report
