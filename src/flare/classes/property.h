// Words that show why an answer is what it is, and what they do to states, so that a person can
// follow them through the automaton.

#ifndef FLARE_CLASSES_PROPERTY_H_
#define FLARE_CLASSES_PROPERTY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/classes/syntactic_automaton.h"

namespace flare::classes {

struct Witness {
  // What the words show; they are named by single letters, and xuz is their concatenation.
  std::string claim;
  std::vector<std::pair<char, String>> words;
  // A concatenation of named words leads from one state to another.
  struct Move {
    std::string word;
    StateId from;
    StateId to;
    bool operator==(const Move&) const = default;
  };
  std::vector<Move> moves;
};

// Makes a witness by running its words, so that what it says about states is true.
class WitnessMaker {
 public:
  WitnessMaker(const SyntacticAutomaton& automaton, std::string claim)
      : automaton_(automaton), witness_{std::move(claim), {}, {}} {}

  WitnessMaker& Add(char name, const Word& word);
  // Where `expression` leads from q; the names in it have been added.
  WitnessMaker& Move(const std::string& expression, State q);
  WitnessMaker& FromStart(const std::string& expression) {
    return Move(expression, automaton_.start());
  }
  Witness Take() { return std::move(witness_); }

 private:
  const SyntacticAutomaton& automaton_;
  std::vector<std::pair<char, Word>> words_;
  Witness witness_;
};

// The answer to one question about a language: does it belong to a class?
struct Property {
  std::optional<bool> holds;
  // Where the class is a union over k and `holds` is true: the smallest, if it is known.
  std::optional<std::size_t> k = {};
  // Why not, or why no smaller k.
  std::optional<Witness> witness = {};
  // The limit that was met, if `holds` or `k` is not known.
  std::string limit = {};

  static Property Yes() { return {.holds = true}; }
  static Property Yes(std::size_t k) { return {.holds = true, .k = k}; }
  static Property Yes(std::size_t k, Witness reason) {
    return {.holds = true, .k = k, .witness = std::move(reason)};
  }
  static Property No(Witness witness) { return {.holds = false, .witness = std::move(witness)}; }
  static Property Unknown(std::string limit) { return {.holds = {}, .limit = std::move(limit)}; }
};

}  // namespace flare::classes

#endif  // FLARE_CLASSES_PROPERTY_H_
