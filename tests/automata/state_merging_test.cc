#include "flare/automata/state_merging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/base/rng.h"
#include "support/random_automata.h"

namespace flare {
namespace {

using Sample = std::map<String, bool>;

MergedAutomaton Learn(const Alphabet& alphabet, const Sample& sample,
                      const MergingLimits& limits = {}) {
  std::vector<StringView> strings;
  std::vector<std::uint8_t> labels;
  for (const auto& [w, label] : sample) {
    strings.emplace_back(w);
    labels.push_back(label ? 1 : 0);
  }
  return LearnByMerging(alphabet, strings, labels, limits);
}

bool IsBefore(const String& u, const String& v) {
  return u.size() != v.size() ? u.size() < v.size() : u < v;
}

String Append(String w, Symbol a) {
  w.push_back(a);
  return w;
}

// The definition of the header word by word, on sets of prefixes: no tree, nothing incremental.
class NaiveMerger {
 public:
  NaiveMerger(std::size_t symbols, const Sample& sample) : symbols_(symbols), sample_(sample) {
    std::set<String> prefixes{{}};
    for (const auto& [w, label] : sample) {
      for (std::size_t n = 0; n <= w.size(); ++n)
        prefixes.insert(String(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(n)));
    }
    for (const String& u : prefixes) class_of_[u] = class_of_.size();
    reds_ = {String{}};
  }

  Dfa Learn(const Alphabet& alphabet) {
    for (;;) {
      std::vector<String> blues = Blues();
      if (blues.empty()) break;
      bool promoted = false;
      std::optional<Classes> best;
      std::size_t most = 0;
      for (const String& blue : blues) {
        bool may_merge = false;
        std::vector<String> reds = reds_;
        std::sort(reds.begin(), reds.end(), IsBefore);
        for (const String& red : reds) {
          const auto merged = Merged(StateOf(red), StateOf(blue));
          if (!merged) continue;
          may_merge = true;
          const std::size_t pairs = Labelled(class_of_) - Labelled(*merged);
          if (best && pairs <= most) continue;
          best = merged;
          most = pairs;
        }
        if (may_merge) continue;
        reds_.push_back(blue);
        promoted = true;
        break;
      }
      if (!promoted) class_of_ = *best;
    }
    DfaBuilder b(alphabet);
    for (const String& red : reds_) b.AddState(LabelsOf(class_of_, StateOf(red)).contains(true));
    for (std::size_t r = 0; r < reds_.size(); ++r) {
      for (std::size_t a = 0; a < symbols_; ++a) {
        const auto next = Next(StateOf(reds_[r]), SymbolAt(a));
        for (std::size_t s = 0; s < reds_.size(); ++s) {
          if (next == StateOf(reds_[s])) b.AddTransition(StateAt(r), SymbolAt(a), StateAt(s));
        }
      }
    }
    return std::move(b).Build(StateAt(0));
  }

 private:
  using Classes = std::map<String, std::size_t>;

