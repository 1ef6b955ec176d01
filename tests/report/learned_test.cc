// What reports say about networks that were asked what they have learned.

#include "flare/report/learned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/report/report.h"
#include "flare/report/tables.h"
#include "support/fake_sweep.h"
#include "support/page_document.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class LearnedTest : public testing::Test {
 protected:
  LearnedTest() { study_.Add(run_); }

  // Of parity: the strings of odd length.
  void AddExtraction(const std::string& model_sha256) {
    LockObserver observer;
    const auto owned = OwnedRun::TryOpen(study_.RunPath(run_), observer);
    SavedExtraction extraction;
    extraction.automaton = "0\t1\t0\t0\n0\t1\t1\t1\n1\t0\t0\t0\n1\t0\t1\t1\n1\n";
    extraction.report.model_sha256 = model_sha256;
    extraction.report.automaton_sha256 = Sha256(extraction.automaton);
    extraction.report.alphabet = {"0", "1"};
    extraction.report.max_length = 40;
    extraction.report.states = 2;
    extraction.report.classes = {"group"};
    extraction.report.fidelity = {{"members", "dataset", 0, 20, 100, 90, 0.8, 1},
                                  {"members", "dataset", 21, 40, 100, 100, 0.9, 1},
                                  {"members", "dataset", 41, 80, 100, 0, 0, 0.1},
                                  {"strings", "uniform", 0, 40, 100, 0, 0, 0.1}};
    ExactError error;
    error.first_wrongly_accepted = "0";
    error.first_wrongly_rejected = "0 1";
    for (std::size_t n = 0; n <= 500; ++n) {
      error.wrongly_accepted.push_back("1");
      error.wrongly_rejected.push_back("1");
      error.rejects_by_paper.push_back(n == 40 ? std::optional(0.25) : std::nullopt);
      error.rejects_uniformly.push_back(0);
      error.accepts_uniformly.push_back(0.5);
    }
    extraction.report.error = error;
    WriteExtraction(*owned, extraction);
  }
  std::string ModelSha256() const {
    return RunDirectory(study_.RunPath(run_)).ReadResult().model_sha256;
  }
  Table MakeTable() {
    const Study study = ReadStudy({study_.directory()});
    const Selection selection(study);
    RunFiles files;
    return LearnedTables(selection, files).at(0);
  }

  TemporaryDirectory folder_;
  FakeSweep study_{folder_.path() / "sweep", {.validations = {"short"}, .trials = 1}};
  FakeRun run_{.variant = "lstm"};
};

TEST_F(LearnedTest, NobodyAskedIsNoTable) {
  EXPECT_TRUE(MakeTable().rows.empty());
  WriteReport({study_.directory()}, folder_.path() / "report");
  EXPECT_FALSE(fs::exists(folder_.path() / "report/tables/learned.md"));
}

TEST_F(LearnedTest, TableHasStatesErrorsAndTheFirstStrings) {
  AddExtraction(ModelSha256());
  const Table table = MakeTable();
  ASSERT_EQ(table.rows.size(), 1u);
  const auto cell = [&](const std::string& key) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key == key) return table.rows[0].cells[i];
    }
    ADD_FAILURE() << key;
    return Cell();
  };
  EXPECT_EQ(cell("states").value, 2);
  EXPECT_EQ(cell("class").text, "group");
  EXPECT_EQ(cell("fidelity").value, 0.95);
  EXPECT_EQ(cell("rejects_40").value, 0.25);
  EXPECT_EQ(cell("rejects_80").kind, Cell::Kind::kEmpty);
  EXPECT_EQ(cell("accepts_500").value, 0.5);
  EXPECT_EQ(cell("first_accepted").text, "0");
  EXPECT_EQ(cell("first_rejected").text, "0 1");
}

TEST_F(LearnedTest, PageHasTheAutomaton) {
  AddExtraction(ModelSha256());
  WriteReport({study_.directory()}, folder_.path() / "report");
  EXPECT_TRUE(fs::exists(folder_.path() / "report/tables/learned.md"));
  const Json page = PageDocument(folder_.path() / "report/data/languages-1.js", "language/parity");
  EXPECT_EQ(page.at("learned").at(0).at("wrongly_accepted"), "0");
}

TEST_F(LearnedTest, ExtractionOfAnEarlierModelIsNotShown) {
  AddExtraction("0123");
  EXPECT_TRUE(MakeTable().rows.empty());
}

}  // namespace
}  // namespace flare::report
