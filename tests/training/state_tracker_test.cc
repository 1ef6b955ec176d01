#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/languages/catalog.h"
#include "flare/training/batching.h"
#include "flare/training/run_data.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

using testing::HasSubstr;

std::vector<std::uint32_t> StatesOf(const StateTracker& tracker, StringView w) {
  std::vector<std::uint32_t> states;
  tracker.Append(w, states);
  return states;
}

// What makes it the minimal complete DFA: whether a string is a member follows from its state
// alone, and no two states are alike.
TEST(StateTracker, TellsMembersByTheirStates) {
  for (const char* name :
       {"parity", "first", "dyck-2-3", "repeat-01", "modular-arithmetic-simple"}) {
    const auto language = FindInCatalog(name)->make();
    const Dfa& dfa = *language->dfa();
    const StateTracker tracker(dfa, language->alphabet());
    EXPECT_LE(tracker.num_states(), dfa.num_states() + 1);
    std::set<std::uint32_t> seen, of_members, of_others;
    Rng rng = Rng::For(1, name);
    for (int i = 0; i < 2000; ++i) {
      String w;
      for (std::size_t n = rng.UniformInt(12); n > 0; --n) {
        w.push_back(static_cast<Symbol>(rng.UniformInt(language->alphabet().size())));
      }
      const auto states = StatesOf(tracker, w);
      ASSERT_EQ(states.size(), w.size() + 1);
      for (std::size_t t = 0; t <= w.size(); ++t) {
        const bool member = language->Contains(StringView(w).subspan(0, t));
        (member ? of_members : of_others).insert(states[t]);
        seen.insert(states[t]);
        ASSERT_LT(states[t], tracker.num_states());
        // From where nothing is accepted, there is no way back.
        if (t > 0 && states[t - 1] == dfa.num_states()) EXPECT_EQ(states[t], states[t - 1]);
      }
    }
    EXPECT_EQ(seen.size(), of_members.size() + of_others.size()) << name;
  }
}

TEST(StateTracker, HasNoStateThatNothingNeeds) {
  const auto parity = FindInCatalog("parity")->make();
  EXPECT_EQ(StateTracker(*parity->dfa(), parity->alphabet()).num_states(), 2u);
  const auto first = FindInCatalog("first")->make();
  EXPECT_EQ(StateTracker(*first->dfa(), first->alphabet()).num_states(), 3u);
}

TEST(StateTracker, FillsBatches) {
  const TemporaryDirectory folder;
  const RunData data = IdentifyData(MakeSmallDataset(folder.path(), "parity", 40));
  const StateTracker tracker = TrackerOf(data.pinned);
  const Split split = ReadPinnedSplit(data, "train", kOnlyStrings);
  Batcher batcher(split, {256, 0}, &tracker);
  batcher.PlanInOrder();
  Batch batch;
  for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
    batcher.Fill(b, batch);
    ASSERT_EQ(batch.states.size(), batch.tokens.size() + batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      // A parity automaton has two states, and the last one decides.
      const std::uint32_t last = batch.states[batch.first_state(i) + batch.length(i)];
      const std::uint32_t start = batch.states[batch.first_state(i)];
      EXPECT_EQ(batch.labels[i] != 0, last != start);
    }
  }
}

std::string Refusal(const PinnedData& data) {
  try {
    TrackerOf(data);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StateTracker, IsRefusedWithTheReason) {
  const TemporaryDirectory folder;
  const PinnedData majority = IdentifyData(MakeSmallDataset(folder.path(), "majority", 40)).pinned;
  EXPECT_EQ(Refusal(majority), majority.path.string() +
                                   ": its language, 'majority', is not regular: the loss term st "
                                   "needs the states of a DFA");
  // Without a manifest, the name decides.
  std::filesystem::remove(majority.path / "manifest.json");
  EXPECT_THAT(Refusal(majority), HasSubstr("'majority', is not regular"));
  PinnedData unknown = majority;
  unknown.language = "mine";
  EXPECT_THAT(Refusal(unknown),
              HasSubstr("has no manifest, and 'mine' is not a language of the catalogue"));
}

}  // namespace
}  // namespace flare
