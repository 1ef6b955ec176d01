// What theory excludes and what was learned, and wrong answers by format.

#include "flare/report/predicted.h"

#include <gmock/gmock.h>
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

using testing::HasSubstr;

const PredictedRow& PredictedRowOf(const std::vector<PredictedRow>& rows,
                                   const std::string& language) {
  for (const PredictedRow& row : rows) {
    if (row.language == language) return row;
  }
  throw std::out_of_range(language);
}

TEST(Predicted, GroupsLanguagesByClassAndMarksWhatIsExcluded) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out",
                 {.languages = {"majority", "parity", "repeat-01", "flip-flop", "first",
                                "s5-binary", "nobody's"},
                  .variants = {"transformer", "lstm", "transformer,positions=none"},
                  .losses = {"rec"},
                  .trials = 2});
  FakeRun run{"parity", "transformer", "rec", "long"};
  run.test = 0.5;
  run.longest_perfect_length = 3;
  fake.Add(run);
  run.trial = 2;
  run.test = 0.625;
  run.longest_perfect_length = 7;
  fake.Add(run);
  const Study study = ReadStudy({fake.directory()});
  const Selection selection(study);
  const std::vector<PredictedRow> rows = PredictedBesideObserved(selection);
  std::vector<std::string> groups;
  for (const PredictedRow& row : rows) groups.push_back(row.language + ": " + row.group);
  EXPECT_EQ(groups, (std::vector<std::string>{
                        "first: R-trivial", "repeat-01: star-free, not R-trivial",
                        "flip-flop: star-free, not R-trivial", "parity: in ACC⁰, not in AC⁰",
                        "s5-binary: NC¹-complete", "majority: not regular", "nobody's: unknown"}));
  using enum Exclusion;
  const auto exclusions = [&](const std::string& language) {
    std::vector<Exclusion> all;
    for (const PredictedCell& cell : PredictedRowOf(rows, language).cells)
      all.push_back(cell.exclusion);
    return all;
  };
  // Transformer, LSTM, transformer without positions. With positions hard attention recognizes AC⁰;
  // without, soft attention that rounds recognizes what C-RASP defines at the last symbol.
  EXPECT_EQ(exclusions("first"), (std::vector{kNone, kNone, kNone}));
  EXPECT_EQ(exclusions("repeat-01"), (std::vector{kNone, kNone, kNone}));
  EXPECT_EQ(exclusions("flip-flop"), (std::vector{kNone, kNone, kExcluded}));
  EXPECT_EQ(exclusions("parity"), (std::vector{kExcluded, kNone, kExcluded}));
  EXPECT_EQ(exclusions("majority"), (std::vector{kNone, kNone, kNone}));
  // The better of two runs.
  const PredictedCell& cell = PredictedRowOf(rows, "parity").cells[0];
  EXPECT_EQ(cell.accuracy, 0.625);
  EXPECT_EQ(cell.longest_perfect_length, 7);
  EXPECT_EQ(cell.coverage.scored, 2u);
  const std::string markdown = FormatMarkdown(PredictedTable(selection));
  EXPECT_THAT(markdown,
              HasSubstr("| in ACC⁰, not in AC⁰ | Parity | 0.62 (n = 2) | 7 | excluded | (0/2) |"));
}

// Σ*1 is Q_1 at the last symbol, and not in C-RASP after the string, where padding is read, too.
TEST(Predicted, ComparesWithTheoremsAboutTheReadOutThatWasTrained) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.languages = {"last", "first"},
                                            .variants = {"transformer,positions=none",
                                                         "transformer,positions=none,readout=eos",
                                                         "transformer,padding=1,positions=none"},
                                            .losses = {"rec"},
                                            .trials = 1});
  const Study study = ReadStudy({fake.directory()});
  const std::vector<PredictedRow> rows = PredictedBesideObserved(Selection(study));
  const auto exclusions = [&](const std::string& language) {
    std::vector<Exclusion> all;
    for (const PredictedCell& cell : PredictedRowOf(rows, language).cells)
      all.push_back(cell.exclusion);
    return all;
  };
  using enum Exclusion;
  EXPECT_EQ(exclusions("last"), (std::vector{kNone, kExcluded, kExcluded}));
  EXPECT_EQ(exclusions("first"), (std::vector{kNone, kNone, kNone}));
}

TEST(Predicted, SaysWhereNoTheoremApplies) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.variants = {"abacus", "lstm"},
                                            .losses = {"rec"},
                                            .trials = 1,
                                            .externals = {{"abacus", {"./abacus"}, {}}}});
  const Study study = ReadStudy({fake.directory()});
  const std::string markdown = FormatMarkdown(PredictedTable(Selection(study)));
  EXPECT_THAT(markdown, HasSubstr("no theorem applies"));
}

TEST(Predicted, WhereNotEvenTheShortestStringsAreRightThereIsNoLength) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.variants = {"lstm"}, .losses = {"rec"}, .trials = 1});
  fake.Add({.variant = "lstm", .validation = "long", .longest_perfect_length = -1});
  const Study study = ReadStudy({fake.directory()});
  const std::string markdown = FormatMarkdown(PredictedTable(Selection(study)));
  EXPECT_THAT(markdown, HasSubstr("| Parity | 0.50 (n = 1) | none |"));
}

// Nothing is said about theorems where none excludes anything.
TEST(Predicted, ExplainsTheoremsOnlyWhereOneExcludesALanguage) {
  const TemporaryDirectory directory;
  for (const auto& [variant, notes] : {std::pair("lstm", 1u), std::pair("transformer", 2u)}) {
    FakeSweep fake(directory.path() / variant, {.languages = {"parity"},
                                                .variants = {variant},
                                                .losses = {"rec"},
                                                .trials = 1,
                                                .settings = {}});
    fake.Add({.variant = variant, .validation = "long"});
    const Study study = ReadStudy({fake.directory()});
    const Table table = PredictedTable(Selection(study));
    EXPECT_EQ(table.notes.size(), notes) << variant;
    EXPECT_EQ(table.notes[0].starts_with("Excluded"), notes == 2) << table.notes[0];
  }
}

// An option that a grid gives to all runs counts as one of the variant.
TEST(Predicted, KnowsTheOptionsOfTheGrid) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.languages = {"flip-flop"},
                                            .variants = {"transformer"},
                                            .losses = {"rec"},
                                            .trials = 1,
                                            .settings = {{"positions", "none"}}});
  const Study study = ReadStudy({fake.directory()});
  const Selection selection(study);
  EXPECT_EQ(PredictedBesideObserved(selection)[0].cells[0].exclusion, Exclusion::kExcluded);
}

TEST(WrongAnswers, AreSplitByFormat) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out",
                 {.variants = {"lstm"}, .losses = {"rec"}, .validations = {"long"}, .trials = 1});
  FakeRun run{"parity", "lstm", "rec", "long"};
  run.wrong_answers = {3, 4};
  fake.Add(run);
  const Study study = ReadStudy({fake.directory()});
  const Table table = WrongAnswersTable(Selection(study), {"parity"});
  ASSERT_EQ(table.rows.size(), 1u);
  std::vector<double> numbers;
  for (std::size_t i = 4; i < table.columns.size(); ++i) {
    numbers.push_back(table.rows[0].cells[i].value);
  }
  // All; format wrong, right; of these others accepted, and members rejected.
  EXPECT_EQ(numbers, (std::vector<double>{7, 3, 4, 0, 4}));
}

}  // namespace
}  // namespace flare::report
