#include "flare/report/paper_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/languages/catalog.h"
#include "flare/report/judgement.h"
#include "flare/report/rank_correlation.h"

namespace flare::report {
namespace {

using Texts = std::vector<std::string>;

// What auxiliary losses must gain on average to be said to help.
constexpr double kUsefulGain = 0.02;
// By how much a network must beat the format alone to count as better.
constexpr double kOverFormat = 0.01;
// The share of cells from which on a loss would be consistently the best. In the paper's own Table
// 3, recognition alone is the best in 28 of 54, so that half cannot be meant.
constexpr double kConsistently = 0.75;
constexpr std::size_t kPaperLosses = 4;

std::string StreamOf(const std::string& key) { return "report/claims/" + key; }

Texts PapersArchitectures() { return {kPaperArchitectures.begin(), kPaperArchitectures.end()}; }

double Sign(double x) { return x > kRoundingError ? 1 : x < -kRoundingError ? -1 : 0; }

// ---- Over languages: each gives a value, or nothing if its runs are not there.

template <class ValueOf>
Evidence OverLanguages(const PaperRuns& runs, const std::string& key, double bound,
                       ValueOf value_of) {
  std::vector<double> values;
  for (const std::string& language : runs.languages()) {
    if (const std::optional<double> value = value_of(language)) values.push_back(*value);
  }
  return OfMean(values, bound, StreamOf(key));
}

using ScoreOf = std::optional<BestScore> (PaperRuns::*)(const std::string&,
                                                        const std::string&) const;

// The main table's two halves: a score, and the validation set of its runs.
struct MainScore {
  ScoreOf of;
  const char* validation;
};
constexpr MainScore kBias = {&PaperRuns::InductiveBias, "short"};
constexpr MainScore kExpressivity = {&PaperRuns::Expressivity, "long"};

// 1 where the first architecture has the higher score, −1 where the second has. What was chosen
// from different numbers of runs is not compared.
Claim OutperformsInMost(const PaperRuns& runs, const std::string& key, const std::string& statement,
                        const MainScore& score, const std::string& first,
                        const std::string& second) {
  Claim claim{.key = key,
              .statement = statement,
              .quantity = "share of languages where it is better − share where it is worse",
              .unit = "languages"};
  claim.evidence =
      OverLanguages(runs, key, 0, [&](const std::string& language) -> std::optional<double> {
        if (!runs.HaveEqualRuns(language, {first, second}, score.validation)) return std::nullopt;
        return Sign((runs.*score.of)(language, first)->value -
                    (runs.*score.of)(language, second)->value);
      });
  return claim;
}

Claim SameRanking(const PaperRuns& runs) {
  Claim claim{.key = "same-ranking",
              .statement =
                  "Inductive bias and expressivity rank the architectures alike: their rank "
                  "correlation is above 0.",
              .quantity = "mean rank correlation of the two",
              .unit = "languages"};
  claim.evidence =
      OverLanguages(runs, claim.key, 0, [&](const std::string& language) -> std::optional<double> {
        for (const char* validation : {"short", "long"}) {
          if (!runs.HaveEqualRuns(language, PapersArchitectures(), validation)) return std::nullopt;
        }
        std::vector<double> bias, power;
        for (const char* architecture : kPaperArchitectures) {
          bias.push_back(runs.InductiveBias(language, architecture)->value);
          power.push_back(runs.Expressivity(language, architecture)->value);
        }
        return RankCorrelation(bias, power);
      });
  return claim;
}

// The mean over what both of two kinds of runs have, of (mean of the first − mean of the second).
class PairedGain {
 public:
  void Add(const std::vector<double>& first, const std::vector<double>& second) {
    if (!first.empty() && !second.empty()) gains_.push_back(Mean(first) - Mean(second));
  }
  std::optional<double> Value() const {
    return gains_.empty() ? std::nullopt : std::optional(Mean(gains_));
  }

