// The paper's claims on sweeps in which it is known what holds.

#include "flare/report/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "flare/report/paper_claims.h"
#include "flare/report/study.h"
#include "flare/report/tables.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

Claim Tested(double effect, double p, bool is_above = true) {
  return {.key = "",
          .statement = "",
          .quantity = "",
          .unit = "",
          .is_above = is_above,
          .evidence = {.n = 10, .effect = effect, .p = p}};
}

TEST(Judge, CorrectsForTheNumberOfTests) {
  // Alone, 0.03 would decide; of two, 0.03 and 0.04 do not.
  std::vector<Claim> one = {Tested(0.2, 0.03)};
  Judge(one);
  EXPECT_EQ(one[0].verdict, ClaimVerdict::kHolds);
  std::vector<Claim> two = {Tested(0.2, 0.03), Tested(0.2, 0.04)};
  Judge(two);
  EXPECT_EQ(two[0].adjusted_p, 0.06);
  EXPECT_EQ(two[0].verdict, ClaimVerdict::kCannotBeTold);
}

TEST(Judge, FollowsTheDirection) {
  std::vector<Claim> claims = {Tested(0.2, 0.001), Tested(-0.2, 0.001), Tested(-0.2, 0.001, false)};
  Judge(claims);
  EXPECT_EQ(claims[0].verdict, ClaimVerdict::kHolds);
  EXPECT_EQ(claims[1].verdict, ClaimVerdict::kDoesNotHold);
  EXPECT_EQ(claims[2].verdict, ClaimVerdict::kHolds);
}

TEST(Judge, OneExceptionRefutesAndNoneNeedsAllRuns) {
  const auto verdict = [](double exceptions, bool has_all_runs) {
    std::vector<Claim> claims = {{.key = "",
                                  .statement = "",
                                  .quantity = "",
                                  .unit = "",
                                  .is_none = true,
                                  .has_all_runs = has_all_runs,
                                  .evidence = {.n = 7, .effect = exceptions}}};
    Judge(claims);
    return claims[0].verdict;
  };
  EXPECT_EQ(verdict(0, false), ClaimVerdict::kCannotBeTold);
  EXPECT_EQ(verdict(0, true), ClaimVerdict::kHolds);
  EXPECT_EQ(verdict(1, false), ClaimVerdict::kDoesNotHold);
}

const std::vector<std::string>& PapersLanguages() {
  static const std::vector<std::string> names = {
      "even-pairs",      "repeat-01",       "parity",       "cycle-navigation",
      "dyck-2-3",        "first",           "majority",     "stack-manipulation",
      "marked-reversal", "binary-addition", "compute-sqrt", "bucket-sort"};
  return names;
}

// A sweep whose accuracies a function gives; below 0 it has not been run.
template <class Accuracy>
std::map<std::string, Claim> ClaimsOf(const std::vector<std::string>& losses, std::size_t trials,
                                      Accuracy accuracy) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out",
                 {.languages = PapersLanguages(), .losses = losses, .trials = trials});
  for (const std::string& language : PapersLanguages()) {
    for (const char* variant : {"rnn", "lstm", "transformer"}) {
      for (const std::string& loss : losses) {
        for (const char* validation : {"short", "long"}) {
          for (std::size_t trial = 1; trial <= trials; ++trial) {
            FakeRun run{language, variant, loss, validation, 64'000, trial};
            run.test = accuracy(run);
            if (run.test >= 0) fake.Add(run);
          }
        }
      }
    }
  }
  const Study study = ReadStudy({fake.directory()}, fake.names());
  const Selection selection(study);
  std::map<std::string, Claim> claims;
  for (const Claim& claim : PaperClaims(PaperRuns(selection))) claims[claim.key] = claim;
  return claims;
}

