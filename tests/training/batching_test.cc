#include "flare/training/batching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "flare/base/rng.h"

namespace flare {
namespace {

Split RandomSplit(std::size_t size, std::size_t longest) {
  Split split(3);
  Rng rng = Rng::For(1, "split");
  split.has_next_symbols = true;
  for (std::size_t i = 0; i < size; ++i) {
    String w(rng.UniformInt(longest + 1));
    for (Symbol& a : w) a = static_cast<Symbol>(rng.UniformInt(3));
    const bool label = rng.Bit();
    split.Add(w, label);
    for (std::size_t t = 0; label && t <= w.size(); ++t) {
      split.next_symbols.Append();
      if (t < w.size()) split.next_symbols.Add(w[t]);
      if (i % 2 == 0) split.next_symbols.AddEos();
    }
  }
  return split;
}

TEST(Batcher, EpochHasEveryExampleOnceUnderTheLimit) {
  const Split split = RandomSplit(500, 40);
  for (const std::size_t limit : {1u, 41u, 100u, 1000u, 100'000u}) {
    for (const std::size_t extra : {0u, 1u, 2u}) {
      Batcher batcher(split, {limit, extra});
      batcher.PlanEpoch(7, 1);
      std::set<std::uint32_t> seen;
      for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
        std::size_t longest = 0;
        for (const std::uint32_t i : batcher.Examples(b)) {
          EXPECT_TRUE(seen.insert(i).second);
          longest = std::max(longest, split.string(i).size() + extra);
        }
        if (batcher.Examples(b).size() > 1) {
          EXPECT_LE(batcher.Examples(b).size() * longest, limit);
        }
      }
      EXPECT_EQ(seen.size(), split.size());
    }
  }
}

// Greedy: the next string would not have fitted.
TEST(Batcher, CutsNoEarlierThanItMust) {
  const Split split = RandomSplit(300, 20);
  Batcher batcher(split, {100, 1});
  batcher.PlanEpoch(3, 1);
  // The cuts depend on the sorted lengths alone.
  std::size_t expected = 0;
  std::size_t in_batch = 0;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < split.size(); ++i) all.push_back(split.string(i).size());
  std::sort(all.begin(), all.end());
  for (const std::size_t n : all) {
    if (in_batch == 0 || (in_batch + 1) * (n + 1) > 100) {
      ++expected;
      in_batch = 0;
    }
    ++in_batch;
  }
  EXPECT_EQ(batcher.num_batches(), expected);
}

TEST(Batcher, LeavesOutWhatIsTooLong) {
  const Split split = RandomSplit(300, 20);
  Batcher batcher(split, {.tokens = 100, .extra_symbols = 1, .longest = 7});
  batcher.PlanEpoch(3, 1);
  std::set<std::uint32_t> seen, expected;
  for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
    seen.insert(batcher.Examples(b).begin(), batcher.Examples(b).end());
  }
  for (std::uint32_t i = 0; i < split.size(); ++i) {
    if (split.string(i).size() <= 7) expected.insert(i);
  }
  EXPECT_EQ(seen, expected);
  EXPECT_LT(seen.size(), split.size());
}

TEST(Batcher, EpochsDifferAndRepeat) {
  const Split split = RandomSplit(200, 30);
  const auto plan = [&](std::uint64_t seed, std::size_t epoch) {
    Batcher batcher(split, {128, 1});
    batcher.PlanEpoch(seed, epoch);
    std::vector<std::uint32_t> order;
    for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
      order.insert(order.end(), batcher.Examples(b).begin(), batcher.Examples(b).end());
    }
    return order;
  };
  EXPECT_EQ(plan(1, 1), plan(1, 1));
  EXPECT_NE(plan(1, 1), plan(1, 2));
  EXPECT_NE(plan(1, 1), plan(2, 1));
}

TEST(Batcher, FillsStringsLabelsAndSets) {
  const Split split = RandomSplit(100, 10);
  Batcher batcher(split, {64, 1});
  batcher.PlanEpoch(1, 1);
  std::vector<std::size_t> first_set;
  std::size_t sets = 0;
  for (std::size_t i = 0; i < split.size(); ++i) {
    first_set.push_back(sets);
    if (split.labels[i] != 0) sets += split.string(i).size() + 1;
  }
  Batch batch;
  for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
    batcher.Fill(b, batch);
    ASSERT_EQ(batch.size(), batcher.Examples(b).size());
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const std::uint32_t i = batcher.Examples(b)[k];
      ASSERT_EQ(batch.length(k), split.string(i).size());
      for (std::size_t t = 0; t < batch.length(k); ++t) {
        EXPECT_EQ(batch.string(k)[t], static_cast<std::uint32_t>(split.string(i)[t]));
      }
      EXPECT_EQ(batch.labels[k], split.labels[i]);
      if (split.labels[i] == 0) continue;
      for (std::size_t t = 0; t <= batch.length(k); ++t) {
        EXPECT_EQ(batch.next_symbols[batch.first_set[k] + t],
                  split.next_symbols.Words(first_set[i] + t)[0]);
      }
    }
  }
}

}  // namespace
}  // namespace flare
