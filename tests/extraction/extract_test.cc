#include "flare/extraction/extract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/base/file.h"
#include "flare/base/rng.h"
#include "flare/extraction/fidelity.h"
#include "flare/extraction/network_answers.h"
#include "flare/extraction/strings.h"
#include "flare/languages/source.h"
#include "flare/training/external_run.h"
#include "flare/training/make_settings.h"
#include "flare/training/measure.h"
#include "support/random_automata.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

bool AcceptsAlone(Model& model, StringView w) {
  Batch batch;
  batch.vocabulary = model.config().vocabulary;
  std::vector<std::uint32_t> tokens;
  for (const Symbol a : w) tokens.push_back(static_cast<std::uint32_t>(a));
  batch.Add(tokens, false);
  std::vector<float> logits;
  model.Logits(batch, logits);
  return Accepts(logits[0]);
}

// Untrained networks whose logits are all near 0: the harder case.
TEST(NetworkAnswers, DependOnTheStringAlone) {
  for (const char* architecture : {"rnn", "lstm", "transformer", "mamba", "stack-rnn"}) {
    Model model({.architecture = architecture, .vocabulary = 2, .layers = 2, .hidden = 16});
    model.Initialize(5);
    NetworkAnswers network(model, 2);
    std::vector<String> strings = AllStrings(2, 5);
    Rng rng = Rng::For(6, "answers");
    for (std::size_t i = 0; i < 60; ++i) strings.push_back(RandomString(i, 2, rng));
    const auto whole = network.Of(strings);
    const auto prefixes = network.OfPrefixes(strings);
    std::size_t next = 0, accepted = 0;
    for (std::size_t i = 0; i < strings.size(); ++i) {
      EXPECT_EQ(whole[i] != 0, AcceptsAlone(model, strings[i])) << architecture;
      for (std::size_t t = 0; t <= strings[i].size(); ++t, ++next) {
        EXPECT_EQ(prefixes[next] != 0, AcceptsAlone(model, StringView(strings[i]).first(t)));
      }
      accepted += whole[i];
    }
    EXPECT_EQ(next, prefixes.size());
    EXPECT_GT(network.seconds(), 0) << accepted;
  }
}

// A network that is exactly on the border everywhere: its logits are 0, and it accepts all.
TEST(NetworkAnswers, OnTheBorderAreYes) {
  Model model({.architecture = "lstm", .vocabulary = 2, .layers = 1, .hidden = 8});
  model.Initialize(0);
  for (std::size_t p = 0; p < model.parameters().specs().size(); ++p) {
    const ParameterSpec& spec = model.parameters().specs()[p];
    if (!spec.name.starts_with("recognition_head")) continue;
    model.parameters().Set(p, std::vector<float>(spec.num_elements(), 0));
  }
  model.ParametersChanged();
  NetworkAnswers network(model, 2);
  for (const std::uint8_t label : network.OfPrefixes(AllStrings(2, 6))) EXPECT_EQ(label, 1);
}

TEST(Fidelity, RangesCoverAllLengths) {
  const auto text = [](std::size_t max_length, std::size_t longest) {
    std::string all;
    for (const LengthRange& range : FidelityRanges(max_length, longest)) {
      all += std::to_string(range.min) + "-" + std::to_string(range.max) + " ";
    }
    return all;
  };
  EXPECT_EQ(text(40, 500), "0-20 21-40 41-80 81-500 ");
  EXPECT_EQ(text(0, 500), "0-0 1-500 ");
  EXPECT_EQ(text(1, 500), "0-0 1-1 2-2 3-500 ");
  EXPECT_EQ(text(400, 500), "0-200 201-400 401-500 ");
  EXPECT_EQ(text(600, 500), "0-300 301-600 ");
}

