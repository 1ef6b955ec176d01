// The minimal complete DFA of a language, as what its letters do to its states: where everything in
// this folder begins.
//
// Symbols that act alike are one *letter* here. That changes nothing that is decided in this
// folder: L is the inverse image of the language over the letters under a map that keeps lengths,
// and that language is the inverse image of L under a choice of symbols, and all the classes are
// closed under both.
//
// States are numbered as in the minimal trim DFA (`flare show`); the sink, if the language needs
// one, is the last.

#ifndef FLARE_CLASSES_SYNTACTIC_AUTOMATON_H_
#define FLARE_CLASSES_SYNTACTIC_AUTOMATON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flare/automata/dfa.h"

namespace flare::classes {

using State = std::uint32_t;
using Letter = std::uint32_t;
using Word = std::vector<Letter>;

class SyntacticAutomaton {
 public:
  static constexpr std::size_t kLargestTable = 20'000'000;

  // Any DFA of the language, which may be empty. Throws InputError if there are more transitions
  // than kLargestTable.
  explicit SyntacticAutomaton(const Dfa& dfa);

  const Alphabet& alphabet() const { return alphabet_; }
  std::size_t num_states() const { return accepting_.size(); }
  std::size_t num_letters() const { return symbols_.size(); }
  State start() const { return start_; }
  bool IsAccepting(State q) const { return accepting_[q] != 0; }
  // The one state from which nothing is accepted, if there is one.
  std::optional<State> sink() const { return sink_; }

  State Next(State q, Letter a) const { return next_[q * num_letters() + a]; }
  State Run(State q, const Word& w) const;
  // (|Q|, letters): all targets, state by state.
  std::span<const State> table() const { return next_; }

  // The first symbol of a letter, and all of them.
  Symbol SymbolOf(Letter a) const { return symbols_[a]; }
  std::span<const Symbol> SymbolsOf(Letter a) const { return alike_[a]; }
  Letter LetterOf(Symbol a) const;
  String Spell(const Word& w) const;
  // A letter that acts as the identity.
  bool IsNeutral(Letter a) const { return neutral_[a] != 0; }
  bool HasNeutral() const;
  // The symbols that are not neutral: the smallest tier that decides membership.
  std::vector<Symbol> Tier() const;
  // The language over the letters of the tier alone: without its neutral letters, with the same
  // states. The tier may be empty.
  SyntacticAutomaton OnTier() const;
  // The complement: the same states and letters, acceptance reversed.
  SyntacticAutomaton Complement() const;
  // The minimal complete DFA of {w : wa is in the language}.
  SyntacticAutomaton Before(Letter a) const;

  // For every state, 1 if some (accepting: an accepting, else a rejecting) state can be reached.
  std::vector<std::uint8_t> CanReach(bool accepting) const;

  // The first of the shortest words that lead from p to q; nothing if none does.
  std::optional<Word> Path(State p, State q) const;
  // Every state can be reached from the start.
  Word Access(State q) const { return *Path(start_, q); }
  // The first of the shortest words from p to a state that accepts, or rejects, if there is one.
  std::optional<Word> PathToOutcome(State p, bool accepting) const;
  // The first of the shortest words after which exactly one of p ≠ q accepts.
  Word Separate(State p, State q) const;

 private:
  SyntacticAutomaton(Alphabet alphabet, State start)
      : alphabet_(std::move(alphabet)), start_(start) {}
  void FindSinkAndNeutral();

  Alphabet alphabet_;
  State start_ = 0;
  std::optional<State> sink_;
  std::vector<std::uint8_t> accepting_;
  std::vector<Symbol> symbols_;             // the first of each letter
  std::vector<std::vector<Symbol>> alike_;  // all of each letter
  std::vector<std::uint8_t> neutral_;
  std::vector<State> next_;
};

}  // namespace flare::classes

#endif  // FLARE_CLASSES_SYNTACTIC_AUTOMATON_H_
