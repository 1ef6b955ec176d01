#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flare/report/study.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

// Runs of two trials whose test accuracies and those of further splits are given.
Table TableOf(const std::vector<FakeRun>& runs) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.losses = {"rec"}, .trials = 2});
  for (const FakeRun& run : runs) fake.Add(run);
  const Study study = ReadStudy({fake.directory()});
  return TestSplitsTable(Selection(study));
}

TEST(TestSplits, AreNotShownWhereOtherTablesShowAll) { EXPECT_TRUE(TableOf({{}}).rows.empty()); }

TEST(TestSplits, StandBesideTheTestSplit) {
  FakeRun first{.test = 0.5, .further_tests = {{"test-ours", 0.75}, {"test-long", 0.25}}};
  FakeRun second{.trial = 2, .test = 1.0, .further_tests = {{"test-ours", 0.75}}};
  const Table table = TableOf({first, second});
  ASSERT_EQ(table.columns.size(), 7u);
  EXPECT_EQ(table.columns[4].key, "test");
  EXPECT_EQ(table.columns[5].key, "test-ours");
  EXPECT_EQ(table.columns[6].key, "test-long");
  // Runs that have not been made have no row.
  ASSERT_EQ(table.rows.size(), 1u);
  const std::vector<Cell>& cells = table.rows[0].cells;
  EXPECT_EQ(cells[4].value, 0.75);
  EXPECT_EQ(cells[4].spread, 0.25);
  EXPECT_EQ(cells[5].value, 0.75);
  EXPECT_EQ(cells[5].spread, 0);
  EXPECT_EQ(cells[6].value, 0.25);
  EXPECT_EQ(cells[5].coverage->scored, 2u);
  EXPECT_EQ(cells[6].coverage->scored, 1u);  // the second run lacks it
  EXPECT_EQ(cells[6].coverage->expected, 2u);
  // +0.25 and −0.25.
  EXPECT_EQ(table.notes.at(0),
            "test-ours − test, run by run: mean +0.0000, mean distance 0.2500, at most 0.2500 "
            "(n = 2).");
  EXPECT_EQ(table.notes.at(1),
            "test-long − test, run by run: mean -0.2500, mean distance 0.2500, at most 0.2500 "
            "(n = 1).");
}

}  // namespace
}  // namespace flare::report
