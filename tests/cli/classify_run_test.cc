// flare classify run:DIR: the classes of what a network has learned, beside those of its target.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/automata/text_formats.h"
#include "flare/base/sha256.h"
#include "flare/extraction/extraction_report.h"
#include "flare/languages/source.h"
#include "flare/runs/run_directory.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

// A finished run over parity, of which something was extracted.
class ClassifyRun : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(fs::path(SourceDir()) / "tests/fixtures/0.2/sweep/runs/parity/lstm/rec/short/1000/1",
             folder_.path() / "run", fs::copy_options::recursive);
  }

  // Replaces what was extracted.
  void Extract(const std::string& automaton, const ExactError& error) {
    LockObserver observer;
    const auto run = OwnedRun::TryOpen((folder_.path() / "run").string(), observer);
    auto extraction = ReadExtraction(run->directory(), run->directory().ReadResult().model_sha256);
    ASSERT_TRUE(extraction);
    extraction->automaton = automaton;
    extraction->report.automaton_sha256 = Sha256(automaton);
    extraction->report.error = error;
    WriteExtraction(*run, *extraction);
  }

  std::string Classify() const {
    return RunShell(FlareProgram() + " classify run:run --short", folder_.path()).output;
  }

  TemporaryDirectory folder_;
};

TEST_F(ClassifyRun, ComparesTheClassesWithThoseOfTheTarget) {
  EXPECT_THAT(Classify(),
              HasSubstr("\ncompared      another language than parity: cofinite and R-trivial, "
                        "which the target is not; not a group language, which the target is\n"));
}

TEST_F(ClassifyRun, LearnedTargetIsNamedAsSuch) {
  Extract(FormatAtt(*ResolveLanguage("parity").language->dfa()), {});
  EXPECT_THAT(Classify(), HasSubstr("\ncompared      parity itself, at all lengths\n"));
}

// The AT&T text of the empty language has no lines.
TEST_F(ClassifyRun, NetworkThatRejectsEverythingHasTheEmptyLanguage) {
  ExactError error;
  error.first_wrongly_rejected = "1";
  Extract("", error);
  EXPECT_THAT(Classify(), HasSubstr("\ncompared      another language than parity: finite"));
}

}  // namespace
}  // namespace flare