  std::optional<std::size_t> Next(std::size_t state, Symbol a) const {
    for (const auto& [u, c] : class_of_) {
      const auto next = class_of_.find(Append(u, a));
      if (c == state && next != class_of_.end()) return next->second;
    }
    return std::nullopt;
  }
  // Words need not be prefixes of the sample: they are run.
  std::size_t StateOf(const String& word) const {
    std::size_t state = class_of_.at({});
    for (const Symbol a : word) state = *Next(state, a);
    return state;
  }
  std::vector<String> Blues() const {
    std::set<std::size_t> red_states;
    for (const String& red : reds_) red_states.insert(StateOf(red));
    std::vector<String> blues;
    for (const String& red : reds_) {
      for (std::size_t a = 0; a < symbols_; ++a) {
        const auto next = Next(StateOf(red), SymbolAt(a));
        if (next && !red_states.contains(*next)) blues.push_back(Append(red, SymbolAt(a)));
      }
    }
    std::sort(blues.begin(), blues.end(), IsBefore);
    return blues;
  }
  std::set<bool> LabelsOf(const Classes& classes, std::size_t state) const {
    std::set<bool> labels;
    for (const auto& [w, label] : sample_) {
      if (classes.at(w) == state) labels.insert(label);
    }
    return labels;
  }
  std::size_t Labelled(const Classes& classes) const {
    std::set<std::size_t> states;
    for (const auto& [w, label] : sample_) states.insert(classes.at(w));
    return states.size();
  }
  // The classes after a merge and all that follow from it; nothing if one has both labels.
  std::optional<Classes> Merged(std::size_t p, std::size_t q) const {
    Classes classes = class_of_;
    const auto join = [&](std::size_t x, std::size_t y) {
      for (auto& [u, c] : classes) {
        if (c == y) c = x;
      }
    };
    join(p, q);
    for (bool changed = true; changed;) {
      changed = false;
      std::map<std::pair<std::size_t, Symbol>, std::size_t> next;
      for (const auto& [u, c] : Classes(classes)) {
        if (u.empty()) continue;
        const std::size_t from = classes.at(String(u.begin(), u.end() - 1));
        const auto [there, is_new] = next.try_emplace({from, u.back()}, classes.at(u));
        if (is_new || there->second == classes.at(u)) continue;
        join(there->second, classes.at(u));
        changed = true;
        break;
      }
    }
    for (const auto& [u, c] : classes) {
      if (LabelsOf(classes, c).size() == 2) return std::nullopt;
    }
    return classes;
  }

