#include "flare/report/numeric_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/report/statistics.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"
#include "flare/runs/coordinates.h"

namespace flare::report {

namespace {

// The settings that some variant has in its text. One that every run has cannot be an axis.
std::set<std::string> VariedSettings(const Study& study) {
  std::set<std::string> varied;
  for (const Cohort& cohort : study.cohorts) {
    for (const auto& [setting, text] : cohort.settings) {
      if (cohort.variant.find("," + setting + "=") != std::string::npos) varied.insert(setting);
    }
  }
  return varied;
}

// "LSTM, layers=2" of "lstm,layers=2,learning_rate=0.001".
std::string TitleWithout(const Cohort& cohort, const std::string& setting) {
  std::string text = cohort.variant;
  const std::size_t begin = text.find("," + setting + "=");
  if (begin != std::string::npos) {
    const std::size_t end = std::min(text.find(',', begin + 1), text.size());
    text.erase(begin, end - begin);
  }
  const std::string title = VariantTitle(text);
  return cohort.note.empty() ? title : title + " (" + cohort.note + ")";
}

// A place on an axis: what is not finite has none, and beyond this, differences might not be.
std::optional<double> NumberOf(const Cohort& cohort, const std::string& setting) {
  constexpr double kLargest = 1e300;
  const auto found = cohort.settings.find(setting);
  if (found == cohort.settings.end()) return std::nullopt;
  const auto number = ParseNumber<double>(found->second);
  return number && std::abs(*number) <= kLargest ? number : std::nullopt;
}

// Two texts of one number, as another program's 16 and 016, would hide each other.
bool HasEqualValues(const AxisCurve& curve) {
  return std::adjacent_find(curve.points.begin(), curve.points.end(),
                            [](const AxisCurve::Point& a, const AxisCurve::Point& b) {
                              return a.value == b.value;
                            }) != curve.points.end();
}

NumericAxis AxisOf(const Study& study, const std::string& setting) {
  NumericAxis axis{setting, {}};
  // Grouped by all that is alike, in the order in which it was met.
  std::map<std::tuple<SettingTexts, std::string>, std::size_t> places;
  for (const std::string& id : study.Variants()) {
    const Cohort& cohort = study.CohortOf(id);
    const auto value = NumberOf(cohort, setting);
    if (!value) continue;
    SettingTexts alike = cohort.settings;
    alike.erase(setting);
    const auto [place, is_new] = places.try_emplace({alike, cohort.note}, axis.curves.size());
    if (is_new) axis.curves.push_back({TitleWithout(cohort, setting), {}});
    axis.curves[place->second].points.push_back({*value, id});
  }
  for (AxisCurve& curve : axis.curves) {
    std::stable_sort(
        curve.points.begin(), curve.points.end(),
        [](const AxisCurve::Point& a, const AxisCurve::Point& b) { return a.value < b.value; });
  }
  std::erase_if(axis.curves, [](const AxisCurve& curve) {
    return curve.points.size() < 2 || HasEqualValues(curve);
  });
  return axis;
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
  for (const std::string& setting : VariedSettings(study)) {
    NumericAxis axis = AxisOf(study, setting);
    if (!axis.curves.empty()) axes.push_back(std::move(axis));
  }
  return axes;
}

namespace {

// Up to this many outcomes are enumerated; of more, this many are drawn, and what was observed
// counts as one of them, so that no probability is 0 (Phipson, Smyth 2010).
constexpr std::size_t kMostOutcomes = std::size_t{1} << 18;
constexpr std::size_t kRandomOutcomes = 20'000;

// How probable it is that chance gives this much or more, this little or less.
struct Tails {
  double upper = 1;
  double lower = 1;

  double TwoSided() const { return std::min(1.0, 2 * std::min(upper, lower)); }
};

// What chance can give, each value with its probability, ascending.
using Law = std::vector<std::pair<double, double>>;

double MeanCorrelation(const std::vector<CentredRanks>& blocks) {
  std::vector<double> correlations;
  for (const CentredRanks& block : blocks) correlations.push_back(block.Correlation());
  return Mean(correlations);
}

// Of a block's correlation. Nothing if there are too many deals to go through.
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

// Of the sum of two that are independent.
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

// Of the sum of the blocks' correlations.
std::optional<Law> LawOfSum(std::span<const CentredRanks> blocks) {
  std::optional<Law> sum = Law{{0, 1}};
  for (const CentredRanks& block : blocks) {
    const auto law = LawOf(block);
    if (law) sum = SumOf(*sum, *law);
    if (!law || !sum) return std::nullopt;
  }
  return sum;
}

// How probable it is that the sum of the two is at least this much.
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
  // What was observed is one of the outcomes.
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

Cell AxisCell(const Selection& selection, const AxisCurve& curve, double value,
              const RunGroup& like) {
  for (const AxisCurve::Point& point : curve.points) {
    if (point.value != value) continue;
    const RunGroup* group =
        selection.Find(like.language, point.cohort, like.loss, like.validation, like.budget);
    if (group == nullptr) continue;
    Cell cell;
    const std::vector<double> accuracies = group->TestAccuracies();
    if (!accuracies.empty()) cell = Cell::Number(Mean(accuracies));
    if (accuracies.size() > 1) cell.spread = StandardDeviation(accuracies);
    cell.coverage.emplace().Add(*group);
    return cell;
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
      const auto accuracy = run->TestAccuracy();
      if (!accuracy) continue;
      blocks[run->at.trial].places.push_back(point.value);
      blocks[run->at.trial].scores.push_back(*accuracy);
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
  table.caption = fmt::format(
      "Accuracy on the test set by {}: mean and standard deviation over trials.", axis.setting);
  table.columns = {{"language", "Language", "", true},
                   {"variant", "Model", "", true},
                   {"loss", "Loss", "", true},
                   {"validation", "Val. set", "", true}};
  const std::vector<double> values = axis.Values();
  for (const double value : values) {
    table.columns.push_back(
        {axis.setting + "=" + FormatExact(value), fmt::format("{:g}", value), axis.setting});
  }
  table.columns.push_back({"format_only", "Format", "Baseline"});
  table.columns.push_back({"trend", "Rank correlation", "Trend"});
  table.columns.push_back({"trend_p", "p", "Trend"});
  table.columns.push_back({"trend_p_adjusted", "Corrected", "Trend"});
  std::vector<std::optional<Trend>> trends;
  for (const std::string& language : study.axes.languages) {
    const Baselines* baselines = study.FindBaselines(language);
    const Cell format = baselines != nullptr ? Cell::Maybe(baselines->format_only) : Cell();
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
          row.cells.push_back(format);
          table.rows.push_back(std::move(row));
          trends.push_back(TrendAlong(selection, axis.setting, curve, like));
        }
      }
    }
  }
  AddTrends(trends, table);
  table.notes = {
      fmt::format(
          "Trend: the mean over trials of the rank correlation between {} and accuracy; −1 where "
          "accuracy falls throughout. p: how often a trend as strong, in either direction, comes "
          "about if the accuracies of each trial are dealt out at random; corrected for the number "
          "of rows (Holm). Ranks count small differences like large ones, and a best value in the "
          "middle is no trend: that p is large does not say that {} does not matter.",
          axis.setting, axis.setting),
      "Format: accept whatever has the right format."};
  return table;
}

}  // namespace flare::report
