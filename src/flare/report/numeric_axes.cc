#include "flare/report/numeric_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/rng.h"
#include "flare/report/statistics.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {

namespace {

// Cohorts that differ in one setting only, along the numbers that they have of it; nothing if those
// are not several, or not numbers.
std::optional<AxisCurve> CurveOf(const Study& study, const Family& family,
                                 const std::string& setting) {
  AxisCurve curve{CohortTitle(family.shown, study.cohorts, false), {}};
  std::map<double, std::string> points;
  for (const std::string& cohort : family.cohorts) {
    const auto value = NumberOf(study.CohortOf(cohort), setting);
    if (!value || !points.try_emplace(*value, cohort).second) return std::nullopt;
  }
  if (points.size() < 2) return std::nullopt;
  for (const auto& [value, cohort] : points) curve.points.push_back({value, cohort});
  return curve;
}

}  // namespace

std::vector<double> NumericAxis::Values() const {
  std::set<double> values;
  for (const AxisCurve& curve : curves) {
    for (const AxisCurve::Point& point : curve.points) values.insert(point.value);
  }
  return {values.begin(), values.end()};
}

std::vector<NumericAxis> NumericAxesOf(const Study& study) {
  std::vector<NumericAxis> axes;
  for (const std::string& setting : NumericSettings(study.cohorts)) {
    NumericAxis axis{setting, {}};
    for (const Family& family : FamiliesOf(study.cohorts, {setting})) {
      if (auto curve = CurveOf(study, family, setting)) axis.curves.push_back(std::move(*curve));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

namespace {

// Up to this many outcomes are enumerated; of more, this many are drawn, and what was observed
// counts as one of them, so that no probability is 0 (Phipson, Smyth 2010).
constexpr std::size_t kMostOutcomes = std::size_t{1} << 18;
constexpr std::size_t kRandomOutcomes = 20'000;

// The probabilities that chance gives at least this value, and at most this value.
struct Tails {
  double upper = 1;
  double lower = 1;

  double TwoSided() const { return std::min(1.0, 2 * std::min(upper, lower)); }
};

// The values that chance can give with their probabilities, in ascending order.
using Law = std::vector<std::pair<double, double>>;

double MeanCorrelation(const std::vector<CentredRanks>& blocks) {
  std::vector<double> correlations;
  for (const CentredRanks& block : blocks) correlations.push_back(block.Correlation());
  return Mean(correlations);
}

// Returns the law of a block's correlation; nothing if there are too many deals to enumerate.
std::optional<Law> LawOf(CentredRanks block) {
  std::map<double, double> counts;  // of sums of products, which are quarters of whole numbers
  std::size_t deals = 0;
  std::sort(block.second.begin(), block.second.end());
  do {
    if (++deals > kMostOutcomes) return std::nullopt;
    ++counts[block.Products()];
  } while (std::next_permutation(block.second.begin(), block.second.end()));
  Law law;
  for (const auto& [sum, count] : counts) {
    law.emplace_back(block.norm > 0 ? sum / block.norm : 0, count / static_cast<double>(deals));
  }
  return law;
}

// Returns the law of the sum of two independent values; nothing if it has too many.
std::optional<Law> SumOf(const Law& a, const Law& b) {
  if (a.size() * b.size() > kMostOutcomes) return std::nullopt;
  Law all, merged;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) all.emplace_back(x + y, p * q);
  }
  std::sort(all.begin(), all.end());
  for (const auto& [value, p] : all) {
    if (!merged.empty() && value - merged.back().first <= kRoundingError) {
      merged.back().second += p;
    } else {
      merged.emplace_back(value, p);
    }
  }
  return merged;
}

// Returns the law of the sum of the blocks' correlations.
std::optional<Law> LawOfSum(std::span<const CentredRanks> blocks) {
  std::optional<Law> sum = Law{{0, 1}};
  for (const CentredRanks& block : blocks) {
    const auto law = LawOf(block);
    if (law) sum = SumOf(*sum, *law);
    if (!law || !sum) return std::nullopt;
  }
  return sum;
}

// Returns the probability that the sum of the two is at least `least`.
double UpperTail(const Law& a, const Law& b, double least) {
  double tail = 0, enough = 0;  // the share of b that is enough for the value of a
  auto next = b.rbegin();
  for (const auto& [x, p] : a) {
    for (; next != b.rend() && x + next->first >= least; ++next) enough += next->second;
    tail += p * enough;
  }
  return tail;
}

Law Negated(const Law& law) {
  Law negated(law.rbegin(), law.rend());
  for (auto& [value, p] : negated) value = -value;
  return negated;
}

// In two halves, as there may be too many sums of all. Trials with ties have values of their own,
// so that few of the sums are equal.
std::optional<Tails> ExactTails(const std::vector<CentredRanks>& blocks, double observed) {
  const std::span all(blocks);
  const auto a = LawOfSum(all.first(all.size() / 2)), b = LawOfSum(all.subspan(all.size() / 2));
  if (!a || !b) return std::nullopt;
  const auto n = static_cast<double>(blocks.size());
  return Tails{UpperTail(*a, *b, n * (observed - kRoundingError)),
               UpperTail(Negated(*a), Negated(*b), -n * (observed + kRoundingError))};
}

Tails DrawnTails(std::vector<CentredRanks> blocks, double observed, const std::string& stream) {
  Rng rng = Rng::For(0, stream);
  // The observed value counts as one of the outcomes.
  double above = 1, below = 1;
  for (std::size_t i = 0; i < kRandomOutcomes; ++i) {
    for (CentredRanks& block : blocks) rng.Shuffle(block.second);
    const double chance = MeanCorrelation(blocks);
    above += chance >= observed - kRoundingError ? 1 : 0;
    below += chance <= observed + kRoundingError ? 1 : 0;
  }
  const double outcomes = kRandomOutcomes + 1.0;
  return {above / outcomes, below / outcomes};
}

// Places by their order: ranks are of scores, of which those that differ by less than a rounding
// error are equal, which settings as small as Adam's epsilon are not.
std::vector<double> OrderOf(const std::vector<double>& places) {
  std::vector<double> sorted = places, order;
  std::sort(sorted.begin(), sorted.end());
  for (const double place : places) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), place);
    order.push_back(static_cast<double>(at - sorted.begin()));
  }
  return order;
}

}  // namespace

