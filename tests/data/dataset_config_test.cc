#include "flare/data/dataset_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/base/file.h"
#include "flare/data/baselines.h"
#include "flare/data/dataset_language.h"
#include "flare/data/draw.h"
#include "flare/data/flare_files.h"
#include "flare/data/generate.h"
#include "flare/data/manifest.h"
#include "flare/data/negatives.h"
#include "flare/data/verify.h"
#include "flare/languages/envelope.h"
#include "flare/languages/source.h"
#include "support/chi_square.h"
#include "support/random_automata.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/version02.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

DatasetConfig With(const std::vector<std::pair<std::string, std::string>>& settings) {
  DatasetConfig config = MakePreset("flare");
  for (const auto& [key, value] : settings) ApplySetting(key, value, "--set", config);
  Validate(config);
  return config;
}

std::string Refusal(const std::vector<std::pair<std::string, std::string>>& settings) {
  return RefusalOf([&] { With(settings); });
}

// A training split of this size, and nothing else but what the settings add.
DatasetConfig OnlyTraining(std::size_t size,
                           std::vector<std::pair<std::string, std::string>> settings = {}) {
  for (const SplitConfig& split : MakePreset("flare").splits) {
    settings.emplace(settings.begin(), "splits." + split.name + ".size",
                     split.name == "train" ? std::to_string(size) : "0");
  }
  return With(settings);
}

Split TrainingOf(const fs::path& dataset) {
  return ReadSplit(dataset, "train", FindDatasetLanguage(dataset).language.language->alphabet(),
                   kOnlyStrings);
}

std::set<std::string> AddedKeys(DatasetConfig config) {
  std::set<std::string> keys;
  VisitFields(config, [&](const std::string& key, auto&, const char*, const auto&... before) {
    if (sizeof...(before) > 0) keys.insert(key);
  });
  return keys;
}

// ---- Settings that were added

TEST(AddedSettings, ValueFromBeforeIsLeftOutOfManifests) {
  const DatasetConfig config = MakePreset("flare");
  const auto added = AddedKeys(config);
  EXPECT_TRUE(added.contains("negatives.distribution"));
  EXPECT_TRUE(added.contains("splits.test.distribution"));
  for (const auto& [key, value] : SettingsOf(config)) EXPECT_FALSE(added.contains(key)) << key;
}

TEST(AddedSettings, MeanTheValueFromBeforeInOldManifests) {
  std::size_t datasets = 0;
  for (const auto& entry : fs::directory_iterator(Version02("data"))) {
    const auto manifest = ReadManifest(entry.path());
    ASSERT_TRUE(manifest) << entry.path();
    ++datasets;
    DatasetConfig config = ConfigOf(*manifest, entry.path());
    VisitFields(config,
                [&](const std::string& key, const auto& field, const char*, const auto&... before) {
                  if (sizeof...(before) == 0 || manifest->settings.contains(key)) return;
                  EXPECT_TRUE(((field == before) && ...)) << entry.path() << " " << key;
                });
    // Nothing more is written of it today.
    Json again = Json::object();
    for (const auto& [key, value] : SettingsOf(config)) again[key] = Json::parse(value);
    EXPECT_EQ(again, manifest->settings) << entry.path();
  }
  EXPECT_GE(datasets, 10u);
}

