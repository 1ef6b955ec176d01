#include "flare/report/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/report/output_folder.h"
#include "flare/report/source.h"
#include "flare/report/statistics.h"
#include "flare/report/study.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

struct Pair {
  const flare::Run* first;
  const flare::Run* second;
  double before, after;  // accuracies on the test split
};

struct Pairs {
  std::vector<Pair> all;
  std::size_t unpaired = 0;
  std::vector<std::string> damaged;
};

std::optional<double> Score(const flare::Run& run, const std::string& split) {
  return run.result ? run.result->Metric(split, "accuracy") : std::nullopt;
}

Pairs PairUp(const Source& first, const Source& second, const std::string& split) {
  std::map<std::string, const flare::Run*> scored;  // of the second
  for (const flare::Run& run : second.runs) {
    if (Score(run, split)) scored[run.at.Path()] = &run;
  }
  Pairs pairs;
  for (const flare::Run& run : first.runs) {
    const auto before = Score(run, split);
    if (!before) continue;
    const auto found = scored.find(run.at.Path());
    if (found == scored.end()) {
      ++pairs.unpaired;
      continue;
    }
    pairs.all.push_back({&run, found->second, *before, *Score(*found->second, split)});
    scored.erase(found);
  }
  pairs.unpaired += scored.size();
  for (const Source* source : {&first, &second}) {
    for (const flare::Run& run : source->runs) {
      if (run.state != RunState::kDamaged) continue;
      pairs.damaged.push_back(
          fmt::format("{}: {}: {}", source->sweep.out.string(), run.at.Path(), run.fault));
    }
  }
  return pairs;
}

// The mean of the gains; resampled are languages, whose runs share their data, or the pairs of the
// only one.
std::optional<Interval> IntervalOfGains(const std::vector<const Pair*>& pairs,
                                        const std::string& what) {
  std::map<std::string, std::vector<double>> by_language;
  std::vector<double> gains;
  for (const Pair* pair : pairs) {
    gains.push_back(pair->after - pair->before);
    by_language[pair->first->at.language].push_back(gains.back());
  }
  Rng rng = Rng::For(0, "report/compare/" + what);
  if (by_language.size() == 1) {
    return gains.size() < kLeastForInterval ? std::nullopt
                                            : std::optional(BootstrapMean(gains, rng));
  }
  std::vector<const std::vector<double>*> languages;
  for (const auto& [language, some] : by_language) languages.push_back(&some);
  const auto mean_of = [&](std::span<const std::size_t> drawn) {
    std::vector<double> some;
    for (const std::size_t i : drawn) {
      some.insert(some.end(), languages[i]->begin(), languages[i]->end());
    }
    return std::optional(Mean(some));
  };
  return BootstrapGroups(languages.size(), mean_of, rng);
}

// The rest of a row, after its names.
void AddScores(const std::vector<const Pair*>& pairs, const std::string& what, Row& row) {
  std::vector<double> before, after, gains;
  double better = 0, worse = 0;
  for (const Pair* pair : pairs) {
    before.push_back(pair->before);
    after.push_back(pair->after);
    gains.push_back(pair->after - pair->before);
    better += pair->after > pair->before ? 1 : 0;
    worse += pair->after < pair->before ? 1 : 0;
  }
  Cell interval;
  interval.decimals = 3;
  interval.interval = IntervalOfGains(pairs, what);
  row.cells.insert(row.cells.end(),
                   {Cell::Number(static_cast<double>(pairs.size()), 0), Cell::Number(Mean(before)),
                    Cell::Number(Mean(after)), Cell::Number(Mean(gains), 3), interval,
                    Cell::Number(better, 0), Cell::Number(worse, 0)});
}

