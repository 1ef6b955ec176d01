#include "flare/theory/predictions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "flare/automata/regex.h"

namespace flare {
namespace {

using algebra::Classification;
using algebra::Classify;

TEST(Predictions, FollowTheClasses) {
  const auto verdicts = [](const char* pattern) {
    std::set<std::string> all;
    const Classification c = Classify(CompileRegex(pattern));
    for (const auto& p : algebra::Predict(c, {})) {
      all.insert(p.architecture + ": " + p.model.substr(0, 21) + ": " +
                 std::string(algebra::VerdictName(p.verdict)));
    }
    return all;
  };
  const auto parity = verdicts("(0|10*1)*");
  EXPECT_TRUE(parity.contains("transformer: unique hard attention: excluded"));
  EXPECT_TRUE(parity.contains("deltanet: linear recurrence in : excluded"));
  EXPECT_TRUE(parity.contains("mamba: state-space model wit: excluded"));
  EXPECT_TRUE(parity.contains("rnn: simple RNN with satur: recognized"));
  const auto dyck = verdicts("(a(ab)*b)*");
  EXPECT_TRUE(dyck.contains("transformer: soft attention in fix: excluded"));
  EXPECT_TRUE(dyck.contains("mamba: state-space model wit: recognized"));
  const auto hard = verdicts("((a|b){3}(ab*a|b))*");
  EXPECT_TRUE(hard.contains("mamba: S4 or Mamba in precis: excluded_unless_tc0_is_nc1"));
}

TEST(Predictions, AreMeantForCertainOptions) {
  const algebra::Prediction bare{"transformer", {{"positions", "none"}}, "", {}, "", ""};
  EXPECT_TRUE(algebra::AppliesTo(bare, "transformer", {{"positions", "none"}, {"layers", "2"}}));
  EXPECT_FALSE(algebra::AppliesTo(bare, "transformer", {}));
  EXPECT_FALSE(algebra::AppliesTo(bare, "transformer", {{"positions", "sinusoidal"}}));
  EXPECT_FALSE(algebra::AppliesTo(bare, "lstm", {{"positions", "none"}}));
  const algebra::Prediction any{"transformer", {}, "", {}, "", ""};
  EXPECT_TRUE(algebra::AppliesTo(any, "transformer", {{"positions", "none"}}));
}

TEST(Predictions, NameEveryArchitectureInJson) {
  const std::vector<std::string> architectures{"transformer", "abacus"};
  const Json json =
      algebra::PredictionsToJson(algebra::Predict(Classify(CompileRegex("(01)*")), architectures));
  EXPECT_EQ(json.back()["architecture"], "abacus");
  EXPECT_EQ(json.back()["verdict"], "no_theorem");
}

}  // namespace
}  // namespace flare