// A setting whose default differs from what was before is in effect: negatives of the format.
TEST(AddedSettings, LeaveOldDatasetsAndTheirBytesAsTheyAre) {
  const TemporaryDirectory directory;
  fs::copy(Version02("data/bucket-sort"), directory.path() / "bucket-sort",
           fs::copy_options::recursive);
  const auto manifest = ReadManifest(directory.path() / "bucket-sort");
  ASSERT_FALSE(manifest->settings.contains("negatives.distribution"));
  const auto config = [&](const std::vector<std::pair<std::string, std::string>>& more) {
    // What the user of version 0.2 typed.
    DatasetConfig asked = MakePreset("flare");
    for (const auto& [key, value] : manifest->settings.items()) {
      if (key.starts_with("splits.") || key == "negatives.kind") {
        ApplySetting(key, value.is_string() ? value.get<std::string>() : value.dump(), "", asked);
      }
    }
    for (const auto& [key, value] : more) ApplySetting(key, value, "", asked);
    return asked;
  };
  const auto generate = [&](const DatasetConfig& asked, ExistingData existing) {
    return GenerateDataset({"bucket-sort", ResolveLanguage("bucket-sort")},
                           {directory.path(), manifest->seed, asked, existing});
  };
  const GenerateReport found = generate(config({}), ExistingData::kCheck);
  EXPECT_TRUE(found.already_there);
  EXPECT_EQ(found.notes,
            std::vector<std::string>{"bucket-sort: was made before there was "
                                     "negatives.distribution, which is now \"members\": it is left "
                                     "as it was"});
  EXPECT_TRUE(generate(config({{"negatives.distribution", "uniform"}}), ExistingData::kCheck)
                  .already_there);
  EXPECT_THAT(RefusalOf([&] {
                generate(config({{"negatives.distribution", "members"}}), ExistingData::kCheck);
              }),
              HasSubstr("negatives.distribution"));
  // Made again from its own recipe, it has the same bytes.
  for (const SplitVerification& row :
       VerifyDataset(directory.path() / "bucket-sort",
                     FindDatasetLanguage(directory.path() / "bucket-sort"), 3)) {
    EXPECT_TRUE(row.ok()) << row.split;
  }
  const TemporaryDirectory fresh;
  GenerateDataset({"bucket-sort", ResolveLanguage("bucket-sort")},
                  {fresh.path(), manifest->seed, config({{"negatives.distribution", "uniform"}})});
  EXPECT_EQ(ReadFile(fresh.path() / "bucket-sort/main.tok"),
            ReadFile(Version02("data/bucket-sort/main.tok")));
  const TemporaryDirectory other;
  GenerateDataset({"bucket-sort", ResolveLanguage("bucket-sort")},
                  {other.path(), manifest->seed, config({})});
  EXPECT_NE(ReadFile(other.path() / "bucket-sort/main.tok"),
            ReadFile(Version02("data/bucket-sort/main.tok")));
}

// With the default that differs, too, repairing restores what the manifest says.
TEST(AddedSettings, AreThoseOfTheManifestWhenADatasetIsRepaired) {
  const TemporaryDirectory directory;
  fs::copy(Version02("data/bucket-sort"), directory.path() / "bucket-sort",
           fs::copy_options::recursive);
  const fs::path dataset = directory.path() / "bucket-sort";
  const auto manifest = ReadManifest(dataset);
  fs::remove(dataset / "main.tok");
  DatasetConfig asked = ConfigOf(*manifest, "");
  asked.given.clear();
  asked.negatives.law = NegativeLaw::kMembers;  // as a new dataset would have it
  const GenerateReport report =
      GenerateDataset({"bucket-sort", ResolveLanguage("bucket-sort")},
                      {directory.path(), manifest->seed, asked, ExistingData::kRepair});
  EXPECT_EQ(report.repaired, std::vector<std::string>{"main.tok"});
  EXPECT_EQ(ReadFile(dataset / "main.tok"), ReadFile(Version02("data/bucket-sort/main.tok")));
}

TEST(AddedSettings, AreReadAgainFromTheManifest) {
  const TemporaryDirectory directory;
  const DatasetConfig config = OnlyTraining(20, {{"negatives.kind", "format"},
                                                 {"splits.train.distribution", "uniform"},
                                                 {"splits.test.size", "10"},
                                                 {"splits.test.bins", "[10, 20,  500]"}});
  GenerateDataset({"parity", ResolveLanguage("parity")}, {directory.path(), 0, config});
  const auto manifest = ReadManifest(directory.path() / "parity");
  EXPECT_EQ(manifest->settings.at("splits.test.bins"), Json::parse("[10, 20, 500]"));
  const DatasetConfig again = ConfigOf(*manifest, "");
  EXPECT_EQ(again.negatives.law, NegativeLaw::kMembers);
  EXPECT_EQ(again.splits.size(), MakePreset("flare").splits.size() + 3);
  EXPECT_TRUE(GenerateDataset({"parity", ResolveLanguage("parity")},
                              {directory.path(), 0, config, ExistingData::kCheck})
                  .already_there);
}

