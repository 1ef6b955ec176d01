#include "flare/theory/predictions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "flare/automata/regex.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

using classes::Classify;
using classes::ReadOut;
using theory::Direction;
using theory::Prediction;
using theory::Verdict;

std::vector<Prediction> PredictFor(const std::string& language, ReadOut read_out = ReadOut::kLast) {
  return theory::Predict(Classify(*ResolveLanguage(language).language->dfa()), {}, read_out);
}

// The verdict of the one statement about this architecture whose model begins so.
Verdict VerdictOf(const std::vector<Prediction>& predictions, const std::string& architecture,
                  const std::string& model) {
  const auto is_meant = [&](const Prediction& p) {
    return p.architecture == architecture && p.model.starts_with(model);
  };
  EXPECT_EQ(std::count_if(predictions.begin(), predictions.end(), is_meant), 1)
      << architecture << ": " << model;
  return std::find_if(predictions.begin(), predictions.end(), is_meant)->verdict;
}

// A language on each side of every line, of all theorems in the table.
TEST(Predictions, FollowTheClasses) {
  std::vector<std::pair<std::string, std::string>> tested;  // architecture and model
  struct Case {
    const char *architecture, *model, *inside, *outside;
    Verdict yes, no;
    ReadOut read_out = ReadOut::kLast;
  };
  for (const Case& c :
       std::vector<Case>{{"transformer", "unique hard attention, strict future masking, no",
                          "dyck-2-3", "parity", Verdict::kRecognized, Verdict::kExcluded},
                         {"transformer", "unique hard attention, future masking that", "dyck-2-3",
                          "parity", Verdict::kNoVerdict, Verdict::kExcluded},
                         {"transformer", "soft attention in fixed", "first", "last",
                          Verdict::kRecognized, Verdict::kExcluded, ReadOut::kEos},
                         {"transformer", "soft attention in fixed", "first", "last",
                          Verdict::kOtherReadOut, Verdict::kOtherReadOut, ReadOut::kLast},
                         {"transformer", "soft attention that rounds", "dyck-2-3", "flip-flop",
                          Verdict::kRecognized, Verdict::kExcluded},
                         {"transformer", "soft attention that rounds", "dyck-2-3", "last",
                          Verdict::kRecognized, Verdict::kExcluded, ReadOut::kEos},
                         {"transformer", "soft attention that rounds", "last", "parity",
                          Verdict::kRecognized, Verdict::kExcluded, ReadOut::kLast},
                         {"transformer", "soft attention in unbounded", "last", "parity",
                          Verdict::kRecognized, Verdict::kNoVerdict},
                         {"transformer", "unique hard attention, strict future masking, sin",
                          "even-length", "parity", Verdict::kRecognized, Verdict::kExcluded},
                         {"transformer", "unique hard attention, any", "even-length", "parity",
                          Verdict::kNoVerdict, Verdict::kExcluded},
                         {"transformer", "soft attention in precision", "parity", "s5-binary",
                          Verdict::kNoVerdict, Verdict::kExcludedUnless},
                         {"transformer", "soft attention in constant", "even-length", "parity",
                          Verdict::kNoVerdict, Verdict::kExcluded},
                         {"mamba", "state-space model with non-neg", "flip-flop", "parity",
                          Verdict::kRecognized, Verdict::kExcluded},
                         {"mamba", "diagonal state-space model with gates", "flip-flop", "parity",
                          Verdict::kRecognized, Verdict::kNoVerdict},
                         {"mamba", "diagonal state-space model with floating", "mod-3", "parity",
                          Verdict::kNoVerdict, Verdict::kExcluded},
                         {"mamba", "diagonal linear recurrence", "parity", "mod-3",
                          Verdict::kNoVerdict, Verdict::kExcluded},
                         {"mamba", "diagonal linear recurrence", "mod-4", "mod-6",
                          Verdict::kNoVerdict, Verdict::kExcluded},
                         {"mamba", "S4 or Mamba", "parity", "s5-binary", Verdict::kNoVerdict,
                          Verdict::kExcludedUnless},
                         {"deltanet", "linear recurrence in finite precision whose matrices have",
                          "dyck-2-3", "parity", Verdict::kNoVerdict, Verdict::kExcluded},
                         {"mlstm", "linear recurrence", "dyck-2-3", "parity", Verdict::kNoVerdict,
                          Verdict::kExcluded},
                         {"gla", "linear recurrence", "dyck-2-3", "parity", Verdict::kNoVerdict,
                          Verdict::kExcluded},
                         {"mamba2", "linear recurrence", "dyck-2-3", "parity", Verdict::kNoVerdict,
                          Verdict::kExcluded},
                         {"mamba2", "diagonal linear recurrence with real", "parity", "mod-3",
                          Verdict::kNoVerdict, Verdict::kExcluded},
                         // No symbol alone takes states in a circle, but ab does.
                         {"mlstm", "diagonal linear recurrence with non", "dyck-2-3",
                          "regex:(abab)*", Verdict::kNoVerdict, Verdict::kExcluded},
                         {"gla", "diagonal linear recurrence with non", "dyck-2-3", "regex:(abab)*",
                          Verdict::kNoVerdict, Verdict::kExcluded},
                         {"mamba2", "diagonal linear recurrence with non", "dyck-2-3",
                          "regex:(abab)*", Verdict::kNoVerdict, Verdict::kExcluded},
                         {"mlstm", "linear recurrence", "dyck-2-3", "regex:(abab)*",
                          Verdict::kNoVerdict, Verdict::kNoVerdict},
                         {"mlstm", "diagonal linear recurrence in", "parity", "s5-binary",
                          Verdict::kNoVerdict, Verdict::kExcludedUnless},
                         {"gla", "diagonal linear recurrence in", "parity", "s5-binary",
                          Verdict::kNoVerdict, Verdict::kExcludedUnless},
                         {"mamba2", "diagonal linear recurrence in", "parity", "s5-binary",
                          Verdict::kNoVerdict, Verdict::kExcludedUnless}}) {
    EXPECT_EQ(VerdictOf(PredictFor(c.inside, c.read_out), c.architecture, c.model), c.yes)
        << c.model << ": " << c.inside;
    EXPECT_EQ(VerdictOf(PredictFor(c.outside, c.read_out), c.architecture, c.model), c.no)
        << c.model << ": " << c.outside;
    tested.emplace_back(c.architecture, c.model);
  }
  // The verdicts of theorems that name a class of all regular languages, or none.
  const auto hard = PredictFor("s5-binary");
  for (const auto& [architecture, model, verdict] :
       {std::tuple("deltanet", "linear recurrence in finite precision whose matrices are",
                   Verdict::kRecognized),
        std::tuple("deltanet", "linear recurrence whose", Verdict::kNoVerdict),
        std::tuple("rwkv7", "linear recurrence whose matrices are diagonal minus",
                   Verdict::kRecognized),
        std::tuple("rwkv7", "linear recurrence whose matrices are diagonal plus",
                   Verdict::kNoVerdict),
        std::tuple("rnn", "simple RNN in finite", Verdict::kNoVerdict),
        std::tuple("rnn", "simple RNN with saturated", Verdict::kRecognized),
        std::tuple("lstm", "LSTM in finite", Verdict::kNoVerdict),
        std::tuple("lstm", "LSTM with saturated", Verdict::kRecognized),
        std::tuple("gru", "GRU in finite", Verdict::kRecognized),
        std::tuple("gru", "GRU with saturated", Verdict::kRecognized)}) {
    EXPECT_EQ(VerdictOf(hard, architecture, model), verdict) << model;
    tested.emplace_back(architecture, model);
  }
  for (const Prediction& p : hard) {
    EXPECT_TRUE(std::any_of(tested.begin(), tested.end(),
                            [&](const auto& one) {
                              return one.first == p.architecture && p.model.starts_with(one.second);
                            }))
        << p.architecture << ": " << p.model;
  }
}