TEST(PaperClaims, HoldWhereTheyAreMadeTrue) {
  const auto claims = ClaimsOf({"rec"}, 1, [](const FakeRun& run) {
    return run.variant == "transformer" ? 0.5 : run.variant == "rnn" ? 0.75 : 0.625;
  });
  const Claim& rnn = claims.at("rnn-over-transformer-bias");
  EXPECT_EQ(rnn.evidence.n, 12u);
  EXPECT_EQ(rnn.evidence.effect, 1);
  EXPECT_DOUBLE_EQ(*rnn.evidence.p, 2.0 / 4096);  // all of twelve signs
  EXPECT_EQ(rnn.verdict, ClaimVerdict::kHolds);
  EXPECT_EQ(claims.at("lstm-over-transformer-expressivity").verdict, ClaimVerdict::kHolds);
  EXPECT_EQ(claims.at("same-ranking").evidence.effect, 1);
  EXPECT_EQ(claims.at("same-ranking").verdict, ClaimVerdict::kHolds);
  // One run against one says nothing, whatever they are.
  const Claim& bucket = claims.at("rnn-bucket-sort");
  EXPECT_EQ(bucket.evidence.n, 2u);
  EXPECT_EQ(bucket.evidence.effect, 0.125);
  EXPECT_EQ(bucket.evidence.p, 1);
  EXPECT_FALSE(bucket.evidence.interval);
  EXPECT_EQ(bucket.verdict, ClaimVerdict::kCannotBeTold);
  // With one loss there is nothing to say about losses.
  EXPECT_FALSE(claims.at("no-gain-rec+ns").evidence.effect);
  EXPECT_FALSE(claims.at("no-uniform-loss").evidence.effect);
}

TEST(PaperClaims, DoNotHoldWhereTheOppositeIsTrue) {
  const auto claims = ClaimsOf(
      {"rec"}, 1, [](const FakeRun& run) { return run.variant == "transformer" ? 1.0 : 0.5; });
  EXPECT_EQ(claims.at("rnn-over-transformer-bias").evidence.effect, -1);
  EXPECT_EQ(claims.at("rnn-over-transformer-bias").verdict, ClaimVerdict::kDoesNotHold);
  // Five of these languages are neither regular nor majority, with a perfect transformer each.
  const Claim& perfect = claims.at("perfect-only-if-regular");
  EXPECT_EQ(perfect.evidence.effect, 5);
  EXPECT_EQ(perfect.evidence.n, 15u);
  EXPECT_EQ(perfect.verdict, ClaimVerdict::kDoesNotHold);
}

TEST(PaperClaims, AuxiliaryLossesAreComparedWithRecognitionAlone) {
  const auto claims = ClaimsOf({"rec", "rec+lm", "rec+ns", "rec+lm+ns"}, 2, [](const FakeRun& run) {
    const double gain = run.loss == "rec+lm" ? -0.125 : run.loss == "rec+ns" ? 0.25 : 0;
    return 0.5 + gain + (run.trial == 1 ? 0.0625 : 0);
  });
  EXPECT_EQ(claims.at("no-gain-rec+lm").evidence.effect, -0.125);
  EXPECT_EQ(claims.at("no-gain-rec+lm").verdict, ClaimVerdict::kHolds);
  EXPECT_EQ(claims.at("no-gain-rec+ns").evidence.effect, 0.25);
  EXPECT_EQ(claims.at("no-gain-rec+ns").verdict, ClaimVerdict::kDoesNotHold);
  EXPECT_EQ(claims.at("no-gain-rec+lm+ns").evidence.effect, 0);
  // Next symbols win everywhere.
  EXPECT_EQ(claims.at("no-uniform-loss").evidence.effect, 1);
  EXPECT_EQ(claims.at("no-uniform-loss").verdict, ClaimVerdict::kDoesNotHold);
  EXPECT_EQ(claims.at("recognition-wins").verdict, ClaimVerdict::kDoesNotHold);
}

TEST(PaperClaims, RunsAreComparedWithinLanguageAndLoss) {
  const auto claims = ClaimsOf({"rec"}, 6, [](const FakeRun& run) {
    // The LSTM is better on majority; how good both are changes with the trial.
    const double level = run.language == "majority" && run.variant == "lstm" ? 0.75 : 0.25;
    return level + static_cast<double>(run.trial) / 64;
  });
  const Claim& majority = claims.at("lstm-majority");
  EXPECT_EQ(majority.evidence.n, 12u);
  EXPECT_DOUBLE_EQ(*majority.evidence.effect, 0.5);
  EXPECT_DOUBLE_EQ(*majority.evidence.p, 2.0 / 924);  // of the 924 ways to choose six of twelve
  EXPECT_EQ(majority.evidence.interval->n, 12u);
  EXPECT_EQ(majority.verdict, ClaimVerdict::kHolds);
  EXPECT_EQ(claims.at("rnn-bucket-sort").verdict, ClaimVerdict::kCannotBeTold);
}