// ---- Laws

// The counts of strings against their probabilities.
double PValueOf(const std::map<String, std::size_t>& drawn, std::size_t draws,
                const std::map<String, double>& law) {
  std::vector<std::size_t> observed;
  std::vector<double> expected;
  std::size_t counted = 0;
  for (const auto& [w, p] : law) {
    const auto found = drawn.find(w);
    observed.push_back(found == drawn.end() ? 0 : found->second);
    counted += observed.back();
    expected.push_back(p * static_cast<double>(draws));
  }
  EXPECT_EQ(counted, draws);
  return ChiSquarePValue(observed, expected);
}

std::map<String, std::size_t> Drawn(const NamedLanguage& language, const DatasetConfig& config,
                                    bool label, std::size_t& draws) {
  const DrawContext context{language, config, "test", 5};
  const auto split = DrawSplit(context, config.splits[0], {});
  std::map<String, std::size_t> drawn;
  draws = 0;
  for (std::size_t i = 0; i < split->size(); ++i) {
    if ((split->labels[i] != 0) != label) continue;
    ++drawn[String(split->string(i).begin(), split->string(i).end())];
    ++draws;
  }
  return drawn;
}

// Lengths uniform over those that there are, strings uniform over those of a length.
std::map<String, double> UniformLaw(const std::vector<String>& strings) {
  std::map<std::size_t, std::size_t> of_length;
  for (const String& w : strings) ++of_length[w.size()];
  std::map<String, double> law;
  for (const String& w : strings) {
    law[w] = 1.0 / static_cast<double>(of_length.size() * of_length[w.size()]);
  }
  return law;
}