std::optional<Trend> TrendOf(std::span<const TrendBlock> blocks, const std::string& stream) {
  std::vector<CentredRanks> ranked;
  Trend trend;
  for (const TrendBlock& block : blocks) {
    if (block.scores.size() < 2) continue;
    ranked.emplace_back(OrderOf(block.places), block.scores);
    trend.n += block.scores.size();
  }
  if (ranked.empty()) return std::nullopt;
  trend.correlation = MeanCorrelation(ranked);
  const auto exact = ExactTails(ranked, trend.correlation);
  trend.p = (exact ? *exact : DrawnTails(ranked, trend.correlation, stream)).TwoSided();
  return trend;
}

namespace {

// The mean of the scores of a group.
Cell GroupCell(const Study& study, const RunGroup& group) {
  Cell cell;
  const std::vector<double> scores = group.Scores();
  if (!scores.empty()) cell = Cell::Number(Mean(scores), study.metric.decimals);
  if (scores.size() > 1) cell.spread = StandardDeviation(scores);
  cell.coverage.emplace().Add(group);
  return cell;
}

Cell AxisCell(const Selection& selection, const AxisCurve& curve, double value,
              const RunGroup& like) {
  for (const AxisCurve::Point& point : curve.points) {
    if (point.value != value) continue;
    const RunGroup* group =
        selection.Find(like.language, point.cohort, like.loss, like.validation, like.budget);
    if (group == nullptr) continue;
    return GroupCell(selection.study(), *group);
  }
  return {};
}

// Trials are blocks: in a paired grid they have the same seed at every value.
std::optional<Trend> TrendAlong(const Selection& selection, const std::string& setting,
                                const AxisCurve& curve, const RunGroup& like) {
  std::map<std::size_t, TrendBlock> blocks;  // by trial
  for (const AxisCurve::Point& point : curve.points) {
    const RunGroup* group =
        selection.Find(like.language, point.cohort, like.loss, like.validation, like.budget);
    if (group == nullptr) continue;
    for (const StudyRun* run : group->runs) {
      if (!run->score) continue;
      blocks[run->at.trial].places.push_back(point.value);
      blocks[run->at.trial].scores.push_back(*run->score);
    }
  }
  std::vector<TrendBlock> all;
  for (const auto& [trial, block] : blocks) all.push_back(block);
  return TrendOf(all, fmt::format("report/trend/{}/{}/{}/{}/{}", setting, curve.title,
                                  like.language, like.loss, like.validation));
}

// Fills the last three cells of each row that has a trend.
void AddTrends(const std::vector<std::optional<Trend>>& trends, Table& table) {
  std::vector<double> p_values;
  for (const auto& trend : trends) {
    if (trend) p_values.push_back(trend->p);
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  std::size_t tested = 0;
  for (std::size_t i = 0; i < trends.size(); ++i) {
    std::vector<Cell>& cells = table.rows[i].cells;
    cells.resize(table.columns.size());
    if (!trends[i]) continue;
    Cell* last = &cells.back();
    last[-2] = Cell::Number(trends[i]->correlation);
    last[-1] = Cell::Probability(trends[i]->p);
    last[0] = Cell::Probability(adjusted[tested++]);
  }
}

}  // namespace

Table AxisTable(const Selection& selection, const NumericAxis& axis) {
  const Study& study = selection.study();
  Table table;
  table.name = "axis-" + axis.setting;
  table.caption = fmt::format("{} on the test set by {}: mean and standard deviation over trials.",
                              MetricTitle(study), axis.setting);
  table.columns = {{"language", "Language", "", true},
                   {"variant", "Model", "", true},
                   {"loss", "Loss", "", true},
                   {"validation", "Val. set", "", true}};
  const std::vector<double> values = axis.Values();
  for (const double value : values) {
    table.columns.push_back(
        {axis.setting + "=" + FormatExact(value), fmt::format("{:g}", value), axis.setting});
  }
  const BaselineColumns baselines(study, {"format_only", "state_merging"});
  baselines.AddHead(table);
  table.columns.push_back({"trend", "Rank correlation", "Trend"});
  table.columns.push_back({"trend_p", "p", "Trend"});
  table.columns.push_back({"trend_p_adjusted", "Corrected", "Trend"});
  std::vector<std::optional<Trend>> trends;
  for (const std::string& language : study.axes.languages) {
    for (const AxisCurve& curve : axis.curves) {
      for (const std::string& loss : study.axes.losses) {
        for (const std::string& validation : study.axes.validations) {
          const RunGroup like{language, "", loss, validation, study.MainBudget(), {}};
          Row row;
          row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(curve.title),
                       Cell::Text(LossTitle(loss)), Cell::Text(ValidationAbbreviation(validation))};
          for (const double value : values) {
            row.cells.push_back(AxisCell(selection, curve, value, like));
          }
          baselines.AddCells(language, row);
          table.rows.push_back(std::move(row));
          trends.push_back(TrendAlong(selection, axis.setting, curve, like));
        }
      }
    }
  }
  AddTrends(trends, table);
  table.notes = {fmt::format(
      "Trend: the mean over trials of the rank correlation between {0} and {1}; −1 where "
      "it falls throughout. p: how often a trend as strong, in either direction, comes "
      "about if the values of each trial are dealt out at random; corrected for the number "
      "of rows (Holm). Ranks count small differences like large ones, and a best value in the "
      "middle is no trend: that p is large does not say that {0} does not matter.",
      axis.setting, study.metric.title)};
  return table;
}

