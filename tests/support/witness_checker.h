// Follows the words of a witness through the automaton, letter by letter, and asks whether they
// show what they must. Shares nothing with what found them but the DFA.

#ifndef FLARE_TESTS_SUPPORT_WITNESS_CHECKER_H_
#define FLARE_TESTS_SUPPORT_WITNESS_CHECKER_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/classes/aperiodic.h"
#include "flare/classes/property.h"
#include "support/naive_counting.h"

namespace flare {

class WitnessChecker {
 public:
  // Requires: a minimal trim DFA of a language that is not empty.
  explicit WitnessChecker(const Dfa& minimal);

  // Is the answer to this question well founded? A *no* must have a witness against the class or
  // against one that it is a part of, a k a reason unless it is the least possible.
  bool Check(std::string_view key, const classes::Property& property);

 private:
  using Map = std::vector<std::size_t>;  // what a word does to each state

  bool CheckNo(std::string_view key) const;
  bool CheckOrder(std::string_view key, std::size_t k) const;
  bool IsPerfectGroup() const;
  bool NoPairIsFlipped() const;
  bool AreAlikeToCounting(bool at_last) const;

  bool Has(char name) const { return words_.contains(name); }
  std::size_t Length(char name) const { return words_.at(name).size(); }
  String Expand(std::string_view expression) const;
  std::size_t Run(std::size_t q, std::string_view expression) const;
  bool Accepts(std::string_view expression) const;
  bool AcceptsString(const String& w) const;
  Map Action(std::string_view expression) const;
  bool Same(std::string_view a, std::string_view b) const { return Action(a) == Action(b); }
  // The word u, which is not empty, leads from where `access` ends back to it.
  bool IsLoop(char u, std::string_view access) const;

  Alphabet alphabet_;
  PlainAutomaton plain_;
  std::size_t n_;
  std::size_t start_;
  std::vector<std::vector<std::size_t>> next_;  // by state and symbol
  std::vector<bool> accepting_;
  std::set<Symbol> neutral_;

  // Of the property that is being checked.
  bool complement_ = false;
  std::map<char, String> words_;
  const classes::Witness* witness_ = nullptr;
};

// Does the proof show that no word takes states in a circle? Looks at every pair of states of a
// component and at where each symbol takes it.
bool CheckRankedPairs(const Dfa& dfa, const classes::RankedPairs& proof);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_WITNESS_CHECKER_H_
