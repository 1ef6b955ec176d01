// Regular expressions: their syntax, as a tree, and the automaton of a pattern.
//
//   const Dfa dfa = CompileRegex("(01)*&~(.*0101.*)");

#ifndef FLARE_AUTOMATA_REGEX_H_
#define FLARE_AUTOMATA_REGEX_H_

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flare/automata/dfa.h"

namespace flare {

// The syntax of `regex:` patterns as a tree (docs/reference/regular-languages.md describes it to
// users).
//
//   union   = inter { '|' inter }              lowest precedence
//   inter   = concat { '&' concat }
//   concat  = { prefix }                       nothing: the empty string
//   prefix  = { '~' } postfix                  complement; ~ab is (~a)b, ~a* is ~(a*)
//   postfix = atom { '*' | '+' | '?' | '{m}' | '{m,}' | '{,n}' | '{m,n}' }
//   atom    = symbol | '.' | '[' ['^'] { symbol | symbol '-' symbol } ']' | '(' union ')'
//   symbol  = a character | '\' a character that is neither a letter nor a digit | '<' name '>'
//
// White space between the parts is skipped: a symbol cannot contain any.
struct RegexNode {
  enum class Kind { kSymbols, kConcat, kUnion, kIntersect, kComplement, kRepeat };

  Kind kind;
  std::vector<std::size_t> children = {};  // indices into RegexTree::nodes
  // kSymbols: one symbol out of these, or, if negated, one of Σ out of the others. `.` is the
  // negation of none, and `[]`, one symbol out of none, is the empty language.
  std::set<std::string> names = {};
  bool negated = false;
  // kRepeat: at least `least` and at most `most` times; no limit without `most`.
  std::size_t least = 0;
  std::optional<std::size_t> most = {};
  std::size_t depth = 1;
};

struct RegexTree {
  std::vector<RegexNode> nodes;
  std::size_t root = 0;
  std::set<std::string> symbols;  // every symbol that the pattern mentions
};

// Throws InputError with the position of what is wrong.
RegexTree ParseRegex(std::string_view pattern);

// The minimal trim DFA of the pattern. Its alphabet Σ is what the pattern mentions and
// `extra_symbols`; `.`, `[^…]` and `~` are relative to it. Throws InputError if the pattern is
// malformed (with the position), if Σ is empty, or if the automaton would be too large.
Dfa CompileRegex(std::string_view pattern, const std::vector<std::string>& extra_symbols = {});

}  // namespace flare

#endif  // FLARE_AUTOMATA_REGEX_H_
