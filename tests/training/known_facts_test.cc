// What theory says about state tracking, seen in training: eigenvalues in (0, 1) cannot follow
// parity beyond the lengths that were seen, eigenvalues in (−1, 1) can (Grazzi et al. 2025), but do
// not count modulo 3 unless they are of products; a transformer without positions fits `first`,
// since BOS and the mask tell it where a string begins, learns `last`, since it reads the last
// symbol, but not if it reads after the string, and does not learn parity, which C-RASP does not
// define. docs/reference/classes.md has a table of all theorems and of the tests here that belong
// to each of them.
//
// Strings of training have up to 40 symbols, those of the test 41 to 500. One seed each: not every
// seed of the signed ones finds the solution.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/classes/classification.h"
#include "flare/data/generate.h"
#include "flare/languages/source.h"
#include "flare/theory/predictions.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

// Trains one layer of 16 units by recognition and states, unless `settings` say otherwise.
RunResult TrainForLengths(const std::string& language, SettingTexts settings) {
  const TemporaryDirectory folder;
  DatasetConfig config = MakePreset("flare");
  for (const auto& [key, value] :
       {std::pair{"train.size", "4000"}, std::pair{"validation-short.size", "200"},
        std::pair{"validation-long.size", "0"}, std::pair{"test.size", "300"},
        std::pair{"test.min_length", "41"}, std::pair{"test-short-held-out.size", "0"},
        std::pair{"test-edit-distance.size", "0"}}) {
    ApplySetting(std::string("splits.") + key, value, "test", config);
  }
  GenerateDataset({language, ResolveLanguage(language)}, {folder.path(), 0, config});
  settings.insert({{"loss", "rec+st"},
                   {"layers", "1"},
                   {"hidden", "16"},
                   {"learning_rate", "0.01"},
                   {"max_epochs", "60"},
                   {"validation", "short"},
                   {"seed", "1"},
                   {"batch_tokens", "1024"},
                   {"dropout", "0"}});
  const RunData data = IdentifyData(folder.path() / language);
  LockObserver observer;
  const auto run = OwnedRun::TryOpen(folder.path() / "run", observer);
  EXPECT_TRUE(ExecuteRun(*run, {MakeSettings(settings, data.alphabet.size()), data}, {}).finished);
  return run->directory().ReadResult();
}

double TestAccuracy(const std::string& language, const SettingTexts& settings) {
  return TrainForLengths(language, settings).Metric("test", "accuracy").value();
}

// The share of strings of which the state after every prefix is right.
double StateAccuracy(const std::string& language, const SettingTexts& settings) {
  return TrainForLengths(language, settings).Metric("test", "state_accuracy_strings").value();
}

double StateAccuracyOnParity(const SettingTexts& settings) {
  return StateAccuracy("parity", settings);
}

const SettingTexts kPositiveMamba = {
    {"architecture", "mamba"}, {"eigenvalues", "positive"}, {"conv", "0"}};
const SettingTexts kSignedMamba = {
    {"architecture", "mamba"}, {"eigenvalues", "signed"}, {"conv", "0"}};

TEST(KnownFacts, PositiveEigenvaluesOfMambaCannotFollowParity) {
  EXPECT_LE(StateAccuracyOnParity(kPositiveMamba), 0.6);
}

TEST(KnownFacts, SignedEigenvaluesOfMambaFollowParity) {
  EXPECT_GE(StateAccuracyOnParity(kSignedMamba), 0.95);
}

// State tracking as the whole objective, on strings that are fresh in every epoch, until two
// checkpoints in a row have every state right.
RunResult TrackStatesAlone(SettingTexts settings) {
  settings.insert({{"loss", "st"},
                   {"train_data", "fresh"},
                   {"stopping_patience", "0"},
                   {"max_epochs", "1000"},
                   {"max_steps", "3000"},
                   {"checkpoint_steps", "50"},
                   {"stop_at", "state_accuracy_strings >= 1"},
                   {"stop_for", "3"}});
  return TrainForLengths("parity", settings);
}

TEST(KnownFacts, FreshStatesAloneTeachParityToAnLstmAndToSignedMamba) {
  for (const SettingTexts& settings : {SettingTexts{{"architecture", "lstm"}}, kSignedMamba}) {
    EXPECT_EQ(TrackStatesAlone(settings).Metric("test", "state_accuracy_strings"), 1.0)
        << settings.at("architecture");
  }
}

TEST(KnownFacts, FreshStatesAloneDoNotTeachParityToPositiveMamba) {
  const RunResult result = TrackStatesAlone(kPositiveMamba);
  EXPECT_EQ(result.Metric("test", "state_accuracy_strings"), 0.0);
  EXPECT_LE(result.Metric("test", "state_accuracy_positions").value(), 0.6);
}

