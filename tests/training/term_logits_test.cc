#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "flare/base/file.h"
#include "flare/base/npy.h"
#include "flare/nn/model.h"
#include "flare/training/batching.h"
#include "flare/training/external_run.h"
#include "flare/training/run_data.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

using testing::HasSubstr;

void WriteMatrix(const std::filesystem::path& file, std::size_t rows, std::size_t columns,
                 const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  WriteFile(file, NpyHeader(rows, columns) + bytes);
}

class TermLogitsTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "test.npy"; }
  std::size_t prefixes() const { return split_.symbols.size() + split_.size(); }

  const TemporaryDirectory folder_;
  // Where strings can leave the automaton, so that it has one more state.
  const RunData data_ = IdentifyData(MakeSmallDataset(folder_.path(), "repeat-01", 60));
  const StateTracker tracker_ = TrackerOf(data_.pinned);
  const Split split_ = ReadPinnedSplit(data_, "test", {});
};

bool Same(const TermScore& a, const TermScore& b) {
  return a.cross_entropy == b.cross_entropy && a.right == b.right && a.positions == b.positions &&
         a.applies == b.applies;
}

// The same logits, the same scores to the bit: what measures our own models measures others. One
// string at a time, as the last bits of a product may depend on what else is in the batch.
TEST_F(TermLogitsTest, LogitsOfOurModelsGiveTheirScores) {
  const std::vector<std::string> terms = {"lm", "ns", "st"};
  for (const char* architecture : {"lstm", "transformer"}) {
    Model model({.architecture = architecture,
                 .vocabulary = 2,
                 .layers = 1,
                 .hidden = 16,
                 .terms = terms,
                 .states = tracker_.num_states()});
    model.Initialize(3);
    std::vector<ModelScores> ours(split_.size());
    std::vector<std::vector<float>> logits(terms.size());
    Batcher batcher(split_, {1, 0}, &tracker_);
    batcher.PlanAsGiven();
    ASSERT_EQ(batcher.num_batches(), split_.size());
    Batch batch;
    for (std::size_t i = 0; i < split_.size(); ++i) {
      batcher.Fill(i, batch);
      model.Score(batch, ours[i]);
      for (std::size_t t = 0; t < terms.size(); ++t) {
        std::vector<float> of_string;
        model.HeadLogits(batch, t, of_string);
        logits[t].insert(logits[t].end(), of_string.begin(), of_string.end());
      }
    }
    for (std::size_t t = 0; t < terms.size(); ++t) {
      ASSERT_EQ(logits[t].size(), prefixes() * model.num_outputs(t));
      WriteMatrix(file(), prefixes(), model.num_outputs(t), logits[t]);
      const auto scores = ScoreTermLogits(*FindLossTerm(terms[t]), file(), split_, &tracker_);
      ASSERT_EQ(scores.size(), split_.size());
      for (std::size_t i = 0; i < split_.size(); ++i) {
        ASSERT_TRUE(Same(scores[i], ours[i].terms[t][0]))
            << architecture << " " << terms[t] << " " << i << ": " << scores[i].cross_entropy
            << " and " << ours[i].terms[t][0].cross_entropy;
      }
    }
  }
}

// Where the data does not say what a term predicts, there is nothing to measure.
TEST_F(TermLogitsTest, NeedWhatTheTermNeeds) {
  const Split strings = ReadPinnedSplit(data_, "test", kOnlyStrings);
  WriteMatrix(file(), prefixes(), 3, std::vector<float>(3 * prefixes()));
  for (const TermScore& score : ScoreTermLogits(*FindLossTerm("ns"), file(), strings, nullptr)) {
    EXPECT_FALSE(score.applies);
  }
}

TEST_F(TermLogitsTest, RefuseOtherShapesAndWhatIsNotFinite) {
  const auto refusal = [&](const char* term, std::size_t rows, std::size_t columns,
                           const std::vector<float>& values) {
    WriteMatrix(file(), rows, columns, values);
    return RefusalOf([&] { ScoreTermLogits(*FindLossTerm(term), file(), split_, &tracker_); });
  };
  const std::size_t n = prefixes(), states = tracker_.num_states();
  EXPECT_EQ(refusal("lm", n, 3, std::vector<float>(3 * n)), "");
  EXPECT_EQ(refusal("st", n, states, std::vector<float>(states * n)), "");
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_THAT(text, HasSubstr(part));
  };
  expect(refusal("lm", n + 1, 3, std::vector<float>(3 * n + 3)),
         "test.npy: has the shape (" + std::to_string(n + 1) + ", 3); expected (" +
             std::to_string(n) +
             ", 3); a row for every prefix of every string, from the empty "
             "one; a column per symbol, then EOS");
  expect(refusal("ns", n, 2, std::vector<float>(2 * n)), ", 2); expected (");
  expect(refusal("st", n, 9, std::vector<float>(9 * n)), "a column per state of the minimal DFA");
  std::vector<float> values(3 * n);
  // In the row of the second string after its first symbol.
  const std::size_t row = split_.string(0).size() + 2;
  ASSERT_GT(split_.string(1).size(), 0u);
  values[3 * row + 1] = std::numeric_limits<float>::quiet_NaN();
  expect(refusal("lm", n, 3, values),
         "nan is not a finite number; column 1 after 1 symbols of string 1, all counted from 0");
  values[3 * row + 1] = -std::numeric_limits<float>::infinity();
  expect(refusal("lm", n, 3, values), "-inf is not a finite number");
}

}  // namespace
}  // namespace flare
