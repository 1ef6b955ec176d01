#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flare/runs/coordinates.h"
#include "support/refusal.h"

namespace flare {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Variant Make(const std::string& architecture, const SettingTexts& settings) {
  return MakeVariant(architecture, settings, "grid.toml:3");
}

std::string Refusal(const std::string& architecture, const SettingTexts& settings) {
  return RefusalOf([&] { Make(architecture, settings); });
}

TEST(Variant, ArchitectureAloneIsItsName) {
  EXPECT_EQ(Make("lstm", {}).Text(), "lstm");
  EXPECT_EQ(ArchitectureOf("lstm"), "lstm");
  EXPECT_EQ(ArchitectureOf("lstm,layers=2"), "lstm");
}

TEST(Variant, IsWrittenInOneWay) {
  EXPECT_EQ(Make("lstm", {{"layers", "2"}, {"dropout", "0.50"}, {"adam_beta1", ".8"}}).Text(),
            "lstm,adam_beta1=0.8,dropout=0.5,layers=2");
  EXPECT_EQ(Make("rnn", {{"learning_rate", "0.00001"}}).Text(), "rnn,learning_rate=1e-05");
  EXPECT_EQ(Make("rnn", {{"learning_rate", "1e-5"}}).Text(), "rnn,learning_rate=1e-05");
  EXPECT_EQ(Make("transformer", {{"positions", "none"}}).Text(), "transformer,positions=none");
}

TEST(Variant, LeavesOutWhatIsUsual) {
  EXPECT_EQ(Make("lstm", {{"layers", "5"}, {"dropout", "0.10"}, {"target", "avx2"}}).Text(),
            "lstm");
  EXPECT_EQ(Make("transformer", {{"positions", "sinusoidal"}}).Text(), "transformer");
  // Nothing is usual for what is drawn otherwise, or follows from the budget.
  EXPECT_EQ(Make("rnn", {{"learning_rate", "0"}, {"lm_coefficient", "0"}}).Text(),
            "rnn,learning_rate=0,lm_coefficient=0");
  EXPECT_EQ(Make("rnn", {{"hidden", "79"}}).Text(), "rnn,hidden=79");
}

TEST(Variant, HasALabelForPeopleOnly) {
  Variant variant = Make("lstm", {{"layers", "2"}});
  variant.label = "Shallow";
  EXPECT_EQ(variant.Text(), "lstm,layers=2");
}

TEST(Variant, RefusesCoordinatesOfTheGrid) {
  for (const std::string key : {"architecture", "loss", "validation", "budget", "seed"}) {
    EXPECT_EQ(Refusal("lstm", {{key, "1"}}),
              "grid.toml:3: " + key + ": a coordinate of the grid, not a setting");
  }
}

TEST(Variant, RefusesWhatTheArchitectureDoesNotHave) {
  EXPECT_EQ(Refusal("lstm", {{"positions", "none"}}),
            "grid.toml:3: positions: the lstm has no such option; it is an option of transformer");
  EXPECT_EQ(Refusal("lstm", {{"layer", "2"}}),
            "grid.toml:3: unknown setting 'layer'; did you mean layers?");
  EXPECT_THAT(Refusal("rnm", {}), AllOf(StartsWith("grid.toml:3: architecture: 'rnm' is not one"),
                                        EndsWith("did you mean rnn?")));
}

TEST(Variant, IsShortEnoughForADirectory) {
  const std::vector<External> externals = {{"mine", {"./mine"}, {"pad"}}};
  const std::string longest(200 - std::string("mine,pad=").size(), 'a');
  EXPECT_EQ(MakeVariant("mine", {{"pad", longest}}, "", externals).Text().size(), 200u);
  EXPECT_THAT(RefusalOf([&] {
                MakeVariant("mine", {{"pad", longest + "a"}}, "", externals);
              }),
              HasSubstr("has more than 200 bytes, too many for a directory's name"));
}

TEST(Variant, IsReadFromItsText) {
  const Variant variant = ParseVariant("transformer,dropout=0.5,positions=none", "sweep.json");
  EXPECT_EQ(variant.architecture, "transformer");
  EXPECT_EQ(variant.settings, (SettingTexts{{"dropout", "0.5"}, {"positions", "none"}}));
  const auto refusal = [](const std::string& text) {
    return RefusalOf([&] { ParseVariant(text, "sweep.json"); });
  };
  EXPECT_EQ(refusal("lstm,layers"),
            "sweep.json: 'lstm,layers' is not a variant: expected ARCHITECTURE,KEY=VALUE,...");
  EXPECT_EQ(refusal("lstm,layers=5"),
            "sweep.json: 'lstm,layers=5' is not how this variant is written: lstm");
  for (const char* text : {"", ",", "lstm,", "lstm,layers=2,dropout=0.5", "lstm,layers=2,layers=2",
                           "lstm,layers=02", "../lstm", "lstm,budget=1"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

}  // namespace
}  // namespace flare