TEST(KnownFacts, PositiveEigenvaluesOfDeltaNetCannotFollowParity) {
  EXPECT_LE(StateAccuracyOnParity(
                {{"architecture", "deltanet"}, {"eigenvalues", "positive"}, {"conv", "0"}}),
            0.6);
}

TEST(KnownFacts, SignedEigenvaluesOfDeltaNetFollowParity) {
  EXPECT_GE(StateAccuracyOnParity(
                {{"architecture", "deltanet"}, {"eigenvalues", "signed"}, {"conv", "0"}}),
            0.95);
}

TEST(KnownFacts, AnMLstmCannotFollowParityAndAnLstmFollowsIt) {
  EXPECT_LE(StateAccuracyOnParity({{"architecture", "mlstm"}}), 0.6);
  EXPECT_GE(StateAccuracyOnParity({{"architecture", "lstm"}}), 0.95);
}

// Counting modulo 3 needs a rotation: signed gates have none, two reflections are one.
TEST(KnownFacts, ProductsOfReflectionsCountModuloThreeAndSignedGatesDoNot) {
  EXPECT_LE(TestAccuracy("mod-3", kSignedMamba), 0.65);
  EXPECT_GE(TestAccuracy("mod-3", {{"architecture", "deltanet"},
                                   {"eigenvalues", "signed"},
                                   {"conv", "0"},
                                   {"householder", "2"}}),
            0.95);
}

const SettingTexts kPositiveMamba2 = {
    {"architecture", "mamba2"}, {"eigenvalues", "positive"}, {"conv", "0"}};
const SettingTexts kSignedMamba2 = {
    {"architecture", "mamba2"}, {"eigenvalues", "signed"}, {"conv", "0"}};

TEST(KnownFacts, GlaAndPositiveMamba2CannotFollowParity) {
  EXPECT_LE(StateAccuracyOnParity({{"architecture", "gla"}}), 0.6);
  EXPECT_LE(StateAccuracyOnParity(kPositiveMamba2), 0.6);
}

TEST(KnownFacts, SignedMamba2FollowsParityAndDoesNotCountModuloThree) {
  EXPECT_GE(StateAccuracyOnParity(kSignedMamba2), 0.95);
  EXPECT_LE(TestAccuracy("mod-3", kSignedMamba2), 0.65);
}

// Σ*be* is star-free: one gate that is set, reset or kept.
TEST(KnownFacts, LinearRecurrencesFollowTheLatestBit) {
  for (SettingTexts settings :
       {SettingTexts{{"architecture", "mlstm"}}, SettingTexts{{"architecture", "gla"}},
        SettingTexts{{"architecture", "rwkv7"}}, kPositiveMamba2}) {
    settings.insert({"max_epochs", "30"});
    EXPECT_GE(StateAccuracy("latest-b", settings), 0.95) << settings.at("architecture");
  }
}

SettingTexts Transformer(SettingTexts settings) {
  settings.insert({{"architecture", "transformer"}, {"loss", "rec"}});
  return settings;
}

// Σ*1 is not R-trivial, and Q_1 defines it at the last symbol; parity is not in C-RASP.
TEST(KnownFacts, ATransformerWithoutPositionsLearnsLastAndNotParity) {
  const SettingTexts settings =
      Transformer({{"positions", "none"}, {"mask", "strict"}, {"max_epochs", "15"}});
  EXPECT_GE(TestAccuracy("last", settings), 0.99);
  EXPECT_LE(TestAccuracy("parity", settings), 0.65);
}

// Theorems about masks that are not strict, and about any positions: parity is in neither class.
TEST(KnownFacts, NoMaskAndNoPositionsTeachParityToATransformer) {
  for (const auto& [positions, mask] :
       {std::pair("none", "causal"), std::pair("sinusoidal", "strict"), std::pair("rope", "causal"),
        std::pair("alibi", "causal")}) {
    EXPECT_LE(
        TestAccuracy("parity",
                     Transformer({{"positions", positions}, {"mask", mask}, {"max_epochs", "15"}})),
        0.65)
        << positions << ", " << mask;
  }
}

TEST(KnownFacts, ATransformerWithSinusoidalPositionsLearnsLast) {
  EXPECT_GE(
      TestAccuracy(
          "last",
          Transformer({{"positions", "sinusoidal"}, {"mask", "strict"}, {"max_epochs", "15"}})),
      0.99);
}

// The word problem of S₅ over two symbols is NC¹-complete, so beyond TC⁰ unless the two are equal.
TEST(KnownFacts, NothingInTc0LearnsS5AndAnLstmDoes) {
  SettingTexts mamba2 = kSignedMamba2, mamba = kSignedMamba;
  for (SettingTexts settings :
       {Transformer({}), mamba, mamba2, SettingTexts{{"architecture", "mlstm"}},
        SettingTexts{{"architecture", "gla"}}}) {
    settings.insert({"max_epochs", "15"});
    EXPECT_LE(TestAccuracy("s5-binary", settings), 0.65) << settings.at("architecture");
  }
  EXPECT_GE(TestAccuracy("s5-binary", {{"architecture", "lstm"}}), 0.99);
}

