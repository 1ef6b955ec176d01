// Fresh strings: what an epoch has, of what it depends, and what cannot have any.

#include "flare/training/train_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "flare/base/file.h"
#include "flare/data/generate.h"
#include "flare/languages/source.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const SettingTexts kFresh = {{"architecture", "lstm"}, {"loss", "rec"},    {"validation", "short"},
                             {"layers", "1"},          {"hidden", "8"},    {"seed", "7"},
                             {"train_data", "fresh"},  {"max_steps", "10"}};

RunSettings FreshSettings(const SettingTexts& changes = {}, std::size_t vocabulary = 2) {
  SettingTexts texts = kFresh;
  for (const auto& [key, text] : changes) texts[key] = text;
  return MakeSettings(texts, vocabulary);
}

// What is in a split, as values.
std::vector<std::pair<String, bool>> Examples(const Split& split) {
  std::vector<std::pair<String, bool>> examples;
  for (std::size_t i = 0; i < split.size(); ++i) {
    const StringView w = split.string(i);
    examples.emplace_back(String(w.begin(), w.end()), split.labels[i] != 0);
  }
  return examples;
}

class FreshData : public testing::Test {
 protected:
  // A dataset of the language with these settings in place of the usual ones.
  RunData Make(const std::string& language,
               const std::vector<std::pair<std::string, std::string>>& settings = {}) {
    DatasetConfig config = MakePreset("flare");
    const auto set = [&](const std::string& key, const std::string& value) {
      ApplySetting(key, value, "test", config);
    };
    for (const char* split :
         {"test", "test-short-held-out", "test-edit-distance", "validation-long"}) {
      set(std::string("splits.") + split + ".size", "0");
    }
    set("splits.train.size", "600");
    set("splits.train.max_length", "12");
    set("splits.validation-short.size", "20");
    set("splits.validation-short.max_length", "12");
    for (const auto& [key, value] : settings) set(key, value);
    const fs::path folder = folder_.path() / std::to_string(made_++);
    GenerateDataset({language, ResolveLanguage(language)}, {folder, 0, config});
    return IdentifyData(folder / language);
  }

  TemporaryDirectory folder_;
  int made_ = 0;
};

// The law is that of the recipe, by an oracle of its own: parity's members, all lengths alike (one
// string more has an even number of 1s), half of them.
TEST_F(FreshData, AnEpochFollowsTheRecipe) {
  const RunData data =
      Make("parity", {{"splits.train.min_length", "3"}, {"splits.train.size", "6000"}});
  const auto strings = OpenTrainStrings(FreshSettings(), data);
  const Split& split = strings->Epoch(1, 0);
  ASSERT_EQ(split.size(), 6000u);
  EXPECT_EQ(strings->size(), 6000u);
  EXPECT_EQ(strings->longest().length, 12u);
  std::map<std::size_t, double> members_of_length;
  double members = 0;
  for (const auto& [w, label] : Examples(split)) {
    EXPECT_TRUE(w.size() >= 3 && w.size() <= 12);
    const auto ones = std::count(w.begin(), w.end(), SymbolAt(1));
    EXPECT_EQ(label, ones % 2 == 1);
    if (!label) continue;
    ++members;
    ++members_of_length[w.size()];
  }
  // Five standard deviations.
  EXPECT_NEAR(members, 3000, 5 * std::sqrt(1500));
  ASSERT_EQ(members_of_length.size(), 10u);
  for (const auto& [length, count] : members_of_length) {
    EXPECT_NEAR(count, members / 10, 5 * std::sqrt(members * 0.09)) << length;
  }
}

TEST_F(FreshData, EpochsDifferAndDependOnSeedAndNumberAlone) {
  for (const char* language : {"dyck-2-3", "unmarked-reversal", "majority"}) {
    const RunData data = Make(language);
    const std::size_t vocabulary = data.alphabet.size();
    const auto one = OpenTrainStrings(FreshSettings({}, vocabulary), data);
    const auto first = Examples(one->Epoch(1, 0));
    const auto second = Examples(one->Epoch(2, 0));
    EXPECT_NE(first, second);
    // Whatever was drawn before.
    const auto other =
        OpenTrainStrings(FreshSettings({{"learning_rate", "0.1"}}, vocabulary), data);
    EXPECT_EQ(Examples(other->Epoch(2, 0)), second);
    EXPECT_EQ(Examples(other->Epoch(1, 0)), first);
    const auto seed = OpenTrainStrings(FreshSettings({{"seed", "8"}}, vocabulary), data);
    EXPECT_NE(Examples(seed->Epoch(1, 0)), first);
  }
}

