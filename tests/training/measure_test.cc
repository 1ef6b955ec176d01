#include "flare/training/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "flare/automata/regex.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"

namespace flare {
namespace {

const String kW(3, Symbol{0});

// Five strings: lengths 0, 1, 1, 2, 3; one negative of length 2 is accepted.
Split HandMade() {
  Split split(1);
  const bool labels[] = {true, false, true, false, true};
  const std::size_t lengths[] = {0, 1, 1, 2, 3};
  for (std::size_t i = 0; i < 5; ++i) split.Add(StringView(kW).subspan(0, lengths[i]), labels[i]);
  split.has_num_edits = true;
  split.num_edits = {std::nullopt, 2};
  split.has_edit_distances = true;
  split.edit_distances = {3, 1};
  split.has_next_symbols = true;
  return split;
}

const std::vector<std::string> kTerms = {"lm", "ns"};

ModelScores HandMadeScores() {
  ModelScores scores;
  scores.logits = {0, -1, 2, 1, 0.5f};
  scores.terms.assign(2, std::vector<TermScore>(5));
  // Of the positives: their cross-entropies, positions, and positions that are right.
  const auto set = [&](std::size_t i, double lm, double ns, std::size_t positions,
                       std::size_t right) {
    scores.terms[0][i] = {.cross_entropy = lm, .right = 0, .positions = positions, .applies = true};
    scores.terms[1][i] = {
        .cross_entropy = ns, .right = right, .positions = positions, .applies = true};
  };
  set(0, 0.5, 0.25, 1, 1);
  set(2, 1.0, 0.5, 2, 1);
  set(4, 1.5, 0.75, 4, 4);
  return scores;
}

ModelScores Logits(std::vector<float> logits) {
  ModelScores scores;
  scores.logits = std::move(logits);
  return scores;
}

double Softplus(double x) { return std::log(1 + std::exp(x)); }

TEST(Metrics, TellWrongAnswersByTheirFormat) {
  const Matcher format(CompileRegex("(ab)*"));
  Split split(2);
  const Symbol a = SymbolAt(0), b = SymbolAt(1);
  split.Add(String{a, b}, true);         // rejected, and has the format of all members
  split.Add(String{a, b, a, b}, false);  // accepted, with the format
  split.Add(String{a, a}, false);        // accepted, without it
  split.Add(String{b}, false);           // rejected: right
  split.Add(String{b, b}, false);        // accepted, without it
  const ModelScores scores = Logits({-1, 1, 1, -1, 1});
  const SplitMetrics m = Measure("test", split, scores, {}, &format);
  EXPECT_EQ(m.Find("wrong_answers_format_wrong"), 2);
  EXPECT_EQ(m.Find("wrong_answers_format_right"), 2);
  EXPECT_EQ(MetricsToJson(m).at("wrong_answers"),
            (Json{{"format_wrong", 2.0}, {"format_right", 2.0}}));
  EXPECT_FALSE(Measure("test", split, scores, {}).Find("wrong_answers_format_wrong"));
}

TEST(Metrics, MatchASplitByHand) {
  const SplitMetrics m = Measure("test", HandMade(), HandMadeScores(), kTerms);
  EXPECT_EQ(m.examples, 5u);
  EXPECT_EQ(m.positives, 3u);
  // A logit of 0 accepts.
  EXPECT_DOUBLE_EQ(*m.accuracy, 0.8);
  EXPECT_EQ(m.false_positives, 1u);
  EXPECT_EQ(m.false_negatives, 0u);
  EXPECT_DOUBLE_EQ(*m.f1, 6.0 / 7);
  EXPECT_NEAR(*m.recognition_cross_entropy,
              (Softplus(0) + Softplus(-1) + Softplus(-2) + Softplus(1) + Softplus(-0.5)) / 5,
              1e-12);
  // Pairs (positive, negative): 0 > -1, 0 < 1; 2 > both; 0.5 > -1, 0.5 < 1.
  EXPECT_DOUBLE_EQ(*m.auc, 4.0 / 6);
  EXPECT_DOUBLE_EQ(*m.Find("lm_cross_entropy"), 1.0);
  EXPECT_DOUBLE_EQ(*m.Find("next_symbol_cross_entropy"), 0.5);
  // Of 1 + 2 + 4 positions, 1 + 1 + 4 are right; of 3 strings, 2.
  EXPECT_DOUBLE_EQ(*m.Find("next_symbol_accuracy_positions"), 6.0 / 7);
  EXPECT_DOUBLE_EQ(*m.Find("next_symbol_accuracy_strings"), 2.0 / 3);
  EXPECT_EQ(m.longest_perfect_length, 1);
  ASSERT_EQ(m.by_length.size(), 4u);
  EXPECT_EQ(m.by_length[1].tally.examples, 2u);
  EXPECT_EQ(m.by_length[2].tally.correct, 0u);
  EXPECT_NEAR(m.by_length[2].tally.ce_squared_sum, Softplus(1) * Softplus(1), 1e-12);
  ASSERT_EQ(m.by_edit_distance->size(), 2u);
  EXPECT_EQ((*m.by_edit_distance)[0].key, 1u);
  EXPECT_EQ((*m.by_edit_distance)[0].tally.correct, 0u);
  ASSERT_EQ(m.by_num_edits->size(), 2u);
  EXPECT_EQ((*m.by_num_edits)[0].key, std::nullopt);
  EXPECT_EQ((*m.by_num_edits)[0].tally.correct, 1u);
}

TEST(Metrics, TermsWithoutHeadsHaveNoFigures) {
  const SplitMetrics m = Measure("test", HandMade(), HandMadeScores(), {});
  EXPECT_FALSE(m.Find("lm_cross_entropy"));
  EXPECT_FALSE(m.Find("next_symbol_accuracy_strings"));
  EXPECT_TRUE(MetricsToJson(m)["lm_cross_entropy"].is_null());
  EXPECT_TRUE(MetricsToJson(m)["next_symbol_accuracy"].is_null());
}

TEST(Metrics, OneClassHasNoAuc) {
  Split split(1);
  split.Add({}, false);
  EXPECT_EQ(Measure("s", split, Logits({3}), {}).longest_perfect_length, -1);
  const SplitMetrics m = Measure("s", split, Logits({-3}), {});
  EXPECT_FALSE(m.auc);
  EXPECT_FALSE(m.f1);
  EXPECT_EQ(m.longest_perfect_length, 0);
}

TEST(Metrics, AucAndSmoothingAgainstTheirDefinitions) {
  Rng rng = Rng::For(4, "metrics");
  Split split(1);
  const String w(60, Symbol{0});
  std::vector<float> logits;
  for (int i = 0; i < 400; ++i) {
    // Lengths 23 to 36 do not occur.
    std::size_t length = rng.UniformInt(47);
    if (length > 22) length += 14;
    split.Add(StringView(w).subspan(0, length), rng.Bit());
    logits.push_back(static_cast<float>(rng.UniformInt(9)) / 2 - 2);  // with ties
  }
  double wins = 0, pairs = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t j = 0; j < 400; ++j) {
      if (split.labels[i] == 0 || split.labels[j] != 0) continue;
      ++pairs;
      if (logits[i] > logits[j]) wins += 1;
      if (logits[i] == logits[j]) wins += 0.5;
    }
  }
  const SplitMetrics m = Measure("s", split, Logits(logits), {});
  EXPECT_NEAR(*m.auc, wins / pairs, 1e-12);

