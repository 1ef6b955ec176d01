#include "flare/extraction/query_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

// ε is nobody's child.
constexpr std::uint32_t kNoChild = 0;

// Thrown from wherever a limit is met to Refine, which then leaves the hypothesis as it is.
struct LimitMet {
  std::string limit;
};

// The number of strings that are asked for at a time, whose answers take some megabytes.
constexpr std::size_t kStringsAtATime = 4'096;
// The most strings that AskAroundStates tries.
constexpr std::size_t kMostAround = std::size_t{1} << 14;

bool LabelOfEmpty(const AskPrefixes& ask) {
  const std::vector<String> only_empty(1);
  const std::vector<std::uint8_t> labels = ask(only_empty);
  FLARE_CHECK(labels.size() == 1);
  return labels[0] != 0;
}

String Join(const String& a, StringView b) {
  String joined;
  joined.reserve(a.size() + b.size());
  joined.insert(joined.end(), a.begin(), a.end());
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

Dfa OneState(const Alphabet& alphabet, bool accepting) {
  DfaBuilder builder(alphabet);
  const StateId q = builder.AddState(accepting);
  for (std::size_t a = 0; a < alphabet.size(); ++a) builder.AddTransition(q, SymbolAt(a), q);
  return std::move(builder).Build(q);
}

bool IsPrefix(const String& u, const String& w) {
  return u.size() <= w.size() && std::equal(u.begin(), u.end(), w.begin());
}

}  // namespace

LabelledPrefixes::LabelledPrefixes(bool label_of_empty)
    : by_length_{{{0, Symbol{}, label_of_empty}}},
      children_{{0, Symbol{}, 0}},
      slots_(1024, kNoChild) {}

std::size_t LabelledPrefixes::SlotOf(std::uint32_t parent, Symbol symbol) const {
  // The high bits of a product with an odd number depend on all bits of the key.
  const std::uint64_t key = (std::uint64_t{parent} << 32 | Index(symbol)) * 0x9E3779B97F4A7C15;
  std::size_t slot = (key >> 32) & (slots_.size() - 1);
  for (;; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t child = slots_[slot];
    if (child == kNoChild) return slot;
    if (children_[child].parent == parent && children_[child].symbol == symbol) return slot;
  }
}

void LabelledPrefixes::Grow() {
  FLARE_CHECK(children_.size() < std::numeric_limits<std::uint32_t>::max() / 2);
  slots_.assign(2 * slots_.size(), kNoChild);
  for (std::size_t i = 1; i < children_.size(); ++i) {
    slots_[SlotOf(children_[i].parent, children_[i].symbol)] = static_cast<std::uint32_t>(i);
  }
}

String LabelledPrefixes::StringAt(std::size_t length, std::size_t place) const {
  String w(length);
  for (std::size_t n = length; n > 0; --n) {
    const Node& node = by_length_[n][place];
    w[n - 1] = node.symbol;
    place = node.prefix;
  }
  return w;
}

std::optional<bool> LabelledPrefixes::Find(StringView w) const {
  std::uint32_t at = 0;
  for (const Symbol a : w) {
    at = slots_[SlotOf(at, a)];
    if (at == kNoChild) return std::nullopt;
  }
  return by_length_[w.size()][children_[at].place].label;
}

void LabelledPrefixes::Add(StringView w, std::span<const std::uint8_t> labels) {
  FLARE_CHECK(labels.size() == w.size() + 1);
  if (by_length_.size() <= w.size()) by_length_.resize(w.size() + 1);
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    std::size_t slot = SlotOf(at, w[i]);
    if (slots_[slot] == kNoChild) {
      if (2 * children_.size() >= slots_.size()) {
        Grow();
        slot = SlotOf(at, w[i]);
      }
      slots_[slot] = static_cast<std::uint32_t>(children_.size());
      std::vector<Node>& level = by_length_[i + 1];
      level.push_back({children_[at].place, w[i], labels[i + 1] != 0});
      children_.push_back({at, w[i], static_cast<std::uint32_t>(level.size() - 1)});
    }
    at = slots_[slot];
  }
}

QueryLearner::QueryLearner(Alphabet alphabet, AskPrefixes ask, LearnerLimits limits)
    : alphabet_(std::move(alphabet)),
      ask_(std::move(ask)),
      limits_(limits),
      known_(LabelOfEmpty(ask_)),
      hypothesis_(OneState(alphabet_, Label({}))) {
  FLARE_CHECK(alphabet_.size() > 0 && limits_.max_states > 0 && limits_.max_queries > 0);
  AddLeaf(tree_[0].child[Label({}) ? 1 : 0], {});
  try {
    CloseTransitions();
    hypothesis_ = MakeHypothesis();
  } catch (const LimitMet& met) {
    limit_ = met.limit;
  }
}

