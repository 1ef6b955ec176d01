// Recognizing and weighing strings by a grammar in normal form. Both share the tables of its left
// corners.

#ifndef FLARE_GRAMMARS_RECOGNIZER_H_
#define FLARE_GRAMMARS_RECOGNIZER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/extended_real.h"
#include "flare/grammars/normal_form.h"

namespace flare {

// Left corners: what a nonterminal may begin with.
class LeftCorners {
 public:
  // Throws InputError with `where` if the tables would be too large.
  LeftCorners(const NormalForm& normal, const std::string& where);

  // A bit per body: those of the nonterminal, and of what can stand at its left edge.
  std::span<const std::uint64_t> Bodies(std::size_t nonterminal) const {
    return {bodies_.data() + nonterminal * body_words_, body_words_};
  }
  // A bit per symbol: those that its strings begin with.
  std::span<const std::uint64_t> First(std::size_t nonterminal) const {
    return {first_.data() + nonterminal * symbol_words_, symbol_words_};
  }
  std::size_t body_words() const { return body_words_; }
  // The number of words of a set in NextSymbolSets; the bit of EOS has its place, and is 0.
  std::size_t symbol_words() const { return symbol_words_; }

 private:
  std::size_t body_words_, symbol_words_;
  std::vector<std::uint64_t> bodies_, first_;
};

// Membership and next symbols: Earley's algorithm on the normal form, with sets of start positions
// as bits.
//
// A chart item of position j is a body X•Y whose X ends there, with the set of positions where X
// starts, as far as the body is predicted there. Reading a symbol completes, for ever earlier
// starts, what ends at j: rules without ε and unit rules complete strictly earlier starts, so one
// pass from late to early is enough. O(|rules|·n³/64) at worst; for most grammars what there is to
// do grows with n or n².

// Constant after construction; refers to both.
class Recognizer {
 public:
  Recognizer(const NormalForm& normal, const LeftCorners& left_corners)
      : normal_(normal), left_corners_(left_corners) {}

  // Throws InputError if the chart of w takes more than a gigabyte.
  bool Accepts(StringView w) const;

  // Fills `sets` with the |w|+1 sets of w's prefixes. They are exact, as the grammar has no useless
  // symbols. Requires: a member.
  void NextSymbols(StringView w, NextSymbolSets& sets) const;

 private:
  const NormalForm& normal_;
  const LeftCorners& left_corners_;
};

// The weight of each rule.
enum class RuleWeights {
  kGiven,  // its weight: the string's probability under the grammar
  kOne,    // 1: the number of the string's derivations
};

// The weight of a string is the sum over its derivations in the normal form; 0 for strings outside
// the language. The recognizer's algorithm with weights in place of bits.
ExtendedReal InsideWeight(const NormalForm& normal, const LeftCorners& left_corners, StringView w,
                          RuleWeights weights);

}  // namespace flare

#endif  // FLARE_GRAMMARS_RECOGNIZER_H_