// The published example of the score interval: E. B. Wilson, 1927; values by its formula in exact
// fractions.
TEST(Fidelity, IntervalsAreWilsons) {
  EXPECT_NEAR(WilsonInterval(10, 10).low, 10 / (10 + 1.959963984540054 * 1.959963984540054), 1e-12);
  EXPECT_EQ(WilsonInterval(10, 10).high, 1);
  EXPECT_EQ(WilsonInterval(0, 10).low, 0);
  EXPECT_NEAR(WilsonInterval(0, 10).high, 1 - WilsonInterval(10, 10).low, 1e-12);
  const ShareInterval half = WilsonInterval(50, 100);
  EXPECT_NEAR(half.low + half.high, 1, 1e-12);
  // |p − ½| = z √(p(1 − p)/n) at both ends.
  EXPECT_NEAR(half.high - 0.5, 1.959963984540054 * std::sqrt(half.high * (1 - half.high) / 100),
              1e-12);
}

class ExtractionOfRun : public testing::Test {
 protected:
  // Trains `language` in a moment.
  fs::path Train(const std::string& language, SettingTexts settings) {
    const RunData data = IdentifyData(MakeSmallDataset(folder_.path(), language, 1'000));
    settings.insert({{"loss", "rec"},
                     {"validation", "short"},
                     {"layers", "1"},
                     {"dropout", "0"},
                     {"batch_tokens", "128"},
                     {"learning_rate", "0.01"},
                     {"checkpoint_examples", "1000"}});
    const fs::path path = folder_.path() / ("run-" + language);
    const auto run = OwnedRun::TryOpen(path, observer_);
    EXPECT_TRUE(
        ExecuteRun(*run, {MakeSettings(settings, data.alphabet.size()), data}, {}).finished);
    return path;
  }
  TemporaryDirectory folder_;
  LockObserver observer_;
};

TEST_F(ExtractionOfRun, FindsTheTargetThatWasLearned) {
  const fs::path path =
      Train("parity", {{"architecture", "lstm"}, {"hidden", "16"}, {"max_epochs", "40"}});
  const RunExtraction first = ExtractFromRun(RunDirectory(path), {});
  const ExtractionReport& report = first.saved.report;
  EXPECT_EQ(report.language, "parity");
  EXPECT_EQ(report.max_length, 12);
  EXPECT_EQ(report.limit, "");
  EXPECT_EQ(report.states, 2);
  ASSERT_TRUE(report.error);
  EXPECT_TRUE(report.error->equal());
  for (const Fidelity& row : report.fidelity) {
    if (row.kind == "negatives") {
      EXPECT_FALSE(row.error);
    } else {
      EXPECT_EQ(row.error, 0);
    }
    EXPECT_EQ(row.law, row.kind == "strings" ? kUniformLaw : kDatasetLaw);
    EXPECT_EQ(row.automaton_wrong, 0);
    EXPECT_EQ(row.network_wrong, row.strings - row.agree);
    if (row.max_length <= 12) EXPECT_EQ(row.agree, row.strings);
  }
  EXPECT_EQ(report.fidelity.size(), 12);
  EXPECT_EQ(ExtractionSentence(report), "2 states; the same language as the target, parity");
  // Nothing is left to chance, nor to what was written before.
  const auto run = OwnedRun::TryOpen(path, observer_);
  WriteExtraction(*run, first.saved);
  const RunExtraction second = ExtractFromRun(RunDirectory(path), {});
  EXPECT_EQ(second.saved.automaton, first.saved.automaton);
  EXPECT_EQ(ExtractionToJson(second.saved.report), ExtractionToJson(report));
}

// A network that hardly trained: its automaton is another language, whose errors are measured and
// computed alike.
TEST_F(ExtractionOfRun, MeasuredAndExactErrorsAgree) {
  const fs::path path =
      Train("even-pairs", {{"architecture", "rnn"}, {"hidden", "8"}, {"max_epochs", "2"}});
  const RunPlan plan = ReadPlan(RunDirectory(path));
  const RunExtraction extraction = ExtractFromRun(RunDirectory(path), {.max_states = 30});
  const ExtractionReport& report = extraction.saved.report;
  ASSERT_TRUE(report.error);
  EXPECT_FALSE(report.error->equal());
  EXPECT_EQ(report.error->wrongly_accepted.size(), 501);
  std::size_t exact = 0;
  for (const Fidelity& row : report.fidelity) {
    ASSERT_TRUE(row.automaton_wrong && row.network_wrong) << row.kind;
    // Where both give the same answer, both are right or both are wrong.
    const std::size_t apart = std::max(*row.automaton_wrong, *row.network_wrong) -
                              std::min(*row.automaton_wrong, *row.network_wrong);
    EXPECT_LE(apart, row.strings - row.agree);
    if (!row.error) continue;
    ++exact;
    const auto n = static_cast<double>(row.strings);
    const double deviation = std::sqrt(*row.error * (1 - *row.error) / n);
    EXPECT_NEAR(static_cast<double>(*row.automaton_wrong) / n, *row.error, 5 * deviation + 1e-9)
        << row.kind << " " << row.min_length;
  }
  EXPECT_EQ(exact, 8);
}

// A grammar's language is compared through the product with its grammar, as far as that goes.
TEST_F(ExtractionOfRun, IsJudgedAgainstAGrammar) {
  const fs::path path =
      Train("anbn", {{"architecture", "rnn"}, {"hidden", "8"}, {"max_epochs", "3"}});
  const ExtractionReport report =
      ExtractFromRun(RunDirectory(path), {.max_states = 10}).saved.report;
  EXPECT_EQ(report.language, "anbn");
  EXPECT_EQ(report.not_judged, "");
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->known_up_to, 500);
  // No automaton is right at all lengths.
  EXPECT_FALSE(report.error->equal());
  for (const Fidelity& row : report.fidelity) {
    EXPECT_EQ(row.error.has_value(), row.kind != "negatives");
  }
}

TEST_F(ExtractionOfRun, SaysLimitsAndRefusals) {
  const fs::path path =
      Train("parity", {{"architecture", "rnn"}, {"hidden", "8"}, {"max_epochs", "1"}});
  const RunDirectory run(path);
  const RunExtraction small = ExtractFromRun(run, {.max_states = 1});
  EXPECT_EQ(small.saved.report.limit, "1 state");
  EXPECT_EQ(small.saved.report.best_states, 1);
  EXPECT_EQ(ExtractFromRun(run, {.max_queries = 10}).saved.report.limit, "10 queries");
  const RunExtraction longer = ExtractFromRun(run, {.max_length = 25, .max_states = 5});
  EXPECT_EQ(longer.saved.report.max_length, 25);
  fs::remove(run.result());
  EXPECT_THAT(RefusalOf([&] { ExtractFromRun(run, {}); }), HasSubstr("not finished"));
}

// Whatever else it is asked: the language at the data's place need not be the one that was learned.
TEST_F(ExtractionOfRun, RefusesAnotherTargetAtTheDatasPlace) {
  const RunDirectory run(
      Train("parity", {{"architecture", "rnn"}, {"hidden", "8"}, {"max_epochs", "1"}}));
  const fs::path other = MakeSmallDataset(folder_.path(), "even-pairs", 60);
  fs::remove_all(folder_.path() / "parity");
  fs::rename(other, folder_.path() / "parity");
  for (const std::optional<std::size_t> length : {std::optional<std::size_t>(), {9}}) {
    const std::string refusal = RefusalOf([&] { ExtractFromRun(run, {.max_length = length}); });
    EXPECT_THAT(refusal, HasSubstr("manifest.json: belongs to a different dataset"));
  }
  // Without a dataset nobody knows what was learned.
  fs::remove_all(folder_.path() / "parity");
  const RunExtraction extraction = ExtractFromRun(run, {.max_length = 9, .max_states = 5});
  EXPECT_EQ(extraction.saved.report.language, "");
  EXPECT_EQ(extraction.saved.report.not_judged, "it is not known which language 'parity' is");
}

// Anybody can name a directory as a language of the paper.
TEST_F(ExtractionOfRun, IsNotJudgedByTheNameOfItsDataAlone) {
  fs::rename(MakeSmallDataset(folder_.path(), "first", 100), folder_.path() / "even-pairs");
  for (const char* name : {"parity", "even-pairs"}) {
    const fs::path dataset = name == std::string("parity")
                                 ? MakeSmallDataset(folder_.path(), name, 100)
                                 : folder_.path() / name;
    fs::remove(dataset / "manifest.json");
    const ExtractionTarget target = TargetOf(IdentifyData(dataset));
    EXPECT_EQ(target.language.has_value(), name == std::string("parity")) << name;
  }
}

TEST_F(ExtractionOfRun, RefusesNetworksOfOtherPrograms) {
  const RunData data = IdentifyData(MakeSmallDataset(folder_.path(), "parity", 60));
  const auto run = OwnedRun::TryOpen(folder_.path() / "external", observer_);
  const External external{.name = "my-cnn", .command = {"python3", "cnn.py"}, .options = {}};
  BeginExternal(*run,
                MakeExternalConfig(external, {{"loss", "rec"}, {"validation", "short"}}, data));
  const std::string refusal = RefusalOf([&] { ExtractFromRun(run->directory(), {}); });
  EXPECT_THAT(refusal, HasSubstr("is a run of another program, python3 cnn.py"));
}

// Fresh strings follow the settings of the dataset: here members are uniform, and negatives have
// the format of the members.
TEST(ExtractionStrings, FollowTheLawOfTheDataset) {
  ExtractionTarget target{ResolveLanguage("cycle-navigation"), {}, MakePreset("flare")};
  const std::size_t width = target.language->language->alphabet().size();
  const auto has_format = [](const String& w) {
    return !w.empty() && Index(w.back()) < 5 &&
           std::all_of(w.begin(), w.end() - 1, [](Symbol a) { return Index(a) >= 5; });
  };
  const auto draw = [&](StringKind kind) {
    return DrawStrings(kind, target, width, {11, 20}, 200);
  };
  const auto share = [&](const std::vector<String>& strings) {
    EXPECT_EQ(strings.size(), 200);
    return std::count_if(strings.begin(), strings.end(), has_format);
  };
  EXPECT_FALSE(target.members_are_uniform());
  EXPECT_EQ(share(draw(StringKind::kMembers)), 200);
  // Edited members may keep the format; uniform strings of these lengths hardly ever have it.
  EXPECT_GT(share(draw(StringKind::kNegatives)), 10);
  EXPECT_LT(share(draw(StringKind::kNegatives)), 100);
  EXPECT_LE(share(draw(StringKind::kUniform)), 1);
  for (const String& w : draw(StringKind::kNegatives)) {
    EXPECT_FALSE(target.language->language->Contains(w));
  }
  ApplySetting("negatives.kind", "format", "test", target.config);
  ApplySetting("splits.test.distribution", "uniform", "test", target.config);
  EXPECT_TRUE(target.members_are_uniform());
  EXPECT_EQ(share(draw(StringKind::kNegatives)), 200);
  ApplySetting("splits.test.kind", "balanced", "test", target.config);
  EXPECT_EQ(share(draw(StringKind::kMembers)), 200);
  EXPECT_LE(share(draw(StringKind::kNegatives)), 1);
}

TEST(ExtractionStrings, AllOfOneLengthAreAll) {
  const auto strings = AllOfOneLength(3, 40, 100);
  EXPECT_EQ(strings.size(), 81);
  EXPECT_EQ(strings.front(), String(4, SymbolAt(0)));
  EXPECT_EQ(strings.back(), String(4, SymbolAt(2)));
  EXPECT_TRUE(std::is_sorted(strings.begin(), strings.end()));
  EXPECT_EQ(AllOfOneLength(3, 2, 100).size(), 9);
  EXPECT_EQ(AllOfOneLength(1, 40, 100), std::vector<String>{String(40, SymbolAt(0))});
  EXPECT_EQ(AllOfOneLength(2, 0, 100), std::vector<String>{String{}});
}

}  // namespace
}  // namespace flare