void QueryLearner::Ask(std::vector<String> strings) {
  std::erase_if(strings, [&](const String& w) { return known_.Find(w).has_value(); });
  std::sort(strings.begin(), strings.end());
  // This order puts a string after its prefixes, whose answers it includes.
  std::vector<String> asked;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (i + 1 < strings.size() && IsPrefix(strings[i], strings[i + 1])) continue;
    asked.push_back(std::move(strings[i]));
  }
  for (std::size_t begin = 0; begin < asked.size();) {
    if (num_queries_ >= limits_.max_queries) {
      throw LimitMet{fmt::format("{} queries", limits_.max_queries)};
    }
    const std::size_t count =
        std::min({kStringsAtATime, asked.size() - begin, limits_.max_queries - num_queries_});
    const auto part = std::span<const String>(asked).subspan(begin, count);
    for (const String& w : part) {
      if (w.size() > limits_.max_length) {
        throw LimitMet{fmt::format("strings of {} symbols", limits_.max_length)};
      }
    }
    const std::vector<std::uint8_t> labels = ask_(part);
    std::span<const std::uint8_t> rest = labels;
    for (const String& w : part) {
      FLARE_CHECK(rest.size() > w.size());
      known_.Add(w, rest.first(w.size() + 1));
      rest = rest.subspan(w.size() + 1);
    }
    num_queries_ += count;
    begin += count;
  }
}

bool QueryLearner::AskLabel(const String& w) {
  Ask({w});
  return Label(w);
}

void QueryLearner::AddToPool(std::span<const String> strings) {
  if (!limit_.empty()) return;
  try {
    Ask({strings.begin(), strings.end()});
  } catch (const LimitMet& met) {
    limit_ = met.limit;
  }
}

void QueryLearner::AddLeaf(std::uint32_t& place, const String& access) {
  if (states_.size() >= limits_.max_states) {
    throw LimitMet{Counted(limits_.max_states, "state")};
  }
  const auto leaf = static_cast<std::uint32_t>(tree_.size());
  place = leaf;  // before the tree grows: it is a place in it
  tree_.push_back({.state = static_cast<std::uint32_t>(states_.size())});
  states_.push_back({access, Label(access), leaf});
}

std::vector<std::uint32_t> QueryLearner::Sift(const std::vector<String>& strings,
                                              std::uint32_t top) {
  std::vector<std::uint32_t> at(strings.size(), top);
  for (;;) {
    std::vector<std::size_t> on_the_way;
    std::vector<String> questions;
    for (std::size_t i = 0; i < strings.size(); ++i) {
      if (tree_[at[i]].state) continue;
      on_the_way.push_back(i);
      questions.push_back(Join(strings[i], tree_[at[i]].suffix));
    }
    if (on_the_way.empty()) break;
    Ask(questions);
    for (std::size_t k = 0; k < on_the_way.size(); ++k) {
      const std::size_t i = on_the_way[k];
      const std::size_t side = Label(questions[k]) ? 1 : 0;
      const std::uint32_t node = at[i];
      if (tree_[node].child[side] == 0) AddLeaf(tree_[node].child[side], strings[i]);
      at[i] = tree_[node].child[side];
    }
  }
  for (std::uint32_t& node : at) node = *tree_[node].state;
  return at;
}

void QueryLearner::CloseTransitions() {
  while (closed_ < states_.size()) {
    const std::size_t begin = closed_;
    std::vector<String> strings;
    for (; closed_ < states_.size(); ++closed_) {
      for (std::size_t a = 0; a < alphabet_.size(); ++a) {
        strings.push_back(Join(states_[closed_].access, String{SymbolAt(a)}));
      }
    }
    const std::vector<std::uint32_t> reached = Sift(strings, 0);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      states_[begin + i / alphabet_.size()].next.push_back(reached[i]);
    }
  }
}

void QueryLearner::Resift(std::uint32_t split, std::uint32_t top) {
  std::vector<std::uint32_t*> targets;
  std::vector<String> strings;
  for (State& state : states_) {
    for (std::size_t a = 0; a < state.next.size(); ++a) {
      if (state.next[a] != split) continue;
      targets.push_back(&state.next[a]);
      strings.push_back(Join(state.access, String{SymbolAt(a)}));
    }
  }
  // Both places below `top` are taken: no state is added.
  const std::vector<std::uint32_t> reached = Sift(strings, top);
  for (std::size_t i = 0; i < targets.size(); ++i) *targets[i] = reached[i];
}

