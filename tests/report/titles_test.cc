#include "flare/report/titles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "flare/nn/architectures.h"

namespace flare::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FileStems, KeepTheFilesOfLanguagesApart) {
  const std::vector<std::string> languages = {"a", "a b", "a-b", "..", "größe", "grösse"};
  std::set<std::string> files;
  for (const auto& [language, stem] : FileStems(languages)) {
    EXPECT_TRUE(files.insert(stem).second) << language << ": " << stem;
    EXPECT_THAT(stem, Not(HasSubstr("/")));
  }
  EXPECT_EQ(files.size(), languages.size());
}

TEST(FileStems, OtherScriptsAreWrittenAsCodePoints) {
  EXPECT_EQ(FileStem("größe"), "gru00f6u00dfe");
  EXPECT_EQ(FileStem("偶数"), "u5076u6570");
  EXPECT_EQ(FileStem("a / b"), "a-b");
}

Cohort Made(const std::string& variant, const OptionTexts& options, const std::string& label = "") {
  return {.id = variant,
          .variant = variant,
          .label = label,
          .note = "",
          .incomparable = "",
          .options = options};
}

TEST(CohortTitle, SaysWhatDiffersOnBothSides) {
  const std::vector<Cohort> all = {
      Made("mamba", {{"eigenvalues", "positive"}, {"layers", "2"}}),
      Made("mamba,eigenvalues=signed", {{"eigenvalues", "signed"}, {"layers", "2"}}),
      Made("deltanet", {{"eigenvalues", "positive"}, {"layers", "2"}}),
      Made("mlstm,layers=2", {{"layers", "2"}}),
      Made("transformer,positions=none", {{"positions", "none"}, {"layers", "2"}}),
      Made("transformer", {{"positions", "sinusoidal"}, {"layers", "2"}}),
      Made("lstm,layers=3", {{"layers", "3"}}),
      Made("theirs", {})};
  std::vector<std::string> titles, abbreviations;
  for (const Cohort& one : all) {
    titles.push_back(CohortTitle(one, all, false));
    abbreviations.push_back(CohortTitle(one, all, true));
  }
  EXPECT_EQ(titles,
            (std::vector<std::string>{"Mamba, positive", "Mamba, signed", "DeltaNet",
                                      "mLSTM, layers=2", "Transformer, positions=none",
                                      "Transformer, sinusoidal", "LSTM, layers=3", "theirs"}));
  EXPECT_EQ(abbreviations[4], "Tf, positions=none");
  EXPECT_EQ(CohortTitle(all[1], {all[1]}, false), "Mamba, signed");
}

// Settings that version 0.2 did not have are not listed where they mean what it did.
TEST(CohortTitle, SaysWhatIsLeftOutOfLists) {
  const std::vector<Cohort> all = {Made("mamba,init=paper", {}), Made("mamba", {}),
                                   Made("rnn,readout=eos", {}), Made("rnn", {})};
  std::vector<Cohort> listed = all;
  listed[1].settings["init"] = "reference";
  listed[2].settings["readout"] = "eos";
  std::vector<std::string> titles;
  for (const Cohort& one : listed) titles.push_back(CohortTitle(one, listed, false));
  EXPECT_EQ(titles, (std::vector<std::string>{"Mamba, paper", "Mamba, reference", "Simple RNN, eos",
                                              "Simple RNN, last"}));
}

TEST(ArchitectureTitle, IsKnownOfEveryArchitecture) {
  for (const Architecture& architecture : Architectures()) {
    EXPECT_TRUE(PlaceOfArchitecture(architecture.name)) << architecture.name;
  }
  EXPECT_EQ(ArchitectureTitle("deltanet"), "DeltaNet");
  EXPECT_EQ(ArchitectureTitle("transformer", true), "Tf");
  EXPECT_EQ(ArchitectureTitle("theirs", true), "theirs");
}

// With a label of its own beside it, a plain architecture needs no more than its name.
TEST(CohortTitle, LeavesAloneWhatALabelTellsApart) {
  const std::vector<Cohort> all = {
      Made("mamba", {{"eigenvalues", "positive"}}),
      Made("mamba,eigenvalues=signed", {{"eigenvalues", "signed"}}, "Mamba±")};
  EXPECT_EQ(CohortTitle(all[0], all, false), "Mamba");
  EXPECT_EQ(CohortTitle(all[1], all, false), "Mamba±");
}

}  // namespace
}  // namespace flare::report