std::vector<Table> AxisTables(const Selection& selection, RunFiles&) {
  std::vector<Table> tables;
  for (const NumericAxis& axis : NumericAxesOf(selection.study())) {
    tables.push_back(AxisTable(selection, axis));
  }
  return tables;
}

// The least value of each numeric setting that reaches the study's bound.
Table LeastTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "least";
  const std::vector<NumericAxis> axes = NumericAxesOf(study);
  if (axes.empty() || !study.reach) return table;
  table.caption = fmt::format(
      "The least value of a setting with which the mean {} on the test set reaches {:g}.",
      study.metric.title, *study.reach);
  table.columns = {{"setting", "Setting", "", true},       {"language", "Language", "", true},
                   {"variant", "Model", "", true},         {"loss", "Loss", "", true},
                   {"validation", "Val. set", "", true},   {"least", "Least", ""},
                   {"score", MetricTitle(study), "There"}, {"reaching", "Reaching", "Values"},
                   {"values", "Tried", "Values"}};
  const auto row_of = [&](const NumericAxis& axis, const AxisCurve& curve, const RunGroup& like) {
    Row row;
    row.cells = {Cell::Text(axis.setting), Cell::Text(LanguageTitle(like.language)),
                 Cell::Text(curve.title), Cell::Text(LossTitle(like.loss)),
                 Cell::Text(ValidationAbbreviation(like.validation))};
    std::optional<std::pair<double, Cell>> least;
    std::size_t reaching = 0, tried = 0;
    for (const AxisCurve::Point& point : curve.points) {
      const Cell cell = AxisCell(selection, curve, point.value, like);
      if (cell.kind != Cell::Kind::kNumber) continue;
      ++tried;
      if (!study.metric.Reaches(cell.value, *study.reach - kRoundingError)) continue;
      ++reaching;
      if (!least) least.emplace(point.value, cell);
    }
    if (tried == 0) return row;
    row.cells.push_back(Cell::Text(least ? fmt::format("{:g}", least->first) : "none"));
    row.cells.push_back(least ? least->second : Cell());
    row.cells.push_back(Cell::Number(static_cast<double>(reaching), 0));
    row.cells.push_back(Cell::Number(static_cast<double>(tried), 0));
    return row;
  };
  for (const NumericAxis& axis : axes) {
    bool first = true;
    for (const std::string& language : study.axes.languages) {
      for (const AxisCurve& curve : axis.curves) {
        for (const std::string& loss : study.axes.losses) {
          for (const std::string& validation : study.axes.validations) {
            Row row = row_of(axis, curve, {language, "", loss, validation, study.MainBudget(), {}});
            if (row.cells.size() < table.columns.size()) continue;
            row.rule_above = std::exchange(first, false) && !table.rows.empty();
            table.rows.push_back(std::move(row));
          }
        }
      }
    }
  }
  table.notes = {
      "None: no value that was tried reaches it. Where fewer values reach it than are "
      "above the least, some larger one falls below again."};
  return table;
}