 private:
  std::vector<double> gains_;
};

Claim LongValidationHelps(const PaperRuns& runs) {
  Claim claim{.key = "long-validation",
              .statement = "With the long validation set, accuracy is higher than with the short.",
              .quantity = "mean accuracy, long − short, of the same architecture and loss",
              .unit = "languages"};
  claim.evidence = OverLanguages(runs, claim.key, 0, [&](const std::string& language) {
    PairedGain gain;
    for (const char* architecture : kPaperArchitectures) {
      for (const std::string& loss : runs.losses()) {
        gain.Add(runs.Accuracies(language, architecture, loss, "long"),
                 runs.Accuracies(language, architecture, loss, "short"));
      }
    }
    return gain.Value();
  });
  return claim;
}

Claim AuxiliaryLossDoesNotHelp(const PaperRuns& runs, const std::string& loss,
                               const std::string& title) {
  Claim claim{.key = "no-gain-" + loss,
              .statement = fmt::format("{} not improve accuracy reliably: the mean gain is "
                                       "below {:.2f}.",
                                       title, kUsefulGain),
              .quantity = "mean accuracy − that of recognition alone",
              .unit = "languages",
              .is_above = false,
              .bound = kUsefulGain};
  claim.evidence = OverLanguages(runs, claim.key, kUsefulGain, [&](const std::string& language) {
    PairedGain gain;
    for (const char* architecture : kPaperArchitectures) {
      for (const char* validation : {"short", "long"}) {
        gain.Add(runs.Accuracies(language, architecture, loss, validation),
                 runs.Accuracies(language, architecture, "rec", validation));
      }
    }
    return gain.Value();
  });
  return claim;
}

// By language: how often each loss is the best one of an architecture (inductive bias), ties shared
// out. Only cells for which all losses have the same number of runs; and only of grids with all
// losses of the paper, since among fewer every one wins more often.
std::vector<std::map<std::string, double>> WinsOfLosses(const PaperRuns& runs) {
  std::vector<std::map<std::string, double>> all;
  if (runs.losses().size() < kPaperLosses) return all;
  for (const std::string& language : runs.languages()) {
    std::map<std::string, double> wins;
    double cells = 0;
    for (const char* architecture : kPaperArchitectures) {
      const std::size_t n = runs.Made(language, architecture, "rec", "short");
      const auto best = runs.InductiveBias(language, architecture);
      const bool is_equal =
          std::all_of(runs.losses().begin(), runs.losses().end(), [&](const std::string& loss) {
            return runs.Made(language, architecture, loss, "short") == n;
          });
      if (!best || !is_equal) continue;
      ++cells;
      for (const std::string& loss : best->losses) {
        wins[loss] += 1 / static_cast<double>(best->losses.size());
      }
    }
    if (cells == 0) continue;
    for (auto& [loss, count] : wins) count /= cells;
    all.push_back(std::move(wins));
  }
  return all;
}

// Of that loss, by language.
std::vector<double> SharesOf(const std::vector<std::map<std::string, double>>& wins,
                             const std::string& loss) {
  std::vector<double> shares;
  for (const auto& of_language : wins) {
    const auto found = of_language.find(loss);
    shares.push_back(found == of_language.end() ? 0 : found->second);
  }
  return shares;
}

Claim RecognitionWinsMost(const PaperRuns& runs) {
  Claim claim{.key = "recognition-wins",
              .statement = "Recognition alone is the most frequent best loss.",
              .quantity = "share of cells where it is the best − share of the strongest other loss",
              .unit = "languages"};
  const auto wins = WinsOfLosses(runs);
  const std::vector<double> own = SharesOf(wins, "rec");
  std::vector<std::vector<double>> ahead;
  for (const std::string& loss : runs.losses()) {
    if (loss == "rec") continue;
    ahead.push_back(SharesOf(wins, loss));
    for (std::size_t i = 0; i < own.size(); ++i) ahead.back()[i] = own[i] - ahead.back()[i];
  }
  claim.evidence = OfWorst(ahead, claim.bound, claim.is_above, StreamOf(claim.key));
  return claim;
}

Claim NoLossIsConsistentlyBest(const PaperRuns& runs) {
  Claim claim{.key = "no-uniform-loss",
              .statement =
                  "No loss is consistently the best: none is so in three quarters of the "
                  "cells.",
              .quantity = "share of cells where the most frequent winner is the best",
              .unit = "languages",
              .is_above = false,
              .bound = kConsistently};
  const auto wins = WinsOfLosses(runs);
  std::vector<std::vector<double>> shares;
  for (const std::string& loss : runs.losses()) shares.push_back(SharesOf(wins, loss));
  claim.evidence = OfWorst(shares, claim.bound, claim.is_above, StreamOf(claim.key));
  return claim;
}

// ---- On certain languages, run by run.

// Runs of the first architectures against those of the second, within language and loss. Nothing
// before every language has some: what is said of several is not said of one of them.
std::vector<Stratum> Strata(const PaperRuns& runs, const Texts& languages, const Texts& first,
                            const Texts& second) {
  std::vector<Stratum> strata;
  for (const std::string& language : languages) {
    const std::size_t before = strata.size();
    for (const std::string& loss : runs.losses()) {
      const auto gather = [&](const Texts& architectures) {
        std::vector<double> all;
        for (const std::string& architecture : architectures) {
          const auto some = runs.Accuracies(language, architecture, loss, "short");
          all.insert(all.end(), some.begin(), some.end());
        }
        return all;
      };
      Stratum stratum{gather(first), gather(second)};
      if (!stratum.first.empty() && !stratum.second.empty()) strata.push_back(std::move(stratum));
    }
    if (strata.size() == before) return {};
  }
  return strata;
}

Claim OutperformsOn(const PaperRuns& runs, const std::string& key, const std::string& statement,
                    const Texts& languages, const Texts& first, const Texts& second) {
  Claim claim{.key = key,
              .statement = statement,
              .quantity = "difference of accuracies, mean over languages and losses",
              .unit = "runs"};
  claim.evidence = OfDifference(Strata(runs, languages, first, second), StreamOf(key));
  return claim;
}

Claim TransformersStruggleWithSensitivity(const PaperRuns& runs) {
  Claim claim{.key = "sensitivity",
              .statement =
                  "Transformers do well on languages of low sensitivity (even pairs, "
                  "first) and struggle on parity.",
              .quantity = "mean accuracy on the two − on parity",
              .unit = "runs"};
  std::vector<Stratum> strata;
  for (const std::string& loss : runs.losses()) {
    Stratum stratum{runs.Accuracies("even-pairs", "transformer", loss, "short"),
                    runs.Accuracies("parity", "transformer", loss, "short")};
    const auto first = runs.Accuracies("first", "transformer", loss, "short");
    stratum.first.insert(stratum.first.end(), first.begin(), first.end());
    if (!stratum.first.empty() && !stratum.second.empty()) strata.push_back(std::move(stratum));
  }
  claim.evidence = OfDifference(strata, StreamOf(claim.key));
  return claim;
}

Claim RnnSolvesModularArithmetic(const PaperRuns& runs) {
  Claim claim{.key = "rnn-modular-arithmetic",
              .statement =
                  "With recognition alone and the short validation set, the simple RNN "
                  "reaches 1.00 on modular arithmetic.",
              .quantity = "share of runs whose accuracy rounds to 1.00",
              .unit = "runs",
              .bound = 0.5};
  std::vector<double> right;
  for (const double accuracy :
       runs.Accuracies("modular-arithmetic-simple", "rnn", "rec", "short")) {
    right.push_back(std::round(100 * accuracy) == 100 ? 1 : 0);
  }
  claim.evidence = OfMean(right, claim.bound, StreamOf(claim.key));
  return claim;
}

// Of a run's wrong answers, the share of strings that were accepted and have the right format.
std::optional<double> RightFormatShare(const Run& run) {
  const auto of = [&](const char* metric) { return run.Metric(run.test_split, metric); };
  const auto right = of("wrong_answers_format_right"), wrong = of("wrong_answers_format_wrong");
  const auto rejected = of("false_negatives");
  if (!right || !wrong || !rejected || *right + *wrong == 0) return std::nullopt;
  return (*right - *rejected) / (*right + *wrong);
}

std::vector<double> RightFormatShares(const PaperRuns& runs, const std::string& language,
                                      const Texts& architectures, const std::string& loss) {
  std::vector<double> shares;
  for (const std::string& architecture : architectures) {
    for (const Run* run : runs.Runs(language, architecture, loss, "long")) {
      if (const auto share = RightFormatShare(*run)) shares.push_back(*share);
    }
  }
  return shares;
}

Claim CycleNavigationErrsInTheDigit(const PaperRuns& runs) {
  Claim claim{.key = "cycle-navigation-errors",
              .statement =
                  "On cycle navigation most wrong answers accept strings of the right "
                  "format.",
              .quantity = "share of such wrong answers",
              .unit = "runs",
              .bound = 0.5};
  std::vector<double> shares;
  for (const std::string& loss : runs.losses()) {
    const auto some = RightFormatShares(runs, "cycle-navigation", PapersArchitectures(), loss);
    shares.insert(shares.end(), some.begin(), some.end());
  }
  claim.evidence = OfMean(shares, claim.bound, StreamOf(claim.key));
  return claim;
}

Claim RecurrentErrorsHaveTheFormat(const PaperRuns& runs) {
  Claim claim{.key = "binary-addition-errors",
              .statement =
                  "On binary addition, wrong answers of RNN and LSTM, taken together, are strings "
                  "of the right format that were accepted, more often than the transformer's.",
              .quantity = "difference of the shares of such wrong answers",
              .unit = "runs"};
  std::vector<Stratum> strata;
  for (const std::string& loss : runs.losses()) {
    Stratum stratum{RightFormatShares(runs, "binary-addition", {"rnn", "lstm"}, loss),
                    RightFormatShares(runs, "binary-addition", {"transformer"}, loss)};
    if (!stratum.first.empty() && !stratum.second.empty()) strata.push_back(std::move(stratum));
  }
  claim.evidence = OfDifference(strata, StreamOf(claim.key));
  return claim;
}

// ---- That there is none.

// Counts the runs with the long validation set whose accuracy is an exception, which it is from
// first_exception(language) on. Runs of a language of which that is not known do not count; one
// that diverged without a score is none. `languages` are all that the claim is about, whether the
// grid has them or not, and more runs of one do not make up for those that another lacks.
template <class FirstException>
Claim NoException(const PaperRuns& runs, Claim claim, const Texts& languages,
                  FirstException first_exception) {
  claim.quantity = "exceptions";
  claim.unit = "runs";
  claim.is_none = claim.has_all_runs = true;
  double exceptions = 0;
  for (const std::string& language : languages) {
    const std::optional<double> exception = first_exception(language);
    for (const char* architecture : kPaperArchitectures) {
      std::size_t n = 0;
      for (const std::string& loss : runs.losses()) {
        if (!exception) break;
        n += runs.Made(language, architecture, loss, "long");
        for (const double accuracy : runs.Accuracies(language, architecture, loss, "long")) {
          exceptions += accuracy >= *exception ? 1 : 0;
        }
      }
      claim.evidence.n += n;
      claim.has_all_runs = claim.has_all_runs && n >= kPaperExpressivityRuns;
    }
  }
  if (claim.evidence.n > 0) claim.evidence.effect = exceptions;
  return claim;
}

Claim OnlyRegularIsPerfect(const PaperRuns& runs) {
  Texts others;
  for (const std::string& language : PaperLanguages()) {
    if (language == "majority") continue;
    if (FindInCatalog(language)->language_class != LanguageClass::kRegular) {
      others.push_back(language);
    }
  }
  return NoException(runs,
                     {.key = "perfect-only-if-regular",
                      .statement = "No run is perfect on a language that is neither regular nor "
                                   "majority."},
                     others, [](const std::string&) { return std::optional(1.0); });
}

Claim FormatIsTheCeiling(const PaperRuns& runs) {
  return NoException(
      runs,
      {.key = "format-ceilings",
       .statement =
           fmt::format("On cycle navigation, binary addition, binary multiplication and compute "
                       "sqrt no run is more than {:.2f} above what the format alone gives.",
                       kOverFormat)},
      {"cycle-navigation", "binary-addition", "binary-multiplication", "compute-sqrt"},
      [&](const std::string& language) -> std::optional<double> {
        const auto format = runs.FormatOnly(language);
        if (!format) return std::nullopt;
        return *format + kOverFormat + kRoundingError;
      });
}

}  // namespace

std::vector<Claim> PaperClaims(const PaperRuns& runs) {
  const Texts rnn = {"rnn"}, lstm = {"lstm"}, transformer = {"transformer"};
  const Texts transformers_best = {"even-pairs", "first", "majority"};
  std::vector<Claim> claims = {
      OutperformsInMost(runs, "rnn-over-transformer-bias",
                        "The simple RNN outperforms the transformer in most languages (inductive "
                        "bias).",
                        kBias, "rnn", "transformer"),
      OutperformsInMost(runs, "lstm-over-transformer-bias",
                        "The LSTM outperforms the transformer in most languages (inductive bias).",
                        kBias, "lstm", "transformer"),
      OutperformsInMost(runs, "rnn-over-transformer-expressivity",
                        "The simple RNN outperforms the transformer in most languages "
                        "(expressivity).",
                        kExpressivity, "rnn", "transformer"),
      OutperformsInMost(runs, "lstm-over-transformer-expressivity",
                        "The LSTM outperforms the transformer in most languages (expressivity).",
                        kExpressivity, "lstm", "transformer"),
      OutperformsOn(
          runs, "transformer-over-rnn",
          "On even pairs, first and majority, taken together, the transformer outperforms the "
          "simple RNN.",
          transformers_best, transformer, rnn),
      OutperformsOn(
          runs, "transformer-over-lstm",
          "On even pairs, first and majority, taken together, the transformer outperforms the "
          "LSTM.",
          transformers_best, transformer, lstm),
      OnlyRegularIsPerfect(runs),
      TransformersStruggleWithSensitivity(runs),
      OutperformsOn(runs, "lstm-long-range",
                    "On even pairs and first, taken together, the LSTM outperforms the simple RNN.",
                    {"even-pairs", "first"}, lstm, rnn),
      OutperformsOn(runs, "lstm-majority", "The LSTM outperforms the simple RNN on majority.",
                    {"majority"}, lstm, rnn),
      OutperformsOn(runs, "rnn-bucket-sort", "The simple RNN outperforms the LSTM on bucket sort.",
                    {"bucket-sort"}, rnn, lstm),
      OutperformsOn(runs, "transformer-dyck",
                    "RNN and LSTM, taken together, outperform the transformer on Dyck-(2, 3).",
                    {"dyck-2-3"}, {"rnn", "lstm"}, transformer),
      LongValidationHelps(runs),
      SameRanking(runs),
      AuxiliaryLossDoesNotHelp(runs, "rec+lm", "Language modeling does"),
      AuxiliaryLossDoesNotHelp(runs, "rec+ns", "Next-symbol prediction does"),
      AuxiliaryLossDoesNotHelp(runs, "rec+lm+ns", "Both together do"),
      NoLossIsConsistentlyBest(runs),
      RecognitionWinsMost(runs),
      RnnSolvesModularArithmetic(runs),
      FormatIsTheCeiling(runs),
      CycleNavigationErrsInTheDigit(runs),
      RecurrentErrorsHaveTheFormat(runs),
  };
  Judge(claims);
  return claims;
}

}  // namespace flare::report
