#include "flare/automata/state_merging.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/long_work.h"
#include "flare/base/text.h"

namespace flare {
namespace {

using Node = std::uint32_t;
constexpr Node kNone = 0xffffffff;
enum Label : std::int8_t { kUnknown = -1, kRejects = 0, kAccepts = 1 };

// The states: red ones with any transitions among them, and below each blue one a tree. So a merge
// folds a tree into the automaton, and meets every state of the tree at most once.
class FoldedTree {
 public:
  explicit FoldedTree(std::size_t symbols) : symbols_(symbols) { AddNode(); }

  std::size_t size() const { return labels_.size(); }
  std::size_t symbols() const { return symbols_; }
  Node Next(Node q, std::size_t a) const { return next_[q * symbols_ + a]; }
  Label LabelOf(Node q) const { return labels_[q]; }
  std::uint64_t visits() const { return visits_; }

  Node AddNode() {
    labels_.push_back(kUnknown);
    next_.insert(next_.end(), symbols_, kNone);
    return static_cast<Node>(labels_.size() - 1);
  }
  void SetNext(Node q, std::size_t a, Node to) { next_[q * symbols_ + a] = to; }
  void SetLabel(Node q, Label label) { labels_[q] = label; }

  // Merges the blue state that `from` reaches by `a` with a red state. Returns how many pairs of
  // labelled states became one; nothing, and nothing has changed, if two labels differ.
  std::optional<std::size_t> Merge(Node from, std::size_t a, Node red) {
    old_next_.clear();
    newly_labelled_.clear();
    std::size_t pairs = 0;
    open_.assign(1, {red, Next(from, a)});
    Redirect(from * symbols_ + a, red);
    while (!open_.empty()) {
      const auto [q, tree] = open_.back();
      open_.pop_back();
      ++visits_;
      if (labels_[tree] != kUnknown) {
        if (labels_[q] == kUnknown) {
          labels_[q] = labels_[tree];
          newly_labelled_.push_back(q);
        } else if (labels_[q] == labels_[tree]) {
          ++pairs;
        } else {
          Undo();
          return std::nullopt;
        }
      }
      for (std::size_t b = 0; b < symbols_; ++b) {
        const Node child = Next(tree, b);
        if (child == kNone) continue;
        const Node there = Next(q, b);
        if (there == kNone) {
          Redirect(q * symbols_ + b, child);
        } else {
          open_.emplace_back(there, child);
        }
      }
    }
    return pairs;
  }

  // Takes the last merge back.
  void Undo() {
    for (auto change = old_next_.rbegin(); change != old_next_.rend(); ++change) {
      next_[change->first] = change->second;
    }
    for (const Node q : newly_labelled_) labels_[q] = kUnknown;
  }

 private:
  void Redirect(std::size_t transition, Node to) {
    old_next_.emplace_back(transition, next_[transition]);
    next_[transition] = to;
  }

  std::size_t symbols_;
  std::vector<Node> next_;
  std::vector<Label> labels_;
  std::uint64_t visits_ = 0;
  // Changes that the last merge made.
  std::vector<std::pair<std::size_t, Node>> old_next_;
  std::vector<Node> newly_labelled_;
  std::vector<std::pair<Node, Node>> open_;
};

struct Red {
  Node node;
  String word;  // the first string that led to it
};

struct Blue {
  std::size_t red;  // its predecessor, by index
  Symbol symbol;
  Node node;
  String word;
  // The number of pairs that the merge with each red state joins, for the red states that were
  // tried; kNever if labels differ. A forbidden merge stays forbidden, since merges only add
  // constraints.
  std::vector<std::int64_t> pairs = {};
  std::uint64_t version = 0;  // the automaton for which they were counted
};
constexpr std::int64_t kNever = -1;

bool IsBefore(const String& u, const String& v) {
  return u.size() != v.size() ? u.size() < v.size() : u < v;
}

class Merger {
 public:
  Merger(const Alphabet& alphabet, FoldedTree tree, const MergingLimits& limits)
      : alphabet_(alphabet), tree_(std::move(tree)), limits_(limits) {
    MakeRed({0, {}});
  }

  MergedAutomaton Learn() {
    while (!blues_.empty()) {
      if (PromoteFirst()) continue;
      if (tree_.visits() > limits_.most_visits) return Stopped();
      MergeBest();
    }
    return {.dfa = Result(), .visits = tree_.visits()};
  }

 private:
  MergedAutomaton Stopped() const {
    return {
        .stopped = fmt::format("stopped after {} visits of states, with {} and {} undecided",
                               limits_.most_visits, Counted(reds_.size(), "state"), blues_.size()),
        .visits = tree_.visits()};
  }

  void MakeRed(Red red) {
    is_known_.insert(red.node);
    reds_.push_back(std::move(red));
    FindBlues(reds_.size() - 1);
  }

