#include "flare/report/agreement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "flare/base/rng.h"
#include "flare/report/rank_correlation.h"

namespace flare::report {
namespace {

using CellStatistic = std::function<std::optional<double>(const ComparedCells&)>;

constexpr std::size_t kShuffles = 10'000;
// Of the paper's standard deviations, which are rounded to two decimals.
constexpr double kAgreeingDeviations = 2, kLeastDeviation = 0.01;

// As the paper shows it.
double Shown(double value) { return std::round(100 * value); }

std::vector<double> ScoresIn(const ComparedCells& cells, double ComparedCell::*member) {
  std::vector<double> values;
  for (const auto& language : cells) {
    for (const ComparedCell& cell : language) values.push_back(cell.*member);
  }
  return values;
}

// The same cells with other scores in our place, in the order of ScoresIn().
ComparedCells WithScores(ComparedCells cells, const std::vector<double>& scores) {
  auto score = scores.begin();
  for (auto& language : cells) {
    for (ComparedCell& cell : language) cell.ours = *score++;
  }
  return cells;
}

ComparedCells Shuffled(const ComparedCells& cells, Rng& rng) {
  std::vector<double> scores = ScoresIn(cells, &ComparedCell::ours);
  rng.Shuffle(scores);
  return WithScores(cells, scores);
}

ComparedCells ShuffledWithinLanguages(const ComparedCells& cells, Rng& rng) {
  std::vector<double> scores;
  for (const auto& language : cells) {
    std::vector<double> own = ScoresIn({language}, &ComparedCell::ours);
    rng.Shuffle(own);
    scores.insert(scores.end(), own.begin(), own.end());
  }
  return WithScores(cells, scores);
}

ComparedCells WithConstant(const ComparedCells& cells, double score) {
  return WithScores(cells, std::vector<double>(ScoresIn(cells, &ComparedCell::ours).size(), score));
}

// Nothing if the format of a language is not known.
std::optional<ComparedCells> WithFormatOnly(const ComparedCells& cells) {
  std::vector<double> scores;
  for (const auto& language : cells) {
    for (const ComparedCell& cell : language) {
      if (!cell.format_only) return std::nullopt;
      scores.push_back(*cell.format_only);
    }
  }
  return WithScores(cells, scores);
}

// A statistic of which more, or less, is better.
struct CellMeasure {
  std::string key, title;
  CellStatistic of;
  bool more = true;
  int decimals = 2;
};

using CellShuffle = ComparedCells (*)(const ComparedCells&, Rng&);

std::optional<ChanceRow> ShuffledChance(const CellMeasure& measure, const ComparedCells& cells,
                                        double ours, const char* what, CellShuffle shuffle,
                                        const std::string& stream) {
  Rng rng = Rng::For(0, stream);
  std::vector<double> values;
  std::size_t as_good = 0;
  for (std::size_t i = 0; i < kShuffles; ++i) {
    const auto value = measure.of(shuffle(cells, rng));
    if (!value) continue;
    values.push_back(*value);
    if (measure.more ? *value >= ours - kRoundingError : *value <= ours + kRoundingError) ++as_good;
  }
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  const double mean = Mean(values);
  std::sort(values.begin(), values.end());
  const std::size_t tail = values.size() / 40;
  const Interval range{values[tail == 0 ? 0 : tail - 1], values[values.size() - 1 - tail],
                       values.size()};
  // What was seen is one of the outcomes of chance.
  return ChanceRow{what, mean, range, (1 + static_cast<double>(as_good)) / (1 + count)};
}

void AddPredictor(const CellMeasure& measure, const std::string& what,
                  const std::optional<ComparedCells>& cells, AgreementRow& row) {
  const auto value = cells ? measure.of(*cells) : std::nullopt;
  if (value) row.chance.push_back({what, *value});
}

ComparedCells Chosen(const ComparedCells& cells, std::span<const std::size_t> languages) {
  ComparedCells chosen;
  for (const std::size_t i : languages) chosen.push_back(cells[i]);
  return chosen;
}

std::optional<AgreementRow> RowOf(const CellMeasure& measure, const ComparedCells& cells,
                                  const std::string& experiment) {
  const auto ours = measure.of(cells);
  if (!ours) return std::nullopt;
  const std::string stream = "report/agreement/" + experiment + "/" + measure.key;
  AgreementRow row{.statistic = measure.title,
                   .ours = *ours,
                   .languages = cells.size(),
                   .cells = ScoresIn(cells, &ComparedCell::ours).size(),
                   .decimals = measure.decimals};
  Rng rng = Rng::For(0, stream + "/languages");
  row.interval = BootstrapGroups(
      cells.size(),
      [&](std::span<const std::size_t> chosen) { return measure.of(Chosen(cells, chosen)); }, rng);
  const auto add = [&](const char* what, CellShuffle shuffle, const char* name) {
    auto chance = ShuffledChance(measure, cells, *ours, what, shuffle, stream + name);
    if (chance) row.chance.push_back(std::move(*chance));
  };
  if (measure.key != "best") add("our scores dealt out among all cells", Shuffled, "/cells");
  add("our scores dealt out among the architectures of a language", ShuffledWithinLanguages,
      "/architectures");
  return row;
}

}  // namespace

bool Agrees(const ComparedCell& cell) {
  const double deviation = std::max(cell.paper_spread.value_or(0), kLeastDeviation);
  return std::abs(cell.ours - cell.paper) <= kAgreeingDeviations * deviation + kRoundingError ||
         Shown(cell.ours) == Shown(cell.paper);
}

double CountAgreeing(const ComparedCells& cells) {
  double count = 0;
  for (const auto& language : cells) {
    for (const ComparedCell& cell : language) count += Agrees(cell) ? 1 : 0;
  }
  return count;
}

double MeanDistance(const ComparedCells& cells) {
  std::vector<double> distances;
  for (const auto& language : cells) {
    for (const ComparedCell& cell : language) {
      distances.push_back(std::abs(cell.ours - cell.paper));
    }
  }
  return Mean(distances);
}

std::optional<double> CellCorrelation(const ComparedCells& cells) {
  return RankCorrelation(ScoresIn(cells, &ComparedCell::ours),
                         ScoresIn(cells, &ComparedCell::paper));
}

bool HasABest(const std::vector<ComparedCell>& language) {
  return std::any_of(language.begin(), language.end(), [&](const ComparedCell& cell) {
    return Shown(cell.paper) != Shown(language[0].paper);
  });
}

std::optional<double> BestArchitectureAgrees(const ComparedCells& cells) {
  double agree = 0, asked = 0;
  for (const auto& language : cells) {
    if (!HasABest(language)) continue;
    double ours = 0, paper = 0;
    for (const ComparedCell& cell : language) {
      ours = std::max(ours, Shown(cell.ours));
      paper = std::max(paper, Shown(cell.paper));
    }
    ++asked;
    agree += std::any_of(language.begin(), language.end(), [&](const ComparedCell& cell) {
      return Shown(cell.ours) == ours && Shown(cell.paper) == paper;
    });
  }
  if (asked == 0) return std::nullopt;
  return agree / asked;
}

double BestConstant(const ComparedCells& cells) {
  // The number of cells that a constant agrees with changes only at ends of their intervals.
  double best = 0, best_count = -1;
  for (const auto& language : cells) {
    for (const ComparedCell& cell : language) {
      const double reach =
          kAgreeingDeviations * std::max(cell.paper_spread.value_or(0), kLeastDeviation);
      for (const double candidate : {cell.paper - reach, cell.paper, cell.paper + reach}) {
        const double count = CountAgreeing(WithConstant(cells, candidate));
        if (count > best_count || (count == best_count && candidate < best)) {
          best = candidate;
          best_count = count;
        }
      }
    }
  }
  return best;
}

std::vector<AgreementRow> AgreementOf(const ComparedCells& cells, const std::string& experiment,
                                      bool only_order) {
  std::vector<AgreementRow> rows;
  if (cells.empty()) return rows;
  if (!only_order) {
    const CellMeasure agreeing{"agree", "Cells within two of the paper's standard deviations",
                               CountAgreeing, true, 1};
    AgreementRow row = *RowOf(agreeing, cells, experiment);
    AddPredictor(agreeing, "the best constant score", WithConstant(cells, BestConstant(cells)),
                 row);
    AddPredictor(agreeing, "the format alone", WithFormatOnly(cells), row);
    rows.push_back(std::move(row));
    const CellMeasure distance{"distance", "Mean distance from the paper's", MeanDistance, false,
                               3};
    row = *RowOf(distance, cells, experiment);
    // The median is nearest to all of them.
    const double median = Median(ScoresIn(cells, &ComparedCell::paper));
    AddPredictor(distance, "the best constant score", WithConstant(cells, median), row);
    AddPredictor(distance, "the format alone", WithFormatOnly(cells), row);
    rows.push_back(std::move(row));
  }
  if (auto row = RowOf({"rank", "Rank correlation of cells", CellCorrelation}, cells, experiment)) {
    rows.push_back(std::move(*row));
  }
  ComparedCells with_best;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(with_best), HasABest);
  if (auto row = RowOf(
          {"best", "Languages whose best architecture is the paper's", BestArchitectureAgrees},
          with_best, experiment)) {
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace flare::report
