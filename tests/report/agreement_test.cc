#include "flare/report/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "flare/report/study.h"
#include "flare/report/tables.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

ComparedCell ScoredCell(double ours, double paper, double spread = 0.05) {
  return {.ours = ours, .paper = paper, .paper_spread = spread};
}

// Two languages of three architectures.
ComparedCells TwoLanguages() {
  return {{ScoredCell(0.52, 0.60), ScoredCell(0.81, 0.60), ScoredCell(0.99, 0.95)},
          {ScoredCell(0.70, 0.98), ScoredCell(0.97, 0.98), ScoredCell(0.95, 0.90)}};
}

const AgreementRow& AgreementRowOf(const std::vector<AgreementRow>& rows,
                                   std::string_view statistic) {
  for (const AgreementRow& row : rows) {
    if (row.statistic.starts_with(statistic)) return row;
  }
  throw std::out_of_range(std::string(statistic));
}

TEST(Agreement, ByHand) {
  EXPECT_TRUE(Agrees(ScoredCell(0.52, 0.60)));
  EXPECT_FALSE(Agrees(ScoredCell(0.81, 0.60)));
  EXPECT_TRUE(Agrees(ScoredCell(0.985, 1.00, 0)));  // a spread of at least 0.01
  EXPECT_FALSE(Agrees(ScoredCell(0.97, 1.00, 0)));
  // Two deviations, but for rounding: 0.82 is 0.90 − 2 · 0.04.
  EXPECT_TRUE(Agrees(ScoredCell(0.82, 0.90, 0.04)));
  EXPECT_EQ(CountAgreeing(TwoLanguages()), 4);
  EXPECT_NEAR(MeanDistance(TwoLanguages()), (0.08 + 0.21 + 0.04 + 0.28 + 0.01 + 0.05) / 6, 1e-12);
  // The third is best of the first language for both; of the second ours is the second, and the
  // paper's the first two.
  EXPECT_EQ(BestArchitectureAgrees(TwoLanguages()), 1);
  ComparedCells other = TwoLanguages();
  other[0][1].ours = 1;
  EXPECT_EQ(BestArchitectureAgrees(other), 0.5);
  // The paper finds all alike: nothing to agree on.
  EXPECT_FALSE(BestArchitectureAgrees({{ScoredCell(0.5, 1), ScoredCell(1, 1)}}));
  // Ranks 1 3 6 2 5 4 and, of the paper's, 1½ 1½ 4 5½ 5½ 3.
  EXPECT_NEAR(*CellCorrelation(TwoLanguages()), 7 / std::sqrt(17.5 * 16.5), 1e-12);
}

TEST(Agreement, TheBestConstantIsTheBestOfAFineGrid) {
  const ComparedCells cells = TwoLanguages();
  const auto count = [&](double score) {
    ComparedCells constant = cells;
    for (auto& language : constant) {
      for (ComparedCell& cell : language) cell.ours = score;
    }
    return CountAgreeing(constant);
  };
  double best = 0;
  for (int i = 0; i <= 10'000; ++i) best = std::max(best, count(i / 10'000.0));
  EXPECT_EQ(count(BestConstant(cells)), best);
}

// The mean of all deals is known: each score comes to each cell equally often.
TEST(Agreement, ChanceIsWhatAllDealsGive) {
  const ComparedCells cells = TwoLanguages();
  double anywhere = 0, within = 0;
  for (const auto& from : cells) {
    for (const ComparedCell& score : from) {
      for (const auto& to : cells) {
        for (ComparedCell cell : to) {
          cell.ours = score.ours;
          anywhere += Agrees(cell) / 6.0;
          if (&from == &to) within += Agrees(cell) / 3.0;
        }
      }
    }
  }
  const auto rows = AgreementOf(cells, "test", false);
  const AgreementRow& row = AgreementRowOf(rows, "Cells within two");
  EXPECT_EQ(row.ours, 4);
  EXPECT_EQ(row.cells, 6u);
  EXPECT_EQ(row.languages, 2u);
  EXPECT_FALSE(row.interval);  // of two languages
  ASSERT_GE(row.chance.size(), 3u);
  // Of 10,000 deals of at most six.
  EXPECT_NEAR(row.chance[0].value, anywhere, 0.06);
  EXPECT_NEAR(row.chance[1].value, within, 0.06);
  EXPECT_EQ(row.chance[2].what, "the best constant score");
}