  // Adds the successors of a red state that are not known yet.
  void FindBlues(std::size_t red) {
    for (std::size_t a = 0; a < tree_.symbols(); ++a) {
      const Node node = tree_.Next(reds_[red].node, a);
      if (node == kNone || !is_known_.insert(node).second) continue;
      Blue blue{.red = red, .symbol = SymbolAt(a), .node = node, .word = reds_[red].word};
      blue.word.push_back(SymbolAt(a));
      const auto place =
          std::upper_bound(blues_.begin(), blues_.end(), blue,
                           [](const Blue& x, const Blue& y) { return IsBefore(x.word, y.word); });
      blues_.insert(place, std::move(blue));
    }
  }

  // Brings `pairs` up to date; false if no red state may be merged with it. The limit is looked at
  // by the caller.
  bool Try(Blue& blue) {
    bool may_merge = false;
    for (std::size_t r = 0; r < reds_.size(); ++r) {
      const bool is_new = r >= blue.pairs.size();
      if (is_new) blue.pairs.push_back(0);
      std::int64_t& pairs = blue.pairs[r];
      if (pairs == kNever) continue;
      if (is_new || blue.version != version_) {
        Interruption::Check();
        const auto joined = tree_.Merge(reds_[blue.red].node, Index(blue.symbol), reds_[r].node);
        if (joined) tree_.Undo();
        pairs = joined ? static_cast<std::int64_t>(*joined) : kNever;
      }
      may_merge = may_merge || pairs != kNever;
    }
    blue.version = version_;
    return may_merge;
  }

  // Makes the first blue state red that can be merged with none. False if there is none, or the
  // limit is met.
  bool PromoteFirst() {
    for (std::size_t i = 0; i < blues_.size(); ++i) {
      if (tree_.visits() > limits_.most_visits) return false;
      if (Try(blues_[i])) continue;
      Red red{blues_[i].node, std::move(blues_[i].word)};
      blues_.erase(blues_.begin() + static_cast<std::ptrdiff_t>(i));
      MakeRed(std::move(red));
      return true;
    }
    return false;
  }

  void MergeBest() {
    std::size_t best = 0, with = 0;
    std::int64_t most = kNever;
    // Red states in the order of their words, which they need not have been found in.
    std::vector<std::size_t> order(reds_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t x, std::size_t y) { return IsBefore(reds_[x].word, reds_[y].word); });
    for (std::size_t i = 0; i < blues_.size(); ++i) {
      for (const std::size_t r : order) {
        if (blues_[i].pairs[r] <= most) continue;
        most = blues_[i].pairs[r];
        best = i;
        with = r;
      }
    }
    FLARE_CHECK(most != kNever);
    const Blue blue = std::move(blues_[best]);
    blues_.erase(blues_.begin() + static_cast<std::ptrdiff_t>(best));
    const auto joined = tree_.Merge(reds_[blue.red].node, Index(blue.symbol), reds_[with].node);
    FLARE_CHECK(joined.has_value());
    ++version_;
    for (std::size_t r = 0; r < reds_.size(); ++r) FindBlues(r);
  }

  Dfa Result() const {
    std::vector<Node> nodes;
    for (const Red& red : reds_) nodes.push_back(red.node);
    DfaBuilder b(alphabet_);
    for (const Node node : nodes) b.AddState(tree_.LabelOf(node) == kAccepts);
    for (std::size_t r = 0; r < nodes.size(); ++r) {
      for (std::size_t a = 0; a < tree_.symbols(); ++a) {
        const Node to = tree_.Next(nodes[r], a);
        if (to == kNone) continue;
        const auto target = std::find(nodes.begin(), nodes.end(), to) - nodes.begin();
        b.AddTransition(StateAt(r), SymbolAt(a), StateAt(static_cast<std::size_t>(target)));
      }
    }
    return std::move(b).Build(StateAt(0));
  }

  const Alphabet& alphabet_;
  FoldedTree tree_;
  MergingLimits limits_;
  std::vector<Red> reds_;
  std::vector<Blue> blues_;            // in order
  std::unordered_set<Node> is_known_;  // is red, or has been blue
  std::uint64_t version_ = 0;          // merges so far
};

}  // namespace

MergedAutomaton LearnByMerging(const Alphabet& alphabet, std::span<const StringView> strings,
                               std::span<const std::uint8_t> labels, const MergingLimits& limits) {
  FLARE_CHECK(strings.size() == labels.size());
  FoldedTree tree(alphabet.size());
  for (std::size_t i = 0; i < strings.size(); ++i) {
    Interruption::Check();
    Node q = 0;
    for (const Symbol a : strings[i]) {
      Node next = tree.Next(q, Index(a));
      if (next == kNone) {
        if ((tree.size() + 1) * alphabet.size() > limits.most_transitions) {
          return {.stopped = fmt::format("stopped: the strings have more than {} prefixes over {}",
                                         tree.size(), Counted(alphabet.size(), "symbol"))};
        }
        next = tree.AddNode();
        tree.SetNext(q, Index(a), next);
      }
      q = next;
    }
    const Label label = labels[i] != 0 ? kAccepts : kRejects;
    if (tree.LabelOf(q) != kUnknown && tree.LabelOf(q) != label) {
      return {.stopped =
                  fmt::format("stopped: {} has both labels", Quoted(alphabet.Format(strings[i])))};
    }
    tree.SetLabel(q, label);
  }
  return Merger(alphabet, std::move(tree), limits).Learn();
}

}  // namespace flare
