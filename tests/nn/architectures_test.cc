#include "flare/nn/architectures.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "flare/base/error.h"
#include "flare/nn/model.h"

namespace flare {
namespace {

Architecture WithOptions() {
  return {.name = "example",
          .make = nullptr,
          .size_step = AnySize,
          .reads_bos = true,
          .arithmetic = "0.2",
          .options = {{.name = "eigenvalues",
                       .values = {"positive", "signed"},
                       .default_value = "positive",
                       .help = "the range of the decays"},
                      {.name = "state",
                       .values = {},
                       .least = 1,
                       .most = 64,
                       .default_value = "16",
                       .help = "the size of the state"}}};
}

std::string Refusal(const Architecture& architecture, const OptionTexts& given,
                    const std::string& where) {
  try {
    CompleteOptions(architecture, given, where);
  } catch (const InputError& error) {
    return error.hint().empty() ? error.what() : fmt::format("{} ({})", error.what(), error.hint());
  }
  return "accepted";
}

TEST(Options, AreWhatIsGivenOrTheirDefaults) {
  EXPECT_EQ(CompleteOptions(WithOptions(), {}, ""),
            (OptionTexts{{"eigenvalues", "positive"}, {"state", "16"}}));
  EXPECT_EQ(CompleteOptions(WithOptions(), {{"state", "08"}}, ""),
            (OptionTexts{{"eigenvalues", "positive"}, {"state", "8"}}));
}

TEST(Options, AreThoseOfTheArchitecture) {
  EXPECT_EQ(Refusal(WithOptions(), {{"states", "8"}}, "grid.toml"),
            "grid.toml: 'states' is not an option of example (did you mean state?)");
  EXPECT_EQ(Refusal(WithOptions(), {{"state", "65"}}, "grid.toml"),
            "grid.toml: state: '65' is not a whole number from 1 to 64");
  EXPECT_EQ(Refusal(WithOptions(), {{"eigenvalues", "unsigned"}}, ""),
            "eigenvalues: 'unsigned' is not one of positive, signed (did you mean signed?)");
  EXPECT_EQ(Refusal(*FindArchitecture("rnn"), {{"state", "8"}}, ""),
            "'state' is not an option of rnn");
  EXPECT_THROW(
      Model({.architecture = "rnn", .vocabulary = 2, .hidden = 8, .options = {{"x", "1"}}}),
      InputError);
}

}  // namespace
}  // namespace flare