  const Json smoothed = MetricsToJson(m)["smoothed"];
  for (const Json& point : smoothed) {
    const auto n = point["length"].get<std::int64_t>();
    EXPECT_EQ(n % 10, 0);
    std::vector<double> losses;
    double right = 0;
    for (std::size_t i = 0; i < 400; ++i) {
      const auto length = static_cast<std::int64_t>(split.string(i).size());
      if (length < n - 10 || length > n + 10) continue;
      const bool label = split.labels[i] != 0;
      const double z = logits[i];
      losses.push_back(Softplus(label ? -z : z));
      right += (z >= 0) == label ? 1 : 0;
    }
    const auto count = static_cast<double>(losses.size());
    double mean = 0, variance = 0;
    for (const double loss : losses) mean += loss / count;
    for (const double loss : losses) variance += (loss - mean) * (loss - mean) / count;
    EXPECT_EQ(point["examples"].get<std::size_t>(), losses.size());
    EXPECT_NEAR(point["accuracy"].get<double>(), right / count, 1e-12);
    EXPECT_NEAR(point["cross_entropy"].get<double>(), mean, 1e-9);
    EXPECT_NEAR(point["cross_entropy_std"].get<double>(), std::sqrt(variance), 1e-6);
  }
  EXPECT_EQ(smoothed.size(), 7u);  // 0, 10, ..., 60
}

TEST(Metrics, SmoothingTakesTimeInProportion) {
  SplitMetrics m;
  m.accuracy = 1;
  m.recognition_cross_entropy = 0.5;
  for (std::size_t i = 0; i < 50'000; ++i) m.by_length.push_back({20 * i, {}});
  for (auto& row : m.by_length) row.tally.Add(true, 0.5);
  // Looking at every length for each point, as it once did, means 5·10⁹ looks: some ten seconds.
  const std::clock_t before = std::clock();
  const Json json = MetricsToJson(m);
  EXPECT_LT(std::clock() - before, 4 * CLOCKS_PER_SEC);
  EXPECT_EQ(json["smoothed"].size(), 99'999u);
}

TEST(Metrics, ALinePerExample) {
  const std::string text = ExamplesToJsonl(HandMade(), HandMadeScores(), kTerms);
  const auto lines = Lines(text);
  ASSERT_EQ(lines.size(), 5u);
  const Json first = Json::parse(lines[0]), second = Json::parse(lines[1]);
  EXPECT_EQ(first["label"], 1);
  EXPECT_EQ(first["next_symbol_positions_correct"], 1);
  EXPECT_EQ(second["logit"], -1);
  EXPECT_EQ(second["edit_distance"], 3);
  EXPECT_TRUE(second["num_edits"].is_null());
  EXPECT_FALSE(second.contains("lm_cross_entropy"));
}

}  // namespace
}  // namespace flare