// Every value of what the grid varies, and which of them validation chooses.
Table SettingsTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "settings";
  table.caption = fmt::format(
      "Every value of what the grid varies: {} on the test set, mean and standard deviation over "
      "trials, beside the mean validation cross-entropy, which chooses (bold).",
      study.metric.title);
  table.columns = {{"language", "Language", "", true}, {"architecture", "Architecture", "", true},
                   {"loss", "Loss", "", true},         {"validation", "Val. set", "", true},
                   {"settings", "Settings", "", true}, {"validation_cross_entropy", "Val. CE", ""},
                   {"score", MetricTitle(study), ""}};
  for (const std::string& language : study.axes.languages) {
    for (const std::string& family : study.Variants()) {
      const std::vector<std::string> cohorts = study.Members(family);
      if (cohorts.size() < 2) continue;
      for (const std::string& loss : study.axes.losses) {
        for (const std::string& validation : study.axes.validations) {
          const RunGroup* chosen =
              selection.Find(language, family, loss, validation, study.MainBudget());
          if (chosen == nullptr) continue;
          bool first = !table.rows.empty();
          for (const std::string& cohort : cohorts) {
            const RunGroup* group =
                selection.Find(language, cohort, loss, validation, study.MainBudget());
            if (group == nullptr) continue;
            Row row;
            row.rule_above = std::exchange(first, false);
            const auto validated = group->Validation();
            row.cells = {
                Cell::Text(LanguageTitle(language)),
                Cell::Text(study.Title(family)),
                Cell::Text(LossTitle(loss)),
                Cell::Text(ValidationAbbreviation(validation)),
                Cell::Text(study.PlaceIn(family, cohort)),
                validated && std::isfinite(*validated) ? Cell::Number(*validated, 4) : Cell(),
                GroupCell(study, *group)};
            const bool is_chosen = validated.has_value() && chosen->chosen == cohort;
            row.cells[row.cells.size() - 2].bold = row.cells.back().bold = is_chosen;
            table.rows.push_back(std::move(row));
          }
        }
      }
    }
  }
  return table;
}

}  // namespace flare::report