// The first difference in each of the settings of two plans, whatever they are called.
std::vector<std::string> DifferencesOf(const Json& first, const Json& second) {
  std::vector<std::string> differences;
  const auto compare = [&](const std::string& path, const Json& a, const Json& b) {
    std::string difference = FirstDifference({{path, a}}, {{path, b}});
    if (!difference.empty()) differences.push_back(std::move(difference));
  };
  const auto names_of = [](const Json& a, const Json& b) {
    Json both = a;
    both.update(b);
    return both;
  };
  const Json settings = names_of(first, second);
  for (const auto& [name, unused] : settings.items()) {
    if (name == "name") continue;
    const Json a = first.value(name, Json()), b = second.value(name, Json());
    if (!a.is_object() || !b.is_object()) {
      compare(name, a, b);
      continue;
    }
    const Json keys = names_of(a, b);
    for (const auto& [key, also_unused] : keys.items()) {
      compare(name + "." + key, a.value(key, Json()), b.value(key, Json()));
    }
  }
  return differences;
}

// What the reader must know to read the differences.
std::vector<std::string> NotesOf(const Source& first, const Source& second, const Pairs& pairs) {
  std::vector<std::string> notes;
  const std::vector<std::string> differences =
      DifferencesOf(GridToJson(first.sweep.grid), GridToJson(second.sweep.grid));
  notes.push_back(differences.empty()
                      ? "The two were planned alike."
                      : fmt::format("They were planned differently: in {}, {}, as in {}.",
                                    first.sweep.out.string(), fmt::join(differences, "; "),
                                    second.sweep.out.string()));
  std::vector<std::string> other_data;
  std::size_t other_arithmetic = 0;
  for (const Pair& pair : pairs.all) {
    const RunConfig &a = *pair.first->config, &b = *pair.second->config;
    if (a.settings.arithmetic != b.settings.arithmetic) ++other_arithmetic;
    if (a.data.Sha256OfAll() == b.data.Sha256OfAll()) continue;
    const std::string& language = pair.first->at.language;
    if (other_data.empty() || other_data.back() != language) other_data.push_back(language);
  }
  for (const std::string& language : other_data) {
    notes.push_back(fmt::format("The data of {} is not the same in both.", language));
  }
  if (other_arithmetic > 0) {
    notes.push_back(fmt::format("{} {} computed with different arithmetic.",
                                Counted(other_arithmetic, "pair"),
                                other_arithmetic == 1 ? "was" : "were"));
  }
  if (pairs.unpaired > 0) {
    notes.push_back(fmt::format("{} without a partner {} left out.", Counted(pairs.unpaired, "run"),
                                pairs.unpaired == 1 ? "is" : "are"));
  }
  if (!pairs.damaged.empty()) {
    notes.push_back(fmt::format("Damaged, and left out: {}.", fmt::join(pairs.damaged, "; ")));
  }
  notes.emplace_back(
      "Pairs have the same language, variant, loss, validation set, budget and trial. 95 %: "
      "percentile bootstrap of the mean difference over n pairs, or n languages where a row has "
      "several; of at least 5.");
  return notes;
}

// Uses the title of other tables.
std::string NameOf(const std::string& variant, const Source& source) {
  for (const Variant& one : source.sweep.grid.variants) {
    if (one.Text() == variant && !one.label.empty()) return one.label;
  }
  return VariantTitle(variant, true);
}