std::uint32_t QueryLearner::StateAfter(StringView w) const {
  std::uint32_t state = 0;
  for (const Symbol a : w) state = states_[state].next[Index(a)];
  return state;
}

void QueryLearner::Split(const String& w) {
  // The answer for w with its first i symbols replaced by the access string of the state after
  // them: for i = 0 it is the true one, for i = |w| the hypothesis's, and they differ.
  const auto answer = [&](std::size_t i) {
    return AskLabel(
        Join(states_[StateAfter(StringView(w).first(i))].access, StringView(w).subspan(i)));
  };
  const bool truth = Label(w);
  std::size_t low = 0, high = w.size();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (answer(middle) == truth ? low : high) = middle;
  }
  // So the suffix after w[low] tells the access string of the state before it, with w[low], from
  // that of the state after it.
  const State& before = states_[StateAfter(StringView(w).first(low))];
  const std::uint32_t split = before.next[Index(w[low])];
  const String access = Join(before.access, String{w[low]});
  const String suffix(w.begin() + static_cast<std::ptrdiff_t>(high), w.end());
  const std::uint32_t top = states_[split].leaf;
  const std::size_t side = AskLabel(Join(states_[split].access, suffix)) ? 1 : 0;
  const auto kept = static_cast<std::uint32_t>(tree_.size());
  tree_.push_back({.state = split});
  states_[split].leaf = kept;
  tree_[top] = {.state = std::nullopt, .suffix = suffix};
  tree_[top].child[side] = kept;
  AddLeaf(tree_[top].child[1 - side], access);
  Resift(split, top);
  CloseTransitions();
}

std::optional<String> QueryLearner::FirstDisagreement() const {
  const std::size_t width = alphabet_.size();
  // Put the transitions side by side, since every known prefix follows them.
  std::vector<std::uint32_t> next;      // (states, symbols)
  std::vector<std::uint8_t> accepting;  // by state
  for (const State& state : states_) {
    next.insert(next.end(), state.next.begin(), state.next.end());
    accepting.push_back(state.accepting ? 1 : 0);
  }
  std::vector<std::uint32_t> before, after = {0};  // states after the strings of one length
  for (std::size_t n = 0; n < known_.by_length().size(); ++n) {
    const std::vector<LabelledPrefixes::Node>& nodes = known_.by_length()[n];
    if (n > 0) {
      before.swap(after);
      after.resize(nodes.size());
    }
    std::optional<String> first;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (n > 0) after[i] = next[before[nodes[i].prefix] * width + Index(nodes[i].symbol)];
      if ((accepting[after[i]] != 0) == nodes[i].label) continue;
      String w = known_.StringAt(n, i);
      if (!first || w < *first) first = std::move(w);
    }
    if (first) return first;
  }
  return std::nullopt;
}

void QueryLearner::AskAroundStates() {
  // One symbol after a state was sifted already; two may lead elsewhere than the hypothesis says.
  // Then there is a disagreement among what is asked on the way down the tree.
  std::vector<String> strings;
  for (const State& state : states_) {
    for (std::size_t a = 0; a < alphabet_.size(); ++a) {
      for (std::size_t b = 0; b < alphabet_.size() && strings.size() < kMostAround; ++b) {
        strings.push_back(Join(state.access, String{SymbolAt(a), SymbolAt(b)}));
      }
    }
  }
  Sift(strings, 0);
  CloseTransitions();
}

bool QueryLearner::Refine() {
  if (!limit_.empty()) return false;
  try {
    auto w = FirstDisagreement();
    if (!w) {
      AskAroundStates();
      w = FirstDisagreement();
    }
    if (!w) return false;
    while (Label(*w) != states_[StateAfter(*w)].accepting) Split(*w);
  } catch (const LimitMet& met) {
    limit_ = met.limit;
    return false;
  }
  hypothesis_ = MakeHypothesis();
  return true;
}

Dfa QueryLearner::MakeHypothesis() const {
  DfaBuilder builder(alphabet_);
  for (const State& state : states_) builder.AddState(state.accepting);
  for (std::size_t s = 0; s < states_.size(); ++s) {
    for (std::size_t a = 0; a < alphabet_.size(); ++a) {
      builder.AddTransition(StateAt(s), SymbolAt(a), StateAt(states_[s].next[a]));
    }
  }
  return std::move(builder).Build(StateAt(0));
}

}  // namespace flare
