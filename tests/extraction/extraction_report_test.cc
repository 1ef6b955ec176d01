#include "flare/extraction/extraction_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "support/paths.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

SavedExtraction SomeExtraction() {
  SavedExtraction extraction;
  extraction.automaton = "0\t0\ta\ta\n0\n";
  ExtractionReport& report = extraction.report;
  report.model_sha256 = "12";
  report.automaton_sha256 = Sha256(extraction.automaton);
  report.alphabet = {"a", "b"};
  report.max_length = 40;
  report.max_states = 10;
  report.max_queries = 1'000;
  report.states = 1;
  report.queries = 77;
  report.limit = "10 states";
  report.best_states = 7;
  report.classes = {"finite", "strictly 1-local"};
  report.circuit_class = "in AC⁰";
  report.fidelity = {{"members", "dataset", 0, 20, 1'000, 999, 0.994, 0.9998, 3, 2, 0.25},
                     {"strings", "uniform", 21, 40, 1'000, 999, 0.994, 0.9998, {}, {}, {}}};
  report.language = "first";
  report.error = ExactError{.first_wrongly_accepted = "",
                            .first_wrongly_rejected = "a b",
                            .only_differs_on = std::vector<std::string>{"", "a b"},
                            .wrongly_accepted = {"1", "0", "1.234568e300"},
                            .wrongly_rejected = {"0", "0", "2"},
                            .rejects_by_paper = {std::nullopt, 0.0, 0.1},
                            .rejects_uniformly = {std::nullopt, 0.0, 0.2},
                            .accepts_uniformly = {1.0, std::nullopt, 1.0 / 3}};
  return extraction;
}

class ExtractionFiles : public testing::Test {
 protected:
  // A run that is begun: what is in config.json does not matter here.
  void SetUp() override {
    MakeDirectories(folder_.path().string() + "/run");
    WriteFileAtomically(folder_.path().string() + "/run/config.json", "{}");
  }
  std::unique_ptr<OwnedRun> Open() {
    return OwnedRun::TryOpen(folder_.path().string() + "/run", observer_);
  }
  std::string File(const std::string& name) const {
    return folder_.path().string() + "/run/extract/" + name;
  }

  TemporaryDirectory folder_;
  LockObserver observer_;
};

TEST_F(ExtractionFiles, AreReadAsTheyWereWritten) {
  const SavedExtraction written = SomeExtraction();
  const auto run = Open();
  EXPECT_FALSE(ReadExtraction(run->directory(), "12"));
  WriteExtraction(*run, written);
  const auto read = ReadExtraction(run->directory(), "12");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->automaton, written.automaton);
  EXPECT_EQ(ExtractionToJson(read->report), ExtractionToJson(written.report));
}

// Version 0.2 named no laws, and measured other kinds of strings.
TEST(ExtractionReport, ReportOfVersion02IsRead) {
  const RunDirectory run(SourceDir() +
                         "/tests/fixtures/0.2/sweep/runs/parity/lstm/rec/short/1000/1");
  const auto saved = ReadExtraction(run, run.ReadResult().model_sha256);
  ASSERT_TRUE(saved);
  std::set<std::string> kinds;
  for (const Fidelity& row : saved->report.fidelity) {
    kinds.insert(row.kind + " " + row.law);
    EXPECT_FALSE(row.network_wrong);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"members dataset", "non-members uniform"}));
  EXPECT_FALSE(saved->report.error && saved->report.error->only_differs_on);
  EXPECT_THAT(ExtractionText(saved->report), HasSubstr("uniform non-members"));
}