TEST(Predictions, AreUnknownWhereTheClassIs) {
  // Not star-free, as a letter shows; what groups there are, only the monoid could say.
  const auto classes = Classify(CompileRegex("((a|b){3}(ab*a|b))*"), {.max_elements = 2});
  const auto predictions = theory::Predict(classes, {});
  EXPECT_EQ(VerdictOf(predictions, "mamba", "state-space model with non-neg"), Verdict::kExcluded);
  EXPECT_EQ(VerdictOf(predictions, "transformer", "unique hard attention, any"), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(predictions, "transformer", "soft attention in precision"),
            Verdict::kUnknown);
}

TEST(Predictions, StateWhatTheyAssume) {
  for (const Prediction& p : PredictFor("parity")) {
    for (const std::string* text :
         {&p.model, &p.masking, &p.positions, &p.precision, &p.depth, &p.theorem, &p.source}) {
      EXPECT_FALSE(text->empty()) << p.architecture << ": " << p.model;
    }
    // A bound from above never promises and constructs nothing, one from below never excludes.
    EXPECT_EQ(p.construction.empty(), p.direction == Direction::kUpper) << p.model;
    if (p.direction == Direction::kUpper) EXPECT_NE(p.verdict, Verdict::kRecognized) << p.model;
    if (p.direction == Direction::kLower) EXPECT_NE(p.verdict, Verdict::kExcluded) << p.model;
  }
}

