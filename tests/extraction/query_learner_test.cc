#include "flare/extraction/query_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "flare/automata/length_sampler.h"
#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/languages/catalog.h"
#include "support/random_automata.h"

namespace flare {
namespace {

// Whatever accepts or rejects a string, as the learner asks for it.
template <class Accepts>
AskPrefixes AnswersBy(Accepts accepts) {
  return [accepts](std::span<const String> strings) {
    std::vector<std::uint8_t> labels;
    for (const String& w : strings) {
      for (std::size_t n = 0; n <= w.size(); ++n) {
        labels.push_back(accepts(StringView(w).first(n)) ? 1 : 0);
      }
    }
    return labels;
  };
}

AskPrefixes AnswersOf(const Dfa& dfa) {
  return AnswersBy([&dfa](StringView w) { return dfa.Accepts(w); });
}

void Finish(QueryLearner& learner) {
  while (learner.Refine()) {
  }
}

// Short strings, members and uniform strings.
std::vector<String> PoolFor(const Dfa& dfa) {
  const std::size_t width = dfa.alphabet().size();
  std::size_t longest = 0;
  for (std::size_t count = width; count <= 4'096 && longest < 12; count *= width) ++longest;
  std::vector<String> pool = AllStrings(width, longest);
  Rng rng = Rng::For(1, "learner/pool");
  const LengthSampler sampler(dfa, Distribution::kPaper, 30);
  for (const std::size_t length : sampler.ValidLengths({0, 30})) {
    for (int i = 0; i < 20; ++i) {
      pool.emplace_back();
      sampler.Sample(length, rng, pool.back());
    }
  }
  for (std::size_t i = 0; i < 300; ++i) pool.push_back(RandomString(i % 31, width, rng));
  return pool;
}

TEST(QueryLearner, EveryRegularLanguageComesBackMinimal) {
  for (const CatalogEntry& entry : Catalog()) {
    const auto language = entry.make();
    const Dfa* dfa = language->dfa();
    if (dfa == nullptr) continue;
    QueryLearner learner(dfa->alphabet(), AnswersOf(*dfa), {});
    learner.AddToPool(PoolFor(*dfa));
    Finish(learner);
    EXPECT_EQ(learner.limit(), "") << entry.name;
    EXPECT_EQ(Minimize(learner.hypothesis()), *dfa) << entry.name;
    // It is minimal itself: complete, so that only a sink may be added.
    EXPECT_LE(learner.hypothesis().num_states(), dfa->num_states() + 1) << entry.name;
  }
}

// With no pool at all, only what is around the states can show it.
TEST(QueryLearner, FindsMuchWithoutAPool) {
  const Dfa dfa = CompileRegex("(ab|ba)*");
  QueryLearner learner(dfa.alphabet(), AnswersOf(dfa), {});
  Finish(learner);
  EXPECT_EQ(Minimize(learner.hypothesis()), dfa);
}

TEST(QueryLearner, IsRightOnAllThatItAskedAndAsksNothingTwice) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    Rng rng = Rng::For(2, "learner", i);
    const Dfa dfa = RandomDfa(1 + i % 9, Letters(2), 0.8, rng);
    std::set<String> asked;
    const AskPrefixes ask = [&](std::span<const String> strings) {
      for (const String& w : strings) EXPECT_TRUE(asked.insert(w).second);
      return AnswersOf(dfa)(strings);
    };
    QueryLearner learner(dfa.alphabet(), ask, {});
    learner.AddToPool(AllStrings(2, 6));
    Finish(learner);
    for (const String& w : asked) EXPECT_EQ(learner.hypothesis().Accepts(w), dfa.Accepts(w));
    EXPECT_EQ(learner.num_queries(), asked.size());
  }
}

TEST(QueryLearner, AConstantHasOneState) {
  for (const bool answer : {false, true}) {
    QueryLearner learner(Letters(3), AnswersBy([=](StringView) { return answer; }), {});
    learner.AddToPool(AllStrings(3, 5));
    Finish(learner);
    EXPECT_EQ(learner.hypothesis().num_states(), 1);
    EXPECT_EQ(learner.hypothesis().Accepts({}), answer);
  }
}

// What no automaton is: parity up to length 8, then something else, then what a hash says, as a
// network does near its border.
bool DriftingAccepts(StringView w) {
  std::size_t ones = 0, hash = 0;
  for (const Symbol a : w) {
    ones += Index(a);
    hash = hash * 31 + Index(a) + 7;
  }
  if (w.size() <= 8) return ones % 2 == 0;
  return w.size() <= 10 ? w.size() % 7 == 0 : hash % 3 == 0;
}

TEST(QueryLearner, ADriftIsLearnedAsFarAsThePoolGoes) {
  QueryLearner learner(Letters(2), AnswersBy(DriftingAccepts), {});
  const std::vector<String> pool = AllStrings(2, 9);
  learner.AddToPool(pool);
  Finish(learner);
  EXPECT_EQ(learner.limit(), "500 states");
  // Up to where the drift begins it is right, despite the limit.
  for (const String& w : AllStrings(2, 8)) {
    EXPECT_EQ(learner.hypothesis().Accepts(w), DriftingAccepts(w));
  }
}

TEST(QueryLearner, SaysWhichLimitItMetAndKeepsALastHypothesis) {
  const auto learn = [&](LearnerLimits limits) {
    QueryLearner learner(Letters(2), AnswersBy(DriftingAccepts), limits);
    learner.AddToPool(AllStrings(2, 11));
    Finish(learner);
    EXPECT_LE(learner.num_queries(), limits.max_queries);
    EXPECT_LE(learner.hypothesis().num_states(), limits.max_states);
    EXPECT_EQ(learner.hypothesis().num_transitions(), 2 * learner.hypothesis().num_states());
    return learner.limit();
  };
  EXPECT_EQ(learn({.max_states = 10}), "10 states");
  EXPECT_EQ(learn({.max_states = 1}), "1 state");
  for (const std::size_t queries : {1u, 2u, 3u, 100u, 2'100u}) {
    EXPECT_EQ(learn({.max_queries = queries}), std::to_string(queries) + " queries");
  }
  EXPECT_EQ(learn({.max_length = 11}), "strings of 11 symbols");
  EXPECT_EQ(learn({.max_length = 0}), "strings of 0 symbols");
}

// The order in which strings come to the pool must not matter, nor how many are asked at a time.
TEST(QueryLearner, IsDeterminedByTheAnswers) {
  const auto learn = [](std::vector<String> pool, std::size_t parts) {
    QueryLearner learner(Letters(2), AnswersBy(DriftingAccepts), {.max_states = 60});
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t begin = pool.size() * i / parts, end = pool.size() * (i + 1) / parts;
      learner.AddToPool(std::span<const String>(pool).subspan(begin, end - begin));
    }
    Finish(learner);
    return learner.hypothesis();
  };
  std::vector<String> pool = AllStrings(2, 10);
  const Dfa expected = learn(pool, 1);
  std::reverse(pool.begin(), pool.end());
  EXPECT_EQ(learn(pool, 1), expected);
  EXPECT_EQ(learn(pool, 7), expected);
}

}  // namespace
}  // namespace flare