  std::size_t symbols_;
  const Sample& sample_;
  Classes class_of_;
  std::vector<String> reds_;
};

TEST(StateMerging, AgreesWithItsDefinitionOnSmallSamples) {
  std::set<std::size_t> sizes;
  for (std::size_t trial = 0; trial < 300; ++trial) {
    Rng rng = Rng::For(trial, "state-merging-naive");
    const std::size_t symbols = 1 + rng.UniformInt(3);
    const Alphabet alphabet = Letters(symbols);
    const Dfa target = RandomDfa(1 + rng.UniformInt(5), alphabet, 0.9, rng);
    const bool is_noise = rng.Bit();
    Sample sample;
    const std::size_t size = 1 + rng.UniformInt(16);
    for (std::size_t i = 0; i < size; ++i) {
      const String w = RandomString(rng.UniformInt(6), symbols, rng);
      sample.try_emplace(w, is_noise ? rng.Bit() : target.Accepts(w));
    }
    const MergedAutomaton learned = Learn(alphabet, sample);
    ASSERT_TRUE(learned.dfa);
    for (const auto& [w, label] : sample) ASSERT_EQ(learned.dfa->Accepts(w), label);
    ASSERT_EQ(*learned.dfa, NaiveMerger(symbols, sample).Learn(alphabet)) << trial;
    sizes.insert(learned.dfa->num_states());
  }
  EXPECT_GE(sizes.size(), 4u);
}

// The state that a word leads to.
StateId RunFrom(const Dfa& dfa, StateId q, const String& w) {
  for (const Symbol a : w) q = *dfa.Next(q, a);
  return q;
}

// The first string that only one of two states accepts.
String Separator(const Dfa& dfa, StateId p, StateId q) {
  std::deque<String> open{{}};
  for (;;) {
    const String w = open.front();
    open.pop_front();
    if (dfa.IsAccepting(RunFrom(dfa, p, w)) != dfa.IsAccepting(RunFrom(dfa, q, w))) return w;
    for (std::size_t a = 0; a < dfa.alphabet().size(); ++a) open.push_back(Append(w, SymbolAt(a)));
  }
}

// As the header says. Requires: complete and minimal, but for a sink.
Sample CharacteristicSample(const Dfa& dfa) {
  std::map<StateId, String> first;
  std::deque<String> open{{}};
  std::vector<String> kernel{{}};
  while (!open.empty()) {
    const String u = open.front();
    open.pop_front();
    if (!first.try_emplace(RunFrom(dfa, dfa.start(), u), u).second) continue;
    for (std::size_t a = 0; a < dfa.alphabet().size(); ++a) {
      open.push_back(Append(u, SymbolAt(a)));
      kernel.push_back(open.back());
    }
  }
  Sample sample;
  for (const String& v : kernel) {
    const StateId q = RunFrom(dfa, dfa.start(), v);
    sample[v] = dfa.IsAccepting(q);
    for (const auto& [p, u] : first) {
      if (p == q) continue;
      const String w = Separator(dfa, p, q);
      for (const String& x : {u, v}) {
        String xw = x;
        xw.insert(xw.end(), w.begin(), w.end());
        sample[xw] = dfa.Accepts(xw);
      }
    }
  }
  return sample;
}

TEST(StateMerging, FindsTheLanguageOfACharacteristicSample) {
  std::size_t largest = 0;
  for (std::size_t trial = 0; trial < 300; ++trial) {
    Rng rng = Rng::For(trial, "state-merging-characteristic");
    const Alphabet alphabet = Letters(2 + rng.UniformInt(2));
    const Dfa minimal = Minimize(RandomDfa(1 + rng.UniformInt(15), alphabet, 0.9, rng));
    if (IsEmpty(minimal)) continue;
    Effort effort("test");
    const Dfa target = Complete(minimal, effort);
    Sample sample = CharacteristicSample(target);
    // Whatever else is true may be known, too.
    for (std::size_t i = 0; i < trial % 50; ++i) {
      const String w = RandomString(rng.UniformInt(13), alphabet.size(), rng);
      sample[w] = target.Accepts(w);
    }
    const MergedAutomaton learned = Learn(alphabet, sample);
    ASSERT_TRUE(learned.dfa);
    ASSERT_EQ(Minimize(*learned.dfa), Minimize(target)) << trial;
    ASSERT_LE(learned.dfa->num_states(), target.num_states());
    largest = std::max(largest, learned.dfa->num_states());
  }
  EXPECT_GE(largest, 10u);
}

TEST(StateMerging, SaysThatAStringHasBothLabels) {
  const Alphabet alphabet({"a", "b"});
  const String w{SymbolAt(0), SymbolAt(1)};
  const std::vector<StringView> strings{w, w};
  const std::vector<std::uint8_t> labels{0, 1};
  const MergedAutomaton learned = LearnByMerging(alphabet, strings, labels);
  EXPECT_FALSE(learned.dfa);
  EXPECT_EQ(learned.stopped, "stopped: 'a b' has both labels");
}

TEST(StateMerging, SaysWhereItStopped) {
  const Alphabet alphabet({"a", "b"});
  Rng rng = Rng::For(3, "state-merging-limits");
  Sample sample;
  for (int i = 0; i < 500; ++i)
    sample.try_emplace(RandomString(rng.UniformInt(21), 2, rng), rng.Bit());
  const MergedAutomaton most = Learn(alphabet, sample, {.most_visits = 5'000});
  EXPECT_FALSE(most.dfa);
  EXPECT_THAT(most.stopped, testing::HasSubstr("stopped after 5000 visits of states, with "));
  EXPECT_LT(most.visits, 50'000u);
  const MergedAutomaton large = Learn(alphabet, sample, {.most_transitions = 100});
  EXPECT_EQ(large.stopped, "stopped: the strings have more than 50 prefixes over 2 symbols");
  EXPECT_TRUE(Learn(alphabet, sample).dfa);
}

TEST(StateMerging, NoStringsGiveTheEmptyLanguage) {
  const MergedAutomaton learned = Learn(Alphabet({"a"}), {});
  ASSERT_TRUE(learned.dfa);
  EXPECT_FALSE(learned.dfa->Accepts({}));
}

}  // namespace
}  // namespace flare