// The best of two losses, with one trial each, is higher than one alone, without being better.
TEST(PaperClaims, WhatWasChosenFromMoreRunsIsNotCompared) {
  const auto claims_without = [](const char* missing) {
    return ClaimsOf({"rec", "rec+ns"}, 1, [&](const FakeRun& run) {
      if (run.variant == "rnn" && run.loss == "rec+ns" && run.validation == missing) return -1.0;
      return run.loss == "rec" ? 0.5 : 0.75;
    });
  };
  const auto all = claims_without("none");
  EXPECT_EQ(all.at("rnn-over-transformer-bias").evidence.n, 12u);
  EXPECT_EQ(all.at("rnn-over-transformer-expressivity").evidence.n, 12u);
  const auto bias = claims_without("short"), expressivity = claims_without("long");
  EXPECT_EQ(bias.at("rnn-over-transformer-bias").evidence.n, 0u);
  EXPECT_EQ(bias.at("rnn-over-transformer-expressivity").evidence.n, 12u);
  EXPECT_EQ(bias.at("lstm-over-transformer-bias").evidence.n, 12u);
  EXPECT_EQ(expressivity.at("rnn-over-transformer-bias").evidence.n, 12u);
  EXPECT_EQ(expressivity.at("rnn-over-transformer-expressivity").evidence.n, 0u);
  EXPECT_EQ(bias.at("same-ranking").evidence.n, 0u);
  EXPECT_EQ(expressivity.at("same-ranking").evidence.n, 0u);
}

