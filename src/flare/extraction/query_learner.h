// Learns a DFA from a function that says, for strings, whether each of their prefixes is accepted.
// A network is such a function; nothing else of it is used here.
//
// Kearns and Vazirani's discrimination tree (1994): a leaf is a state with the string that first
// led to it, an inner node a suffix that tells the states on its two sides apart. If hypothesis and
// answers disagree on a string, Rivest and Schapire's binary search (1993) cuts it and adds one
// state. The learner takes the shortlex-first disagreement among all strings that it has asked for,
// so the answers determine everything. It asks for many strings at a time, and for none twice.
//
//   QueryLearner learner(alphabet, ask, {.max_states = 500, .max_queries = 1'000'000});
//   learner.AddToPool(strings);
//   while (learner.Refine()) {}
//   const Dfa dfa = learner.hypothesis();
//
// If no limit is met, the hypothesis is right on all that was asked, and no two of its states are
// equivalent.

#ifndef FLARE_EXTRACTION_QUERY_LEARNER_H_
#define FLARE_EXTRACTION_QUERY_LEARNER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"

namespace flare {

// Strings with a label each: a trie, so that all prefixes of a string are kept with it. It is laid
// out by length, each string of n symbols next to the others of n symbols, with the place of its
// prefix among those of n − 1. So running an automaton over all of them goes through memory in
// order, and a search for a shortest string can stop early.
class LabelledPrefixes {
 public:
  struct Node {
    std::uint32_t prefix;  // its place among those one symbol shorter; 0 for ε
    Symbol symbol;         // the one that led here from there
    bool label;
  };

  // ε is always there.
  explicit LabelledPrefixes(bool label_of_empty);

  // [n] are the strings of n symbols.
  const std::vector<std::vector<Node>>& by_length() const { return by_length_; }
  String StringAt(std::size_t length, std::size_t place) const;

  // Returns nothing if w is neither an added string nor a prefix of one. O(|w|).
  std::optional<bool> Find(StringView w) const;
  // `labels` are those of ε, w₁, …, w. A string that is there keeps its label.
  void Add(StringView w, std::span<const std::uint8_t> labels);

 private:
  // Strings by number, in the order in which they came; ε is 0.
  struct Child {
    std::uint32_t parent;
    Symbol symbol;
    std::uint32_t place;  // among those of its length
  };

  // Returns the place of the child in slots_, or the empty place for it.
  std::size_t SlotOf(std::uint32_t parent, Symbol symbol) const;
  void Grow();

  std::vector<std::vector<Node>> by_length_;
  std::vector<Child> children_;
  // Numbers by parent and symbol: open addressing, a power of two of places, at most half full.
  std::vector<std::uint32_t> slots_;
};

// Returns the answers for ε, w₁, w₁w₂, …, w of each string w in turn, side by side: 1 for accepted.
using AskPrefixes = std::function<std::vector<std::uint8_t>(std::span<const String> strings)>;

struct LearnerLimits {
  std::size_t max_states = 500;
  std::size_t max_queries = 1'000'000;  // strings; their prefixes are not counted
  std::size_t max_length = std::numeric_limits<std::size_t>::max();  // of strings that are asked
};

class QueryLearner {
 public:
  // Requires: a symbol, a state and a query at least.
  QueryLearner(Alphabet alphabet, AskPrefixes ask, LearnerLimits limits);

  // Asks for these strings, to compare hypotheses with them and their prefixes.
  void AddToPool(std::span<const String> strings);

  // Finds the shortlex-first disagreement, and adds states until the hypothesis is right there. If
  // there is none, asks for strings around the states. False if there is still none, or a limit is
  // met, which leaves the hypothesis as it is.
  bool Refine();

  // Complete; a sink is a state like others.
  const Dfa& hypothesis() const { return hypothesis_; }
  std::size_t num_queries() const { return num_queries_; }
  // The limit that was met, "500 states"; empty if none was.
  const std::string& limit() const { return limit_; }

 private:
  struct TreeNode {
    // The state that a leaf stands for.
    std::optional<std::uint32_t> state = {};
    // The children of an inner node: for states that reject the suffix, and for those that accept
    // it. 0 is an empty place, which only the root may have.
    String suffix = {};
    std::array<std::uint32_t, 2> child = {0, 0};
  };
  struct State {
    String access;
    bool accepting;
    std::uint32_t leaf;
    std::vector<std::uint32_t> next = {};  // by symbol
  };

  // Asks for those that are not known yet. Throws LimitMet.
  void Ask(std::vector<String> strings);
  // Requires: asked for.
  bool Label(const String& w) const { return *known_.Find(w); }
  bool AskLabel(const String& w);

  // Sifts strings down the tree from `top`, and returns their states; a string that gets to an
  // empty place makes a new state. All strings go down together, so that a level costs one round of
  // questions.
  std::vector<std::uint32_t> Sift(const std::vector<String>& strings, std::uint32_t top);
  void AddLeaf(std::uint32_t& place, const String& access);
  // Gives new states their transitions, which may add more.
  void CloseTransitions();
  void Resift(std::uint32_t split, std::uint32_t top);

  std::uint32_t StateAfter(StringView w) const;
  std::optional<String> FirstDisagreement() const;
  // Adds a state by w, on which the hypothesis is wrong.
  void Split(const String& w);
  void AskAroundStates();
  Dfa MakeHypothesis() const;

  Alphabet alphabet_;
  AskPrefixes ask_;
  LearnerLimits limits_;
  LabelledPrefixes known_;
  std::size_t num_queries_ = 1;
  std::string limit_;
  std::vector<TreeNode> tree_{1};  // [0] is the root, with the suffix ε
  std::vector<State> states_;
  std::size_t closed_ = 0;  // states that have transitions
  Dfa hypothesis_;
};

}  // namespace flare

#endif  // FLARE_EXTRACTION_QUERY_LEARNER_H_