TEST(Predictions, AreMeantForCertainOptions) {
  const Prediction bare{.architecture = "transformer", .options = {{"positions", "none"}}};
  EXPECT_TRUE(theory::AppliesTo(bare, "transformer", {{"positions", "none"}, {"layers", "2"}}));
  EXPECT_FALSE(theory::AppliesTo(bare, "transformer", {}));
  EXPECT_FALSE(theory::AppliesTo(bare, "transformer", {{"positions", "sinusoidal"}}));
  EXPECT_FALSE(theory::AppliesTo(bare, "lstm", {{"positions", "none"}}));
  const Prediction any{.architecture = "transformer"};
  EXPECT_TRUE(theory::AppliesTo(any, "transformer", {{"positions", "none"}}));
}

// A transformer without positions learns Σ*1, which it may: it reads the last symbol.
TEST(Predictions, OtherReadOutsExcludeNothing) {
  const std::map<std::string, std::string> strict{{"positions", "none"}, {"mask", "strict"}};
  EXPECT_EQ(theory::StrongestVerdict(PredictFor("last"), "transformer", strict),
            Verdict::kRecognized);
  EXPECT_EQ(theory::StrongestVerdict(PredictFor("last", ReadOut::kEos), "transformer", strict),
            Verdict::kExcluded);
  EXPECT_EQ(theory::StrongestVerdict(PredictFor("parity"), "stack-rnn", {}), Verdict::kNoTheorem);
  const Prediction elsewhere{.architecture = "abacus", .verdict = Verdict::kOtherReadOut};
  EXPECT_EQ(theory::StrongestVerdict(std::vector{elsewhere}, "abacus", {}), Verdict::kNoTheorem);
}

TEST(Predictions, ANetworkThatReadsPaddingReadsAfterTheString) {
  EXPECT_EQ(theory::ReadOutOf("last"), ReadOut::kLast);
  EXPECT_EQ(theory::ReadOutOf("eos"), ReadOut::kEos);
  EXPECT_EQ(theory::ReadOutOf("last", {{"padding", "0"}, {"loops", "2"}}), ReadOut::kLast);
  EXPECT_EQ(theory::ReadOutOf("last", {{"padding", "4"}}), ReadOut::kEos);
}

TEST(Predictions, NameEveryArchitectureInJson) {
  const std::vector<std::string> architectures{"transformer", "abacus"};
  const Json json =
      theory::PredictionsToJson(theory::Predict(Classify(CompileRegex("(01)*")), architectures));
  EXPECT_EQ(json.back()["architecture"], "abacus");
  EXPECT_EQ(json.back()["verdict"], "no_theorem");
  const std::set<std::string> directions{"exact", "upper", "lower"}, readouts{"either", "eos"};
  for (std::size_t i = 0; i + 1 < json.size(); ++i) {
    EXPECT_TRUE(directions.contains(json[i]["direction"])) << json[i];
    EXPECT_TRUE(readouts.contains(json[i]["readout"])) << json[i];
  }
}

}  // namespace
}  // namespace flare
