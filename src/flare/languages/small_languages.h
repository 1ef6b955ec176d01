// Every small language: the regular languages over {a, b} whose minimal complete DFA has at most
// four states, in an order that never changes. small:3:17 is the 17th of three states.
//
//   const Dfa dfa = MakeSmallDfa({3, 17});
//   FindSmall(dfa);                        // {3, 17}
//   RepresentativeOf({3, 17});             // the first that differs by letters and complement only
//
// Definition. Number the states of a minimal complete DFA breadth-first from the start: 0 is the
// start, and the others follow in the order in which δ(0,a), δ(0,b), δ(1,a), δ(1,b), … first
// reaches them. A language of K states is then the word
//
//   δ(0,a) δ(0,b) δ(1,a) … δ(K−1,b) F(0) … F(K−1)
//
// of 2K targets and K marks, where F(q) is 0 if q accepts and 1 if it does not. Words are ordered
// lexicographically, and I counts them from 1. There are 2, 24, 1,028 and 56,014 for K = 1 to 4.
//
// Exchanging the letters and taking the complement keep the number of states. The first language of
// each orbit under both is its representative; as accepting comes first, every representative
// contains the empty string. There are 1, 7, 262 and 14,050.

#ifndef FLARE_LANGUAGES_SMALL_LANGUAGES_H_
#define FLARE_LANGUAGES_SMALL_LANGUAGES_H_

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/automata/dfa.h"

namespace flare {

inline constexpr std::size_t kMostSmallStates = 4;

struct SmallLanguage {
  std::size_t states = 1;
  std::size_t index = 1;  // from 1

  std::string Text() const;  // "small:3:17"
  auto operator<=>(const SmallLanguage&) const = default;
};

// Returns the number of languages of that many states. Requires: 1 to kMostSmallStates, as below.
std::size_t CountSmallLanguages(std::size_t states);

// The minimal complete DFA over {a, b}, numbered as above. Requires: there is such a language.
Dfa MakeSmallDfa(const SmallLanguage& language);

// Returns the small language of a DFA over two symbols, of which the first counts as a; nothing if
// the DFA has more states or another number of symbols.
std::optional<SmallLanguage> FindSmall(const Dfa& dfa);

struct SmallRelation {
  SmallLanguage representative;
  bool exchanges_letters = false;  // these two turn the language into the representative
  bool complements = false;
};
SmallRelation RepresentativeOf(const SmallLanguage& language);

// Returns the representatives of exactly that many states, in order.
std::vector<SmallLanguage> SmallRepresentatives(std::size_t states);

// Is the language finite, or its complement?
bool IsFiniteOrCofinite(const SmallLanguage& language);

// The representatives of up to that many states that are neither finite nor cofinite: what a grid's
// {atlas = K} stands for.
std::vector<SmallLanguage> Atlas(std::size_t most_states);

// A short pattern of the language: state elimination in every order, then removal of whatever can
// go without a change of the language; "~(…)" if the complement has a shorter one.
std::string PatternOf(const SmallLanguage& language);

// Returns the common name of a language: that of a built-in language which differs only by the
// names of symbols, or "not NAME" for the complement of one; empty if there is none.
std::string CommonNameOf(const SmallLanguage& language);

}  // namespace flare

#endif  // FLARE_LANGUAGES_SMALL_LANGUAGES_H_