// Every kind of split that depends on no other, with what the loss looks at.
TEST_F(FreshData, EveryKindOfSplitCanBeFresh) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> recipes = {
      {},
      {{"splits.train.distribution", "\"uniform\""}},
      {{"negatives.kind", "\"format\""}},
      {{"splits.train.kind", "\"balanced\""}},
      {{"splits.train.kind", "\"adversarial\""}},
      {{"splits.train.kind", "\"members\""}},
      {{"splits.train.kind", "\"edit-distance\""}},
      {{"files.next_symbols", "false"}}};
  for (auto recipe : recipes) {
    for (auto& [key, value] : recipe) std::erase(value, '"');
    const RunData data = Make("cycle-navigation", recipe);
    const std::string name = recipe.empty() ? "default" : recipe[0].first + recipe[0].second;
    const auto language = ResolveLanguage("cycle-navigation");
    const auto strings =
        OpenTrainStrings(FreshSettings({{"loss", "rec+ns"}}, data.alphabet.size()), data);
    const Split& split = strings->Epoch(3, 0);
    EXPECT_EQ(split.size(), 600u) << name;
    EXPECT_TRUE(split.has_next_symbols) << name;
    std::size_t sets = 0;
    NextSymbolSets expected(data.alphabet.size());
    for (std::size_t i = 0; i < split.size(); ++i) {
      const StringView w = split.string(i);
      ASSERT_EQ(split.labels[i] != 0, language.language->Contains(w)) << name;
      if (split.labels[i] == 0) continue;
      language.language->NextSymbols(w, expected);
      for (std::size_t t = 0; t <= w.size(); ++t, ++sets) {
        const auto found = split.next_symbols.Words(sets), wanted = expected.Words(t);
        ASSERT_TRUE(std::equal(found.begin(), found.end(), wanted.begin())) << name;
      }
    }
    EXPECT_EQ(split.next_symbols.size(), sets) << name;
  }
}

// Those that a loss leaves out are not drawn, and the others are the same.
TEST_F(FreshData, MembersAreThoseOfAnEpochWithNegatives) {
  const RunData data = Make("parity");
  auto all = Examples(OpenTrainStrings(FreshSettings(), data)->Epoch(1, 0));
  std::erase_if(all, [](const auto& example) { return !example.second; });
  EXPECT_EQ(Examples(OpenTrainStrings(FreshSettings({{"loss", "lm"}}), data)->Epoch(1, 0)), all);
}

TEST_F(FreshData, AStageBoundsTheLengths) {
  const RunData data = Make("parity");
  const auto strings = OpenTrainStrings(FreshSettings({{"curriculum", "0:3+5:8+9:12"}}), data);
  const std::size_t longest[] = {3, 8, 12};
  for (std::size_t stage = 0; stage < 3; ++stage) {
    std::set<std::size_t> lengths;
    for (const auto& [w, label] : Examples(strings->Epoch(1, stage))) lengths.insert(w.size());
    EXPECT_EQ(*lengths.rbegin(), longest[stage]);
    EXPECT_EQ(lengths.size(), longest[stage] + 1);
  }
}

TEST_F(FreshData, RefusesDataWithoutARecipe) {
  const auto refusal = [&](const RunData& data, const SettingTexts& changes = {}) {
    return RefusalOf(
        [&] { CheckTrainData(FreshSettings(changes), data.pinned, SettingPlaces("grid.toml")); });
  };
  RunData data = Make("parity");
  EXPECT_EQ(refusal(data), "");
  fs::remove(data.pinned.path / "manifest.json");
  data = IdentifyData(data.pinned.path);
  EXPECT_THAT(refusal(data),
              HasSubstr("grid.toml: train_data: fresh draws strings by the recipe of "
                        "the dataset, and "));
  EXPECT_THAT(refusal(data), HasSubstr("does not say how it was made: it has no manifest.json"));
  EXPECT_EQ(refusal(data, {{"train_data", "fixed"}}), "");
  EXPECT_THAT(RefusalOf([&] { OpenTrainStrings(FreshSettings(), data); }),
              HasSubstr("it has no manifest.json"));

  EXPECT_THAT(refusal(Make("parity", {{"splits.train.kind", "held-out"}})),
              HasSubstr("splits.train.kind = \"held-out\""));
  EXPECT_THAT(refusal(Make("parity", {{"splits.train.kind", "edit-distance"}}), {{"loss", "ns"}}),
              HasSubstr("no members, which are all that loss = ns looks at"));
}