// Of three scores that each fit one cell only, all fit in one of six deals.
TEST(Agreement, ItsProbabilityIsCounted) {
  const ComparedCells cells = {
      {ScoredCell(0.5, 0.5, 0.01), ScoredCell(0.7, 0.7, 0.01), ScoredCell(0.9, 0.9, 0.01)}};
  const auto rows = AgreementOf(cells, "test", false);
  const ChanceRow& chance = AgreementRowOf(rows, "Cells within two").chance[0];
  EXPECT_NEAR(*chance.p, 1.0 / 6, 4 * std::sqrt(5.0 / 36 / 10'000));
  EXPECT_EQ(chance.range->low, 0);
  EXPECT_EQ(chance.range->high, 3);
  // In two of six the best is the best.
  EXPECT_NEAR(*AgreementRowOf(rows, "Languages whose best").chance[0].p, 2.0 / 6,
              4 * std::sqrt(2.0 / 9 / 10'000));
}

TEST(Agreement, OnlyLanguagesWithABestAreAskedForIt) {
  ComparedCells cells = TwoLanguages();
  cells.push_back({ScoredCell(0.5, 1), ScoredCell(0.6, 1), ScoredCell(0.7, 1)});
  const auto rows = AgreementOf(cells, "test", false);
  EXPECT_EQ(AgreementRowOf(rows, "Languages whose best").cells, 6u);
  EXPECT_EQ(AgreementRowOf(rows, "Languages whose best").languages, 2u);
  EXPECT_EQ(AgreementRowOf(rows, "Rank correlation").cells, 9u);
}

TEST(Agreement, OfMaximaOnlyTheOrderCounts) {
  const auto rows = AgreementOf(TwoLanguages(), "test", true);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].statistic.starts_with("Rank correlation"));
  EXPECT_TRUE(AgreementOf({}, "test", false).empty());
}

TEST(Agreement, IntervalsResampleLanguages) {
  ComparedCells cells;
  for (int i = 0; i < 6; ++i)
    cells.push_back({ScoredCell(0.6, 0.6), ScoredCell(i < 3 ? 0.9 : 0.6, 0.9)});
  const AgreementRow row = AgreementRowOf(AgreementOf(cells, "test", false), "Cells within two");
  EXPECT_EQ(row.ours, 9);
  ASSERT_TRUE(row.interval);
  EXPECT_EQ(row.interval->n, 6u);
  // Of six languages, between none and all of the better kind but for 1/64 of the resamples.
  EXPECT_EQ(row.interval->low, 7);
  EXPECT_EQ(row.interval->high, 11);
}

// On parity, where the paper prints 0.56, 0.71 and 0.90, all of rec+ns.
std::map<std::string, double> DistancesOnParity(bool rnn_has_rec) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out",
                 {.languages = {"parity"}, .losses = {"rec", "rec+ns"}, .trials = 1});
  for (const char* variant : {"rnn", "lstm", "transformer"}) {
    for (const char* loss : {"rec", "rec+ns"}) {
      FakeRun run{.variant = variant, .loss = loss};
      run.test = run.loss == "rec" ? 0.75 : 0.5;
      if (run.loss != "rec" || run.variant != "rnn" || rnn_has_rec) fake.Add(run);
    }
  }
  const Study study = ReadStudy({fake.directory()}, fake.names());
  std::map<std::string, double> distances;
  for (const Row& row : AgreementTable(Selection(study)).rows) {
    if (row.cells[1].text.starts_with("Mean distance")) {
      distances[row.cells[0].text] = row.cells[2].value;
    }
  }
  return distances;
}

TEST(AgreementTable, HasOursOfThePapersLossToo) {
  const auto all = DistancesOnParity(true);
  EXPECT_NEAR(all.at("Inductive bias"), (0.19 + 0.04 + 0.15) / 3, 1e-12);
  EXPECT_NEAR(all.at("Inductive bias, the paper's loss"), (0.06 + 0.21 + 0.40) / 3, 1e-12);
  // The best of two losses is not held against the only one.
  const auto unequal = DistancesOnParity(false);
  EXPECT_FALSE(unequal.contains("Inductive bias"));
  EXPECT_EQ(unequal.at("Inductive bias, the paper's loss"),
            all.at("Inductive bias, the paper's loss"));
}

}  // namespace
}  // namespace flare::report
