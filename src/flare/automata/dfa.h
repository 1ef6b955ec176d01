// A partial deterministic finite automaton 𝓐 = (Q, Σ, δ, q₀, F) (paper, Definition 1): at most one
// transition per state and symbol, and often none. A value: built once by DfaBuilder, then
// constant.
//
//   DfaBuilder b(Alphabet({"0", "1"}));
//   const StateId even = b.AddState(false), odd = b.AddState(true);
//   b.AddTransition(even, "1", odd);
//   ...
//   const Dfa parity = std::move(b).Build(even);

#ifndef FLARE_AUTOMATA_DFA_H_
#define FLARE_AUTOMATA_DFA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/next_symbols.h"
#include "flare/automata/symbol.h"

namespace flare {

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

  // Equal as automata, number by number; see equivalence.h for equal languages.
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

}  // namespace flare

#endif  // FLARE_AUTOMATA_DFA_H_