TEST(ExtractionReport, BeginsWithOneSentence) {
  ExtractionReport report;
  report.states = 7;
  report.not_judged = "nobody knows it";
  EXPECT_EQ(ExtractionSentence(report), "7 states; not compared with a target (nobody knows it)");
  report.language = "even-pairs";
  report.not_judged = "";
  report.error.emplace();
  const auto differs = [&] {
    return ExtractionSentence(report).substr(std::string("7 states; ").size());
  };
  EXPECT_EQ(differs(), "the same language as the target, even-pairs");
  report.error->known_up_to = 500;
  EXPECT_EQ(differs(), "the same language as the target, even-pairs up to length 500");
  report.error->first_wrongly_accepted = "0 1";
  EXPECT_EQ(differs(),
            "differs from the target, even-pairs: it accepts non-members (the shortest is 0 1) and "
            "rejects no member up to length 500");
  report.error->known_up_to.reset();
  report.error->first_wrongly_rejected = "";
  EXPECT_EQ(differs(),
            "differs from the target, even-pairs: it accepts non-members (the shortest is 0 1) and "
            "rejects members (the shortest is ε)");
  report.error->only_differs_on = std::vector<std::string>{"", "0 1"};
  EXPECT_EQ(differs(), "differs from the target, even-pairs, only on ε, 0 1");
  report.limit = "500 states";
  EXPECT_EQ(ExtractionSentence(report),
            "7 states, an approximation (stopped at 500 states); differs from the target, "
            "even-pairs, only on ε, 0 1");
}

// Numbers of one law are never mixed with those of another.
TEST(ExtractionReport, FidelityIsOfOneLaw) {
  const ExtractionReport report = SomeExtraction().report;
  EXPECT_EQ(FidelityUnder(report, kDatasetLaw), 0.999);
  EXPECT_EQ(FidelityUnder(report, kUniformLaw), 0.999);
  EXPECT_EQ(FidelityUnder(ExtractionReport{}, kUniformLaw), std::nullopt);
}

TEST_F(ExtractionFiles, FilesOfAnotherModelAreRefused) {
  const auto run = Open();
  WriteExtraction(*run, SomeExtraction());
  EXPECT_THAT(RefusalOf([&] { ReadExtraction(run->directory(), "34"); }),
              HasSubstr("report.json: is of another model than the run's"));
}

// A process that was killed has written one file and not the other; what it left of a file is
// removed by the next that opens the run.
TEST_F(ExtractionFiles, HalfWrittenAreDamaged) {
  {
    const auto run = Open();
    WriteExtraction(*run, SomeExtraction());
  }
  WriteFileAtomically(File("automaton.att"), "0\t0\tb\tb\n0\n");
  WriteFileAtomically(File("report.json.flare.0123456789abcdef.tmp"), "{");
  const auto run = Open();
  EXPECT_THAT(RefusalOf([&] { ReadExtraction(run->directory(), "12"); }),
              HasSubstr("automaton.att: is not the automaton that report.json is about"));
  EXPECT_FALSE(std::filesystem::exists(File("report.json.flare.0123456789abcdef.tmp")));
}

TEST_F(ExtractionFiles, AreNotWrittenThroughALink) {
  const auto run = Open();
  const std::string mine = folder_.path().string() + "/mine";
  MakeDirectories(mine);
  WriteFileAtomically(mine + "/automaton.att", "mine");
  const auto refused = [&] {
    const std::string refusal = RefusalOf([&] { WriteExtraction(*run, SomeExtraction()); });
    return refusal.find("is a link") != std::string::npos;
  };
  std::filesystem::create_directory_symlink(mine, run->directory().extraction());
  EXPECT_TRUE(refused());
  std::filesystem::remove(run->directory().extraction());
  MakeDirectories(run->directory().extraction());
  std::filesystem::create_symlink(mine + "/automaton.att", File("automaton.att"));
  EXPECT_TRUE(refused());
  EXPECT_EQ(ReadFile(mine + "/automaton.att"), "mine");
}

TEST_F(ExtractionFiles, DamagedFilesAreRefused) {
  const auto run = Open();
  WriteExtraction(*run, SomeExtraction());
  std::string text = ReadFile(File("report.json"));
  text.replace(text.find("\"states\": 1"), 11, "\"states\": 2");
  WriteFileAtomically(File("report.json"), text);
  EXPECT_NE(RefusalOf([&] { ReadExtraction(run->directory(), "12"); }), "");
  WriteFileAtomically(File("report.json"), "{\"model_sha256\": \"12\"}");
  EXPECT_NE(RefusalOf([&] { ReadExtraction(run->directory(), "12"); }), "");
}

}  // namespace
}  // namespace flare