TEST_F(FreshData, RefusesALanguageThatOnlyAProgramKnows) {
  const fs::path program = folder_.path() / "evens";
  WriteFile(program,
            "#!/bin/sh\n"
            "while read -r verb rest; do\n"
            "  set -- $rest\n"
            "  case $verb in\n"
            "    alphabet) echo a b ;;\n"
            "    contains) echo $((($# + 1) % 2)) ;;\n"
            "    sample) w='='; i=0; while [ $i -lt $(($2 / 2)) ]; do w=\"$w a b\"; i=$((i + 1)); "
            "done; echo $w ;;\n"
            "    next) echo $((($# + 1) % 2)) a b ;;\n"
            "  esac\n"
            "done\n");
  fs::permissions(program, fs::perms::owner_all);
  DatasetConfig config = MakePreset("flare");
  for (auto& split : config.splits) split.size = split.name == "train" ? 4 : 0;
  GenerateDataset({"evens", ResolveLanguage("command:" + program.string())},
                  {folder_.path() / "data", 0, config});
  const RunData data = IdentifyData(folder_.path() / "data/evens");
  EXPECT_THAT(RefusalOf([&] { CheckTrainData(FreshSettings(), data.pinned, ""); }),
              HasSubstr("which only a program knows"));
}

TEST_F(FreshData, RefusesACurriculumBeyondTheTrainingSplit) {
  RunData data = Make("parity", {{"splits.train.min_length", "4"}});
  for (const char* stream : {"fixed", "fresh"}) {
    const auto refusal = [&](const char* curriculum) {
      return RefusalOf([&] {
        CheckTrainData(FreshSettings({{"train_data", stream}, {"curriculum", curriculum}}),
                       data.pinned, "");
      });
    };
    EXPECT_EQ(refusal("0:4+3:12"), "");
    EXPECT_THAT(refusal("0:6+3:13"),
                HasSubstr("--curriculum: from step 3 on, strings have at most 13 symbols, and "
                          "splits.train.max_length is 12"));
    EXPECT_THAT(refusal("0:3+3:12"),
                HasSubstr("--curriculum: from step 0 on, strings have at most 3 symbols, and "
                          "splits.train.min_length is 4"));
  }
  // Without a manifest the strings themselves say it.
  fs::remove(data.pinned.path / "manifest.json");
  data = IdentifyData(data.pinned.path);
  const auto refusal = [&](const char* curriculum) {
    return RefusalOf([&] {
      OpenTrainStrings(FreshSettings({{"train_data", "fixed"}, {"curriculum", curriculum}}), data);
    });
  };
  EXPECT_EQ(refusal("0:6+3:12"), "");
  EXPECT_THAT(refusal("0:6+3:13"), HasSubstr("and the longest of the training split"));
  EXPECT_THAT(refusal("0:3+3:12"), HasSubstr("and the shortest of the training split"));
}

// The room of settings knows the words, this one what they mean.
TEST(TrainDataCatalog, IsWhatSettingsMaySay) {
  std::vector<std::string> names;
  for (const TrainDataInfo& one : TrainDataCatalog()) names.push_back(one.name);
  EXPECT_EQ(names, WordsOf("train_data"));
  EXPECT_EQ(names.front(), RunSettings{}.train_data);
}

// Minibatches of one string each: six of one symbol, four of two.
TEST(CurriculumOfARun, AStageBeginsWithAnEpochAtItsStep) {
  const TemporaryDirectory folder;
  Split split(2);
  for (int i = 0; i < 10; ++i) split.Add(String(i < 6 ? 1 : 2, SymbolAt(1)), i % 2 == 0);
  const RunSettings settings = FreshSettings({{"train_data", "fixed"},
                                              {"curriculum", "0:1+4:2"},
                                              {"batch_tokens", "1"},
                                              {"max_steps", "20"},
                                              {"checkpoint_steps", "100"}});
  const auto strings = StringsOf(split);
  Trainer trainer(settings, *strings, split, 2);
  trainer.Begin();
  EventLog events(folder.path() / "events.jsonl");
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  while (!trainer.done()) {
    seen.emplace_back(trainer.progress().epoch, trainer.steps_per_epoch());
    trainer.Step(events, nullptr);
  }
  std::vector<std::pair<std::size_t, std::size_t>> expected(4, {1, 6});
  expected.insert(expected.end(), 10, {2, 10});
  expected.insert(expected.end(), 6, {3, 10});
  EXPECT_EQ(seen, expected);
}

// A member of each length, so that lengths without one show.
TEST_F(FreshData, RefusesAStageWithoutMembers) {
  const RunData data = Make("repeat-01");
  EXPECT_EQ(RefusalOf([&] {
              OpenTrainStrings(FreshSettings({{"loss", "lm"}, {"curriculum", "0:2+3:12"}}), data);
            }),
            "");
  const RunData odd = Make("dyck-2-3", {{"splits.train.min_length", "5"}});
  EXPECT_THAT(RefusalOf([&] {
                OpenTrainStrings(FreshSettings({{"curriculum", "0:5+3:12"}}, 4), odd);
              }),
              HasSubstr("curriculum: "));
}

}  // namespace
}  // namespace flare