Table CompareTable(const Source& first, const Source& second, const Pairs& pairs,
                   const std::string& split) {
  Table table;
  table.name = "compare";
  table.caption = fmt::format(
      "Accuracy on the split {}, run by run: A is {}, B is {}; the difference is B − A.", split,
      first.sweep.out.string(), second.sweep.out.string());
  table.columns = {{"language", "Language", "", true},
                   {"variant", "Model", "", true},
                   {"loss", "Loss", "", true},
                   {"validation", "Val. set", "", true},
                   {"budget", "Budget", "", true},
                   {"pairs", "Pairs", ""},
                   {"first", "A", "Mean"},
                   {"second", "B", "Mean"},
                   {"difference", "Mean", "B − A"},
                   {"difference_interval", "95 % of mean", "B − A"},
                   {"better", "B better", "Pairs"},
                   {"worse", "B worse", "Pairs"}};
  const auto add = [&](const std::vector<std::string>& names, const std::vector<const Pair*>& some,
                       bool rule) {
    Row row;
    row.rule_above = rule;
    std::string what;
    for (const std::string& name : names) {
      row.cells.push_back(Cell::Text(name));
      what += name + "/";
    }
    AddScores(some, what, row);
    table.rows.push_back(std::move(row));
  };
  std::vector<const Pair*> all;
  std::map<std::string, std::vector<const Pair*>> by_variant;
  for (std::size_t i = 0; i < pairs.all.size();) {
    // Runs come in grid order, so that the trials of a point follow each other.
    const Coordinates& at = pairs.all[i].first->at;
    std::vector<const Pair*> trials;
    for (; i < pairs.all.size(); ++i) {
      Coordinates other = pairs.all[i].first->at;
      other.trial = at.trial;
      if (!(other == at)) break;
      trials.push_back(&pairs.all[i]);
    }
    add({LanguageTitle(at.language), NameOf(at.variant, first), LossTitle(at.loss),
         ValidationAbbreviation(at.validation), BudgetTitle(at.budget)},
        trials, false);
    all.insert(all.end(), trials.begin(), trials.end());
    auto& of_variant = by_variant[at.variant];
    of_variant.insert(of_variant.end(), trials.begin(), trials.end());
  }
  bool rule = true;
  for (const auto& [variant, some] : by_variant) {
    add({"All", NameOf(variant, first), "", "", ""}, some, std::exchange(rule, false));
  }
  add({"All", "All", "", "", ""}, all, true);
  table.notes = NotesOf(first, second, pairs);
  return table;
}

std::string PairsCsv(const Pairs& pairs) {
  std::string text = "language,variant,loss,validation,budget,trial,first,second,difference\n";
  for (const Pair& pair : pairs.all) {
    const Coordinates& at = pair.first->at;
    text += CsvLine({at.language, at.variant, at.loss, at.validation, std::to_string(at.budget),
                     std::to_string(at.trial), FormatExact(pair.before), FormatExact(pair.after),
                     FormatExact(pair.after - pair.before)}) +
            "\n";
  }
  return text;
}

std::string ComparisonPage() {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n{}\n"
      "<p>Two sweeps, run by run:\n<ul>\n",
      kTitleOfReports);
  for (const char* file :
       {"compare.md", "compare.csv", "compare.json", "compare.tex", "pairs.csv"}) {
    text += fmt::format("<li><a href=\"{0}\">{0}</a>\n", file);
  }
  return text + "</ul>\n";
}

}  // namespace

std::string CompareSummary::Text() const {
  std::string text = fmt::format("{} of runs", Counted(pairs, "pair"));
  if (unpaired > 0) text += fmt::format("; {} without a partner", Counted(unpaired, "run"));
  if (!damaged_runs.empty()) text += fmt::format("; {} damaged", damaged_runs.size());
  return text;
}

CompareSummary WriteComparison(const fs::path& first, const fs::path& second, const fs::path& to) {
  const Source a = ReadSource(first), b = ReadSource(second);
  const std::string split = CommonTestSplit({&a, &b});
  Pairs pairs = PairUp(a, b, split);
  if (pairs.all.empty()) {
    throw InputError(second, fmt::format("has no finished run in common with {}", first.string()),
                     "runs are paired by language, variant, loss, validation, budget and trial");
  }
  if (fs::exists(to / "runs.csv")) {
    throw InputError(to, "holds a report", "name another folder for the comparison");
  }
  OutputFolder out(to);
  WriteTable(CompareTable(a, b, pairs, split), "", out);
  out.Write("pairs.csv", PairsCsv(pairs));
  out.Write("index.html", ComparisonPage());
  out.Finish();
  return {pairs.all.size(), pairs.unpaired, std::move(pairs.damaged)};
}

}  // namespace flare::report
