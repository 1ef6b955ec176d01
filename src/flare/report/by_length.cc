#include "flare/report/by_length.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "flare/base/text.h"
#include "flare/report/statistics.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// "test-51-100" as the bin that it is.
std::optional<LengthBin> BinOfSplit(const std::string& split, const std::string& test) {
  if (!split.starts_with(test + "-")) return std::nullopt;
  const std::string lengths = split.substr(test.size() + 1);
  const std::size_t dash = lengths.find('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto least = ParseNumber<std::size_t>(lengths.substr(0, dash)),
             most = ParseNumber<std::size_t>(lengths.substr(dash + 1));
  if (!least || !most || *least > *most) return std::nullopt;
  return LengthBin{*least, *most, split};
}

constexpr std::string_view kPositions = "_accuracy_positions", kStrings = "_accuracy_strings";

bool IsByLength(std::string_view metric) {
  return metric == "accuracy" || metric.ends_with(kPositions) || metric.ends_with(kStrings);
}

// How many of the strings or positions of each bin are right.
struct BinTally {
  double all = 0, right = 0;
};

std::vector<BinTally> TalliesOf(const LengthTables& tables, const std::string& metric,
                                const std::vector<LengthBin>& bins) {
  std::vector<BinTally> tallies(bins.size());
  const auto add = [&](std::size_t length, double all, double right) {
    for (std::size_t i = 0; i < bins.size(); ++i) {
      if (length < bins[i].least || length > bins[i].most) continue;
      tallies[i].all += all;
      tallies[i].right += right;
    }
  };
  if (metric == "accuracy") {
    for (const LengthTables::Point& point : tables.accuracy) {
      add(point.length, point.examples, point.right);
    }
    return tallies;
  }
  const bool positions = metric.ends_with(kPositions);
  const std::string term =
      metric.substr(0, metric.size() - (positions ? kPositions : kStrings).size());
  for (const auto& [key, rows] : tables.terms) {
    if (key != term) continue;
    for (const SplitMetrics::TermRow& row : rows) {
      add(row.length, static_cast<double>(positions ? row.positions : row.examples),
          static_cast<double>(positions ? row.positions_correct : row.correct));
    }
  }
  return tallies;
}

// Returns the accuracies of one run, bin by bin.
std::vector<std::optional<double>> BinScores(const StudyRun& run, const std::string& metric,
                                             const std::vector<LengthBin>& bins, RunFiles& files) {
  std::vector<std::optional<double>> scores(bins.size());
  if (!bins[0].split.empty()) {
    for (std::size_t i = 0; i < bins.size(); ++i) scores[i] = run.Metric(bins[i].split, metric);
    return scores;
  }
  const std::vector<BinTally> tallies = TalliesOf(files.ByLength(run), metric, bins);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (tallies[i].all > 0) scores[i] = tallies[i].right / tallies[i].all;
  }
  return scores;
}

// Ten bins of equal width. They end at multiples of the width, so that those of similar languages
// are the same.
std::vector<LengthBin> BinsOver(std::size_t least_length, std::size_t longest) {
  constexpr std::size_t kBins = 10;
  std::vector<LengthBin> bins;
  const std::size_t width = std::max<std::size_t>(1, (longest + kBins - 1) / kBins);
  for (std::size_t end = width; end < longest + width; end += width) {
    const std::size_t least = bins.empty() ? 0 : end - width + 1;
    if (end >= least_length) bins.push_back({least, std::min(end, longest)});
  }
  return bins;
}

}  // namespace

std::string LengthBin::Title() const { return fmt::format("{}–{}", least, most); }

std::vector<LengthBin> LengthBinsOf(const Study& study, const std::string& language) {
  std::vector<LengthBin> bins;
  const auto facts = study.facts.find(language);
  if (facts == study.facts.end()) return bins;
  for (const auto& [split, lengths] : facts->second.lengths) {
    if (auto bin = BinOfSplit(split, "test")) bins.push_back(std::move(*bin));
  }
  std::sort(bins.begin(), bins.end(),
            [](const LengthBin& a, const LengthBin& b) { return a.least < b.least; });
  if (bins.size() > 1) return bins;
  const auto lengths = LengthsOf(study, language, study.test_split);
  return lengths ? BinsOver(lengths->min, lengths->max) : std::vector<LengthBin>();
}

std::vector<LengthBin> LengthBinsOf(const LengthTables& tables) {
  std::set<std::size_t> lengths;
  for (const LengthTables::Point& point : tables.accuracy) lengths.insert(point.length);
  for (const auto& [key, rows] : tables.terms) {
    for (const SplitMetrics::TermRow& row : rows) lengths.insert(row.length);
  }
  if (lengths.empty()) return {};
  return BinsOver(*lengths.begin(), *lengths.rbegin());
}

std::vector<std::string> MetricsByLength(const Study& study, const RunGroup& group) {
  std::vector<std::string> metrics;
  for (const StudyRun* run : group.runs) {
    const SplitMetrics* split = run->result ? run->result->Split(study.test_split) : nullptr;
    if (split == nullptr) continue;
    split->ForEachScalar([&](std::string_view name, double) {
      if (IsByLength(name)) metrics.emplace_back(name);
    });
    break;
  }
  return metrics;
}

std::optional<std::size_t> TrainedLength(const Study& study, const std::string& language) {
  const auto lengths = LengthsOf(study, language, "train");
  return lengths ? std::optional(lengths->max) : std::nullopt;
}