// After the string: the first symbol is R-trivial and in C-RASP, the last is neither. With enough
// layers the last is nearly fitted at the lengths of training, and lost beyond them.
TEST(KnownFacts, ATransformerThatReadsAfterTheStringLearnsFirstAndNotLast) {
  const SettingTexts settings = Transformer({{"positions", "none"},
                                             {"mask", "strict"},
                                             {"readout", "eos"},
                                             {"layers", "2"},
                                             {"learning_rate", "0.003"},
                                             {"max_epochs", "30"}});
  EXPECT_GE(TestAccuracy("first", settings), 0.99);
  EXPECT_LE(TestAccuracy("last", settings), 0.85);
}

// A symbol of padding is read after the string, too.
TEST(KnownFacts, ATransformerThatReadsPaddingFitsLastAndLosesItBeyondTraining) {
  const RunResult result = TrainForLengths("last", Transformer({{"positions", "none"},
                                                                {"mask", "strict"},
                                                                {"padding", "1"},
                                                                {"layers", "2"},
                                                                {"learning_rate", "0.003"},
                                                                {"max_epochs", "30"}}));
  EXPECT_GE(result.Metric("train", "accuracy").value(), 0.99);
  EXPECT_LE(result.Metric("test", "accuracy").value(), 0.85);
}

// No regular language is excluded.
TEST(KnownFacts, SimpleRnnsAndGrusFollowParity) {
  for (const char* architecture : {"rnn", "gru"}) {
    EXPECT_GE(TestAccuracy("parity", {{"architecture", architecture}}), 0.99) << architecture;
  }
}

// The other side of its line is parity, above: a flip-flop is star-free.
TEST(KnownFacts, PositiveGatesOfMambaFollowAFlipFlop) {
  EXPECT_GE(
      TestAccuracy("flip-flop",
                   {{"architecture", "mamba"}, {"eigenvalues", "positive"}, {"max_epochs", "30"}}),
      0.95);
}

TEST(KnownFacts, ATransformerWithoutPositionsFitsFirst) {
  const RunResult result = TrainForLengths("first", Transformer({{"positions", "none"},
                                                                 {"layers", "2"},
                                                                 {"hidden", "32"},
                                                                 {"learning_rate", "0.003"},
                                                                 {"max_epochs", "30"}}));
  EXPECT_GE(result.Metric("train", "accuracy").value(), 0.99);
}

// Every theorem has its row in the table of docs/reference/classes.md, and every test that a row
// names is here.
TEST(TheoremsInTraining, HaveTestsOrReasonsInTheReference) {
  std::set<std::string> tests;
  const auto& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const auto& suite = *program.GetTestSuite(i);
    if (std::string_view(suite.name()) != "KnownFacts") continue;
    for (int j = 0; j < suite.total_test_count(); ++j) tests.insert(suite.GetTestInfo(j)->name());
  }
  std::set<std::pair<std::string, std::string>> rows;  // architecture and idealization
  std::set<std::string> named;
  bool inside = false;
  const std::string text = ReadFile(SourceDir() + "/docs/reference/classes.md");
  for (const std::string_view line : Lines(text)) {
    inside = line.starts_with("| architecture | idealization |") || (inside && !line.empty());
    if (!inside || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = line.find(" |", at);
      ASSERT_NE(end, line.npos) << line;
      cells.emplace_back(line.substr(at, end - at));
      at = end + 3;
    }
    ASSERT_EQ(cells.size(), 4u) << line;
    const std::string architecture = cells[0].substr(1, cells[0].size() - 2);
    EXPECT_TRUE(rows.emplace(architecture, cells[1]).second) << "twice: " << line;
    for (const std::string& cell : {cells[2], cells[3]}) {
      EXPECT_FALSE(cell.empty()) << line;
      for (std::size_t at = cell.find('`'); at != cell.npos; at = cell.find('`', at)) {
        const std::size_t end = cell.find('`', at + 1);
        named.insert(cell.substr(at + 1, end - at - 1));
        at = end + 1;
      }
    }
  }
  for (const std::string& name : named) EXPECT_TRUE(tests.contains(name)) << name;
  std::set<std::pair<std::string, std::string>> theorems;
  for (const theory::Prediction& p :
       theory::Predict(classes::Classify(*ResolveLanguage("parity").language->dfa()), {})) {
    theorems.emplace(p.architecture, p.model);
  }
  EXPECT_EQ(rows, theorems);
}

}  // namespace
}  // namespace flare
