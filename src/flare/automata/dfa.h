// Finite automata, deterministic ones and weighted ones, and the next-symbol sets of strings.

#ifndef FLARE_AUTOMATA_DFA_H_
#define FLARE_AUTOMATA_DFA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/automata/alphabet.h"

namespace flare {

// The next-symbol sets of a string w: for every prefix of w, from ε to w itself, the symbols of
// Σ ∪ {EOS} that can come next (paper §3.3). One flat array of bits; bit |Σ| stands for EOS.
class NextSymbolSets {
 public:
  explicit NextSymbolSets(std::size_t alphabet_size)
      : alphabet_size_(alphabet_size), words_per_set_(alphabet_size / 64 + 1) {}

  std::size_t alphabet_size() const { return alphabet_size_; }
  std::size_t size() const { return words_.size() / words_per_set_; }
  void Clear() { words_.clear(); }

  // Appends an empty set; Add and AddEos then fill the last one.
  void Append() { words_.insert(words_.end(), words_per_set_, 0); }
  void Add(Symbol a) { AddBit(Index(a)); }
  void AddEos() { AddBit(alphabet_size_); }
  // Appends a set with every symbol of Σ, without EOS.
  void AppendAll() {
    Append();
    for (std::size_t a = 0; a < alphabet_size_; ++a) AddBit(a);
  }
  // Appends a copy of a set that another object holds.
  void Append(std::span<const std::uint64_t> words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }

  // Appends all sets of another object. Requires: the same alphabet size.
  void Append(const NextSymbolSets& other) {
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
  }

  bool Contains(std::size_t t, Symbol a) const { return HasBit(t, Index(a)); }
  bool ContainsEos(std::size_t t) const { return HasBit(t, alphabet_size_); }
  std::span<const std::uint64_t> Words(std::size_t t) const {
    return {words_.data() + t * words_per_set_, words_per_set_};
  }

  bool operator==(const NextSymbolSets&) const = default;

 private:
  void AddBit(std::size_t bit) {
    words_[words_.size() - words_per_set_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  bool HasBit(std::size_t t, std::size_t bit) const {
    return ((words_[t * words_per_set_ + bit / 64] >> (bit % 64)) & 1) != 0;
  }

  std::size_t alphabet_size_;
  std::size_t words_per_set_;
  std::vector<std::uint64_t> words_;
};

// A partial deterministic finite automaton 𝓐 = (Q, Σ, δ, q₀, F) (paper, Definition 1): at most one
// transition per state and symbol, and often none. A value: built once by DfaBuilder, then
// constant.
//
//   DfaBuilder b(Alphabet({"0", "1"}));
//   const StateId even = b.AddState(false), odd = b.AddState(true);
//   b.AddTransition(even, "1", odd);
//   ...
//   const Dfa parity = std::move(b).Build(even);
class Dfa {
 public:
  struct Transition {
    Symbol symbol;
    StateId target;
    bool operator==(const Transition&) const = default;
  };

  const Alphabet& alphabet() const { return alphabet_; }
  std::size_t num_states() const { return accepting_.size(); }
  std::size_t num_transitions() const { return transitions_.size(); }
  StateId start() const { return start_; }
  bool IsAccepting(StateId q) const { return accepting_[Index(q)] != 0; }

  // The transitions that leave q, sorted by symbol.
  std::span<const Transition> TransitionsFrom(StateId q) const {
    const std::size_t begin = FirstTransition(q);
    return {transitions_.data() + begin, first_[Index(q) + 1] - begin};
  }
  // All transitions, those of a state side by side in the order of states; FirstTransition(q) is
  // where those of q begin, so that tables over δ can be flat.
  std::span<const Transition> transitions() const { return transitions_; }
  std::size_t FirstTransition(StateId q) const { return first_[Index(q)]; }

  // δ(q, a), or nothing. Logarithmic in the out-degree; Matcher is the fast way to run a DFA.
  std::optional<StateId> Next(StateId q, Symbol a) const;
  bool Accepts(StringView w) const;

  // Equal as automata, number by number; see ShortestDifference for equal languages.
  bool operator==(const Dfa&) const = default;

 private:
  friend class DfaBuilder;
  explicit Dfa(Alphabet alphabet) : alphabet_(std::move(alphabet)) {}

  Alphabet alphabet_;
  StateId start_{};
  std::vector<std::uint8_t> accepting_;
  std::vector<std::size_t> first_;  // |Q| + 1 offsets into transitions_
  std::vector<Transition> transitions_;
};

class DfaBuilder {
 public:
  explicit DfaBuilder(Alphabet alphabet) : dfa_(std::move(alphabet)) {}

  StateId AddState(bool accepting);
  // Requires: both states exist, and q has no transition on this symbol yet (checked by Build).
  void AddTransition(StateId q, Symbol a, StateId r) { arcs_.push_back({q, {a, r}}); }
  void AddTransition(StateId q, std::string_view name, StateId r) {
    AddTransition(q, dfa_.alphabet().At(name), r);
  }
  std::size_t num_states() const { return dfa_.num_states(); }

  Dfa Build(StateId start) &&;

 private:
  struct Arc {
    StateId source;
    Dfa::Transition transition;
  };
  Dfa dfa_;
  std::vector<Arc> arcs_;
};

// The paper's Algorithm 6: for every state, the symbols that can come next, and EOS if it accepts.
// Set q of the result belongs to state q. Requires: a trim DFA.
NextSymbolSets ComputeNext(const Dfa& trim);

// Weighted finite automata with ε-transitions over any semiring (paper, Definitions 3 and 8). A
// weighted DFA is one without ε and with at most one transition per state and symbol; an NFA is one
// over the boolean semiring. What the paper does with them is in paper/.
template <class Weight>
struct Wfa {
  struct Transition {
    std::optional<Symbol> symbol;  // nothing is ε
    Weight weight;
    StateId target;
  };
  struct State {
    Weight accept_weight;  // ρ(q)
    std::vector<Transition> transitions;
  };

  Alphabet alphabet;
  std::vector<State> states;
  StateId start{};

  explicit Wfa(Alphabet symbols) : alphabet(std::move(symbols)) {}

  StateId AddState(Weight accept_weight) {
    states.push_back({std::move(accept_weight), {}});
    return StateAt(states.size() - 1);
  }
  void AddTransition(StateId q, std::optional<Symbol> a, Weight weight, StateId r) {
    states[Index(q)].transitions.push_back({a, std::move(weight), r});
  }
  State& at(StateId q) { return states[Index(q)]; }
  const State& at(StateId q) const { return states[Index(q)]; }
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_DFA_H_