std::optional<std::string> LengthMetricOf(const Study& study) {
  if (study.metric.name == kScaledAccuracy) return "accuracy";
  return IsByLength(study.metric.name) ? std::optional(study.metric.name) : std::nullopt;
}

LengthCurve LengthCurveOf(const RunGroup& group, const std::string& metric,
                          const std::vector<LengthBin>& bins, RunFiles& files) {
  LengthCurve curve{
      group.language, group.variant, group.loss, group.validation, metric, {}, {}, {}, 0};
  std::vector<std::vector<double>> scores(bins.size());
  for (const StudyRun* run : group.runs) {
    if (!run->result || bins.empty()) continue;
    const auto of_run = BinScores(*run, metric, bins, files);
    bool any = false;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      if (!of_run[i]) continue;
      scores[i].push_back(*of_run[i]);
      any = true;
    }
    curve.runs += any ? 1 : 0;
  }
  for (const std::vector<double>& of_bin : scores) {
    const bool any = !of_bin.empty();
    curve.mean.push_back(any ? std::optional(Mean(of_bin)) : std::nullopt);
    curve.low.push_back(any ? std::optional(*std::min_element(of_bin.begin(), of_bin.end()))
                            : std::nullopt);
    curve.high.push_back(any ? std::optional(*std::max_element(of_bin.begin(), of_bin.end()))
                             : std::nullopt);
  }
  return curve;
}

std::vector<LengthCurve> LengthCurvesOf(const Selection& selection, const std::string& language,
                                        RunFiles& files) {
  const Study& study = selection.study();
  const std::vector<LengthBin> bins = LengthBinsOf(study, language);
  std::vector<LengthCurve> curves;
  if (bins.size() < 2) return curves;
  for (const std::string& validation : study.axes.validations) {
    for (const std::string& family : study.Variants()) {
      const auto best = selection.Score({.validation = validation, .budget = study.MainBudget()},
                                        language, family);
      if (!best) continue;
      const RunGroup* group =
          selection.Find(language, family, best->losses[0], validation, study.MainBudget());
      for (const std::string& metric : MetricsByLength(study, *group)) {
        LengthCurve curve = LengthCurveOf(*group, metric, bins, files);
        if (curve.runs > 0) curves.push_back(std::move(curve));
      }
    }
  }
  return curves;
}

// Accuracies in bins of lengths, of the runs behind the main table.
std::vector<Table> ByLengthTables(const Selection& selection, RunFiles& files) {
  const Study& study = selection.study();
  Table table;
  table.name = "by-length";
  // The columns are the bins of all languages, which mostly are the same.
  std::vector<LengthBin> all;
  std::set<std::size_t> trained;
  for (const std::string& language : study.axes.languages) {
    if (const auto longest = TrainedLength(study, language)) trained.insert(*longest);
    for (const LengthBin& bin : LengthBinsOf(study, language)) {
      if (std::none_of(all.begin(), all.end(), [&](const LengthBin& one) {
            return one.least == bin.least && one.most == bin.most;
          })) {
        all.push_back(bin);
      }
    }
  }
  std::sort(all.begin(), all.end(), [](const LengthBin& a, const LengthBin& b) {
    return std::pair(a.least, a.most) < std::pair(b.least, b.most);
  });
  const std::string up_to = fmt::format("{}", fmt::join(trained, " or "));
  table.caption = fmt::format(
      "Accuracy by length, means over trials: of whole strings, and, where the loss has a term "
      "that is measured so, of what that term predicts.{}",
      trained.empty() ? "" : fmt::format(" Networks were trained on lengths up to {}.", up_to));
  table.columns = {{"language", "Language", "", true},
                   {"architecture", "Architecture", "", true},
                   {"validation", "Val. set", "", true},
                   {"metric", "Of", "", true}};
  for (const LengthBin& bin : all) {
    const bool is_seen = trained.size() == 1 && bin.least <= *trained.begin();
    table.columns.push_back({fmt::format("from_{}_to_{}", bin.least, bin.most), bin.Title(),
                             trained.size() != 1 ? "Length"
                             : is_seen           ? fmt::format("Trained to {}", up_to)
                                                 : "Longer"});
  }
  std::string last;
  for (const std::string& language : study.axes.languages) {
    const std::vector<LengthBin> bins = LengthBinsOf(study, language);
    for (const LengthCurve& curve : LengthCurvesOf(selection, language, files)) {
      Row row;
      row.rule_above = !table.rows.empty() && language != last;
      last = language;
      row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(curve.family)),
                   Cell::Text(ValidationAbbreviation(curve.validation)),
                   Cell::Text(MetricNamed(curve.metric, "").title)};
      row.cells.resize(table.columns.size());
      for (std::size_t i = 0; i < bins.size(); ++i) {
        const auto place = std::find_if(all.begin(), all.end(), [&](const LengthBin& one) {
          return one.least == bins[i].least && one.most == bins[i].most;
        });
        row.cells[4 + static_cast<std::size_t>(place - all.begin())] =
            Cell::Maybe(curve.mean[i], 2);
      }
      table.rows.push_back(std::move(row));
    }
  }
  if (files.knows_windows_only()) {
    table.notes.emplace_back(
        "Records keep accuracies in windows of 10 lengths around every multiple of 10: a value is "
        "over the windows around 10, 30, 50, … whose middles are in the bin.");
  }
  return {std::move(table)};
}

}  // namespace flare::report