TEST(MemberLaw, UniformDrawsEachMemberOfALengthAlike) {
  for (const char* name : {"tomita-4", "regex:a*b*c?", "equal-ab"}) {
    const NamedLanguage language = ResolveLanguage(name);
    const DatasetConfig config = OnlyTraining(
        20'000, {{"splits.train.distribution", "uniform"}, {"splits.train.max_length", "7"}});
    std::vector<String> members;
    for (const String& w : AllStrings(language.language->alphabet().size(), 7)) {
      if (language.language->Contains(w)) members.push_back(w);
    }
    std::size_t draws = 0;
    const auto drawn = Drawn(language, config, true, draws);
    const auto law = UniformLaw(members);
    EXPECT_GT(PValueOf(drawn, draws, law), kAlpha) << name;
    // What the log-probabilities say.
    const auto density = MakeDensity(language, config.splits[0]);
    ASSERT_NE(density, nullptr) << name;
    for (const auto& [w, p] : law) EXPECT_NEAR(std::exp(density->LogProbability(w)), p, 1e-9);
  }
}

TEST(MemberLaw, UniformIsRefusedWhereNobodyKnowsHow) {
  const NamedLanguage language = ResolveLanguage("compute-sqrt");
  ASSERT_EQ(language.language->MakeUniformSampler({0, 10}), nullptr);
  const TemporaryDirectory directory;
  EXPECT_THAT(RefusalOf([&] {
                GenerateDataset({"compute-sqrt", ResolveLanguage("compute-sqrt")},
                                {directory.path(), 0,
                                 OnlyTraining(10, {{"splits.train.distribution", "uniform"}})});
              }),
              HasSubstr("splits.train.distribution: how to draw uniformly"));
}

TEST(NegativeLaw, FormatNegativesFollowTheMembersLaw) {
  const NamedLanguage language = ResolveLanguage("tomita-4");
  Effort effort("test");
  const Dfa others = Minimize(Intersect(*EnvelopeAutomaton(language),
                                        Complement(*language.language->dfa(), effort), effort));
  std::vector<String> strings;
  for (const String& w : AllStrings(2, 8)) {
    if (others.Accepts(w)) strings.push_back(w);
  }
  const auto paper = RegularLanguage(others).MakeSampler({0, 8});
  std::map<String, double> papers_law;
  for (const String& w : strings) {
    papers_law[w] = std::exp(paper->density()->LogProbability(w));
  }
  const auto p_value = [&](const std::string& members, const std::string& negatives,
                           const std::map<String, double>& law) {
    std::vector<std::pair<std::string, std::string>> settings = {
        {"negatives.kind", "format"},
        {"splits.train.max_length", "8"},
        {"splits.train.distribution", members}};
    if (!negatives.empty()) settings.emplace_back("negatives.distribution", negatives);
    std::size_t draws = 0;
    const auto drawn = Drawn(language, OnlyTraining(20'000, settings), false, draws);
    return PValueOf(drawn, draws, law);
  };
  const auto uniform_law = UniformLaw(strings);
  EXPECT_GT(p_value("paper", "", papers_law), kAlpha);
  EXPECT_GT(p_value("paper", "members", papers_law), kAlpha);
  EXPECT_GT(p_value("paper", "uniform", uniform_law), kAlpha);
  EXPECT_GT(p_value("uniform", "", uniform_law), kAlpha);
  EXPECT_GT(p_value("uniform", "uniform", uniform_law), kAlpha);
  EXPECT_LT(p_value("paper", "uniform", papers_law), kAlpha);
}

// ---- Splits

TEST(Splits, SplitOfOneLengthHasThatLength) {
  const TemporaryDirectory directory;
  GenerateDataset(
      {"parity", ResolveLanguage("parity")},
      {directory.path(), 0,
       OnlyTraining(200, {{"splits.train.min_length", "17"}, {"splits.train.max_length", "17"}})});
  const Split split = TrainingOf(directory.path() / "parity");
  ASSERT_EQ(split.size(), 200u);
  std::set<bool> labels;
  for (std::size_t i = 0; i < split.size(); ++i) {
    EXPECT_EQ(split.string(i).size(), 17u);
    labels.insert(split.labels[i] != 0);
  }
  EXPECT_EQ(labels.size(), 2u);
}

TEST(Splits, MembersSplitHasOnlyMembers) {
  const TemporaryDirectory directory;
  const DatasetConfig config =
      OnlyTraining(100, {{"splits.train.kind", "members"}, {"negatives.kind", "format"}});
  // Everything is a member, so that there are no negatives to be had.
  GenerateDataset({"all", ResolveLanguage("small:1:1")}, {directory.path(), 0, config});
  const fs::path dataset = directory.path() / "all";
  const Split split = TrainingOf(dataset);
  ASSERT_EQ(split.size(), 100u);
  EXPECT_EQ(std::count(split.labels.begin(), split.labels.end(), 1), 100);
  for (const auto& row : VerifyDataset(dataset, FindDatasetLanguage(dataset), 3)) {
    EXPECT_TRUE(row.ok());
  }
  EXPECT_EQ(ComputeBaselines(dataset, FindDatasetLanguage(dataset)).rows[0].majority, 1);
}

TEST(Bins, AreSplitsOfTheirLengths) {
  const TemporaryDirectory directory;
  const DatasetConfig config = OnlyTraining(10, {{"splits.test.size", "60"},
                                                 {"splits.test.min_length", "1"},
                                                 {"splits.test.bins", "[5, 12, 12, 13]"},
                                                 {"splits.test.bins", "[5, 12, 13]"}});
  GenerateDataset({"parity", ResolveLanguage("parity")}, {directory.path(), 0, config});
  const fs::path dataset = directory.path() / "parity";
  const DatasetLanguage language = FindDatasetLanguage(dataset);
  const std::map<std::string, LengthRange> expected = {
      {"test", {1, 500}}, {"test-1-5", {1, 5}}, {"test-6-12", {6, 12}}, {"test-13-13", {13, 13}}};
  for (const auto& [name, lengths] : expected) {
    const Split split =
        ReadSplit(dataset, name, language.language.language->alphabet(), kOnlyStrings);
    EXPECT_EQ(split.size(), 60u);
    std::set<std::size_t> found;
    for (std::size_t i = 0; i < split.size(); ++i) found.insert(split.string(i).size());
    EXPECT_GE(*found.begin(), lengths.min);
    EXPECT_LE(*found.rbegin(), lengths.max);
    ASSERT_NE(language.FindSplit(name), nullptr);
    EXPECT_EQ(language.FindSplit(name)->lengths.max, lengths.max);
  }
  for (const auto& row : VerifyDataset(dataset, language, 3)) EXPECT_TRUE(row.ok()) << row.split;
}

TEST(Bins, AreReadFromToml) {
  DatasetConfig config = MakePreset("flare");
  ApplyToml("splits.test.bins = [50, 100, 500]\n", "d.toml", config);
  EXPECT_EQ(config.splits[3].bins, (std::vector<std::size_t>{50, 100, 500}));
  EXPECT_THAT(RefusalOf([&] { ApplyToml("splits.test.bins = [[1]]\n", "d.toml", config); }),
              HasSubstr("d.toml:1: splits.test.bins: '[1]' is not a number"));
}

// A value for each line of VisitFields: a line without one fails.
TEST(DatasetSettings, ChangeTheRecipe) {
  const std::map<std::string, std::string> values = {
      {"positive_probability", "0.25"},
      {"negatives.kind", "format"},
      {"negatives.distribution", "uniform"},
      {"negatives.perturbation_probability", "0.25"},
      {"negatives.stop_probability", "0.25"},
      {"negatives.most_proposals", "99"},
      {"files.next_symbols", "false"},
      {"files.log_probabilities", "false"},
      {"files.num_edits", "false"},
      {"files.edit_distances", "false"},
      {"files.mlregtest_text", "true"},
      {"splits.test.kind", "members"},
      {"splits.test.size", "99"},
      {"splits.test.min_length", "9"},
      {"splits.test.max_length", "99"},
      {"splits.test.distribution", "uniform"},
      {"splits.test.bins", "[9, 99]"},
  };
  const DatasetConfig format = With({{"negatives.kind", "format"}});
  DatasetConfig fields = format;
  VisitFields(fields, [&](const std::string& key, auto&, const char*, const auto&...) {
    if (key.starts_with("splits.") && !key.starts_with("splits.test.")) return;
    ASSERT_TRUE(values.contains(key)) << key;
    DatasetConfig changed = key == "negatives.kind" ? MakePreset("flare") : format;
    const auto before = SettingsOf(changed);
    ApplySetting(key, values.at(key), "", changed);
    Validate(changed);
    EXPECT_NE(SettingsOf(changed), before) << key;
    EXPECT_TRUE(changed.given.contains(key));
  });
}

// ---- Bad input

TEST(DatasetSettings, ContradictionsAreRefusedByName) {
  EXPECT_EQ(Refusal({{"splits.test.bins", "[100, 600]"}}),
            "splits.test.bins = [100, 600] ends above splits.test.max_length = 500");
  EXPECT_EQ(Refusal({{"splits.test.bins", "[100]"}, {"splits.test.min_length", "200"}}),
            "splits.test.bins = [100] begins below splits.test.min_length = 200");
  EXPECT_EQ(Refusal({{"splits.test.bins", "[100, 50]"}}),
            "splits.test.bins = [100, 50]: the ends do not increase");
  EXPECT_EQ(Refusal({{"splits.test.bins", "[100]"}, {"splits.test.size", "0"}}),
            "splits.test.bins = [100] contradicts splits.test.size = 0: bins have the size of "
            "their split");
  EXPECT_EQ(Refusal({{"splits.train.bins", "[10]"}}),
            "splits.train.bins = [10]: the training split is one");
  EXPECT_EQ(Refusal({{"splits.test-0-9.kind", "labelled"},
                     {"splits.test-0-9.size", "1"},
                     {"splits.test.bins", "[9]"}}),
            "splits.test.bins = [9] makes a split test-0-9, and splits.test-0-9 is there already");
  EXPECT_EQ(Refusal({{"negatives.distribution", "uniform"}}),
            "negatives.distribution is for negatives.kind = \"format\", and negatives.kind is "
            "\"proposals\"");
  EXPECT_EQ(Refusal({{"splits.test.kind", "balanced"}, {"splits.test.distribution", "paper"}}),
            "splits.test.distribution contradicts splits.test.kind = \"balanced\": such a split is "
            "always uniform");
}

TEST(DatasetSettings, ValuesOfTheWrongKindAreRefused) {
  for (const char* bins : {"50", "[50", "[50, x]", "[-1]", "[1 2]", "[,]", "[1,,2]"}) {
    EXPECT_NE(Refusal({{"splits.test.bins", bins}}), "") << bins;
  }
  EXPECT_EQ(Refusal({{"splits.test.distribution", "even"}}),
            "--set: splits.test.distribution: 'even' is not paper or uniform");
  EXPECT_EQ(Refusal({{"splits.test.kind", "member"}}),
            "--set: splits.test.kind: 'member' is not one of labelled, held-out, edit-distance, "
            "balanced, adversarial, members");
}

// ---- Leaks

// Members of (aa)*b* have few a by the paper's law; of the strings of a*b*, the format, few have.
TEST(Generate, WarnsWhereCountingTellsNegativesOfTheFormatFromMembers) {
  const auto notes = [](const std::string& law) {
    const TemporaryDirectory directory;
    return GenerateDataset({"mine", ResolveLanguage("regex:(aa)*b*")},
                           {directory.path(), 0,
                            OnlyTraining(1'000, {{"negatives.kind", "format"},
                                                 {"negatives.distribution", law},
                                                 {"splits.test.size", "500"},
                                                 {"splits.test.max_length", "40"}})})
        .notes;
  };
  const auto of_uniform = notes("uniform");
  ASSERT_EQ(of_uniform.size(), 1u);
  EXPECT_THAT(of_uniform[0], HasSubstr("mine: warning: test: counts are right on 0."));
  EXPECT_TRUE(notes("members").empty()) << notes("members")[0];
}

// ---- Formats of datasets whose language only a program knows

TEST(FormatOfADataset, IsTheEnvelopeOfTheManifest) {
  const fs::path dataset = Version02("data/abc");
  ASSERT_FALSE(HasKnownLanguage(dataset));
  const auto format = FindFormat(dataset);
  ASSERT_TRUE(format);
  EXPECT_EQ(format->pattern, "a*b*c*");
  const DatasetBaselines baselines = ComputeBaselines(dataset);
  EXPECT_EQ(baselines.envelope, "a*b*c*");
  for (const BaselineRow& row : baselines.rows) {
    ASSERT_TRUE(row.format_only);
    // All negatives have the format: only members are right.
    EXPECT_NEAR(*row.format_only, 0.5, 0.3);
  }
}

TEST(FormatOfADataset, IsWhatTheUserGives) {
  EXPECT_EQ(FindFormat(Version02("data/abc"), {.envelope = "[abc]*"})->pattern, "[abc]*");
  EXPECT_EQ(FindFormat(Version02("data/parity"), {.envelope = "[01]+"})->pattern, "[01]+");
  EXPECT_EQ(FindFormat(Version02("data/squares")), std::nullopt);
  EXPECT_THAT(RefusalOf([] { FindFormat(Version02("data/abc"), {.envelope = "[abcd]*"}); }),
              HasSubstr("--envelope: '[abcd]*' has symbols that the language does not have"));
  EXPECT_THAT(RefusalOf([] { FindFormat(Version02("data/parity"), {.envelope = "1*"}); }),
              HasSubstr("does not have every string of parity"));
}

// They say how --language is read; without one they would be silently ignored.
TEST(FormatOfADataset, OtherOptionsNeedALanguage) {
  const ResolveOptions symbols{.extra_symbols = {"d"}};
  EXPECT_EQ(RefusalOf([&] { FindFormat(Version02("data/abc"), symbols); }),
            "--alphabet says how --language is to be read, which is not given");
  EXPECT_EQ(RefusalOf([&] { FindDatasetLanguage(Version02("data/parity"), "", symbols); }),
            "--alphabet says how --language is to be read, which is not given");
  // This one says where files are.
  EXPECT_EQ(RefusalOf([&] { FindFormat(Version02("data/abc"), {.mlregtest = "folder"}); }), "");
  const auto with = FindDatasetLanguage(Version02("data/parity"), "regex:0*", symbols);
  EXPECT_EQ(with.language.language->alphabet().size(), 2u);
}

}  // namespace
}  // namespace flare