// A run that diverged before its first checkpoint is a run, without a score: the grid is complete.
TEST(PaperClaims, ARunWithoutAScoreHasBeenMade) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.languages = {"parity"}, .losses = {"rec"}});
  for (const char* variant : {"rnn", "lstm", "transformer"}) {
    for (const char* validation : {"short", "long"}) {
      for (std::size_t trial : {1, 2}) {
        FakeRun run{"parity", variant, "rec", validation, 64'000, trial};
        run.diverged = run.variant == "transformer" && trial == 2;
        run.has_metrics = !run.diverged;
        fake.Add(run);
      }
    }
  }
  const auto languages_of = [&](const std::string& key) {
    const Study study = ReadStudy({fake.directory()}, fake.names());
    const Selection selection(study);
    for (const Claim& claim : PaperClaims(PaperRuns(selection))) {
      if (claim.key == key) return claim.evidence.n;
    }
    return std::size_t{99};
  };
  EXPECT_EQ(languages_of("rnn-over-transformer-bias"), 1u);
  EXPECT_EQ(languages_of("rnn-over-transformer-expressivity"), 1u);
  // Without any score there is nothing to compare.
  FakeRun run{"parity", "transformer", "rec", "short", 64'000, 1};
  run.diverged = true;
  run.has_metrics = false;
  fake.Add(run);
  EXPECT_EQ(languages_of("rnn-over-transformer-bias"), 0u);
}

// Among two losses, one is the best in half of the cells at least; and a loss that was not tried
// has not lost.
TEST(PaperClaims, AboutLossesNeedAllOfThem) {
  for (const char* first : {"rec", "rec+lm"}) {
    const auto claims = ClaimsOf({first, "rec+ns"}, 1, [](const FakeRun&) { return 0.5; });
    for (const char* key : {"no-uniform-loss", "recognition-wins"}) {
      EXPECT_EQ(claims.at(key).evidence.n, 0u) << first << " " << key;
      EXPECT_FALSE(claims.at(key).evidence.p) << first << " " << key;
    }
  }
}

// What is said of three languages is not said of two of them.
TEST(PaperClaims, AboutCertainLanguagesNeedAllOfThem) {
  const auto runs_without = [](const char* missing) {
    const auto claims = ClaimsOf(
        {"rec"}, 1, [&](const FakeRun& run) { return run.language == missing ? -1.0 : 0.5; });
    return claims.at("transformer-over-rnn").evidence.n;
  };
  EXPECT_EQ(runs_without("parity"), 6u);
  EXPECT_EQ(runs_without("first"), 0u);
}

// That no run is perfect is said of all languages and architectures: 40 of each, not 120 of one.
TEST(PaperClaims, ThatThereIsNoneNeedsRunsOfEverything) {
  const TemporaryDirectory directory;
  FakeSweep fake(
      directory.path() / "out",
      {.languages = {"marked-copy"}, .losses = {"rec"}, .validations = {"long"}, .trials = 40});
  for (const char* variant : {"rnn", "lstm", "transformer"}) {
    for (std::size_t trial = 1; trial <= 40; ++trial) {
      fake.Add({"marked-copy", variant, "rec", "long", 64'000, trial});
    }
  }
  const Study study = ReadStudy({fake.directory()}, fake.names());
  const Selection selection(study);
  for (const Claim& claim : PaperClaims(PaperRuns(selection))) {
    if (claim.key != "perfect-only-if-regular") continue;
    EXPECT_EQ(claim.evidence.n, 120u);
    EXPECT_EQ(claim.evidence.effect, 0);
    EXPECT_EQ(claim.verdict, ClaimVerdict::kCannotBeTold);
  }
}

// 0.1 + 0.2 is not 0.3 here, nor are the means of these accuracies the same to the last bit.
TEST(PaperClaims, EqualScoresAreEqualWhateverTheirLastBit) {
  const auto claims = ClaimsOf({"rec"}, 3, [](const FakeRun& run) {
    if (run.variant == "rnn") return run.trial == 1 ? 0.1 : run.trial == 2 ? 0.2 : 0.6;
    return 0.3;
  });
  EXPECT_EQ(claims.at("rnn-over-transformer-bias").evidence.effect, 0);
}

// Fake sweeps have no baselines: what the format gives is not known, and no run can be above it.
TEST(PaperClaims, WhatIsNotKnownIsNoExceptionAndNoRun) {
  const auto claims = ClaimsOf({"rec"}, 1, [](const FakeRun&) { return 1.0; });
  EXPECT_EQ(claims.at("format-ceilings").evidence.n, 0u);
  EXPECT_FALSE(claims.at("format-ceilings").evidence.effect);
  EXPECT_GT(claims.at("perfect-only-if-regular").evidence.n, 0u);
}

// The paper's four losses, of which winner(i) is the best in the i-th language.
template <class Winner>
std::map<std::string, Claim> ClaimsWithWinners(Winner winner) {
  return ClaimsOf({"rec", "rec+lm", "rec+ns", "rec+lm+ns"}, 1, [&](const FakeRun& run) {
    const auto& all = PapersLanguages();
    const auto at = std::find(all.begin(), all.end(), run.language) - all.begin();
    return run.loss == winner(at) ? 0.75 : 0.5;
  });
}

// Of four losses that win by chance, one wins most.
TEST(PaperClaims, AWinnerPaysForHavingBeenChosen) {
  const auto claims = ClaimsWithWinners([](long i) {
    return i < 10 ? "rec" : i == 10 ? "rec+lm" : "rec+ns";
  });
  const Claim& claim = claims.at("no-uniform-loss");
  EXPECT_DOUBLE_EQ(*claim.evidence.effect, 10.0 / 12);
  // Ten values are 1/4 above the bound, two are 3/4 below it: together 1. Of the 4,096 signs, with
  // a of the ten and b of the two reversed, the sum is 1 − a/2 + 3b/2, so as much or more has a ≤
  // 3b: 1 + 2 · 176 + 848 outcomes. As little or less has a ≥ 3b: 1024 + 2 · 968 + 386.
  EXPECT_DOUBLE_EQ(*claim.evidence.p, 1);
  EXPECT_DOUBLE_EQ(*claim.evidence.least_p, 2.0 / 4096);
  EXPECT_GE(claim.evidence.interval->low, 0.25);
  const auto always = ClaimsWithWinners([](long) { return "rec+ns"; });
  EXPECT_DOUBLE_EQ(*always.at("no-uniform-loss").evidence.p, 4 * 2.0 / 4096);
  EXPECT_EQ(always.at("no-uniform-loss").verdict, ClaimVerdict::kDoesNotHold);
}

// Recognition alone is the best in five of twelve languages, next symbols in six: more than a
// quarter, and yet not the most frequent.
TEST(PaperClaims, TheMostFrequentLossIsAheadOfEveryOther) {
  const auto claims = ClaimsWithWinners([](long i) {
    return i < 5 ? "rec" : i < 11 ? "rec+ns" : "rec+lm";
  });
  const Claim& second = claims.at("recognition-wins");
  EXPECT_DOUBLE_EQ(*second.evidence.effect, -1.0 / 12);
  EXPECT_EQ(second.verdict, ClaimVerdict::kCannotBeTold);
  EXPECT_EQ(claims.at("no-uniform-loss").evidence.effect, 0.5);

  const auto all = ClaimsWithWinners([](long) { return "rec"; });
  EXPECT_EQ(all.at("recognition-wins").evidence.effect, 1);
  EXPECT_DOUBLE_EQ(*all.at("recognition-wins").evidence.p, 2.0 / 4096);
  EXPECT_EQ(all.at("recognition-wins").verdict, ClaimVerdict::kHolds);
  const auto none = ClaimsWithWinners([](long) { return "rec+lm"; });
  EXPECT_DOUBLE_EQ(*none.at("recognition-wins").evidence.p, 3 * 2.0 / 4096);
  EXPECT_EQ(none.at("recognition-wins").verdict, ClaimVerdict::kDoesNotHold);
}

// That every effect is above 0 takes every test: the smallest effect need not have the largest p.
TEST(OfWorst, NeedsEveryTest) {
  const std::vector<double> small(6, 0.25);                           // p is 2 of 64
  const std::vector<double> uneven = {4, -0.5, -0.5, -0.5, -0.5, 1};  // larger, and unsure
  const Evidence both = OfWorst({small, uneven}, 0, true, "test");
  EXPECT_EQ(both.effect, 0.25);
  EXPECT_EQ(both.p, OfMean(uneven, 0, "test").p);
  EXPECT_GT(*both.p, 0.05);
  EXPECT_EQ(OfWorst({small}, 0, true, "test").p, 2.0 / 64);
  // Chosen as the lowest of two.
  const Evidence low = OfWorst({uneven, std::vector<double>(6, -0.25)}, 0, true, "test");
  EXPECT_EQ(low.effect, -0.25);
  EXPECT_EQ(low.p, 2 * 2.0 / 64);
}

// Four runs against four: 70 ways to deal them out, so that no p is below 2/70; of twelve
// languages, 2/4096.
TEST(ClaimsTable, SaysWhatSoFewRunsCouldShowAtMost) {
  const auto claims = ClaimsOf({"rec"}, 4, [](const FakeRun& run) {
    return run.variant == "rnn" ? 0.5 : 0.25 + static_cast<double>(run.trial) / 64;
  });
  EXPECT_DOUBLE_EQ(*claims.at("rnn-bucket-sort").evidence.least_p, 2.0 / 70);
  EXPECT_DOUBLE_EQ(*claims.at("rnn-over-transformer-bias").evidence.least_p, 2.0 / 4096);
  EXPECT_EQ(claims.at("rnn-bucket-sort").evidence.p, claims.at("rnn-bucket-sort").evidence.least_p);
}

TEST(PaperClaims, AreNotMadeOfOtherGrids) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out",
                 {.losses = {"rec"}, .trials = 1, .settings = {{"max_epochs", "1"}}});
  fake.Add({});
  const Study study = ReadStudy({fake.directory()}, fake.names());
  const Selection selection(study);
  for (const Claim& claim : PaperClaims(PaperRuns(selection))) {
    EXPECT_EQ(claim.evidence.n, 0u) << claim.key;
    EXPECT_EQ(claim.verdict, ClaimVerdict::kCannotBeTold) << claim.key;
  }
}

}  // namespace
}  // namespace flare::report
