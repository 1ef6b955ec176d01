// An independent, deliberately naive description of the built-in languages, for tests only.
//
// What is the paper's is written from the paper (Section "Method" and Appendix E) and from the
// notes on the published data, the rest from the languages' definitions, by enumeration and
// schoolbook arithmetic. It shares no code with the program: agreement between the two is evidence
// only as long as they are written separately.

#ifndef FLARE_TESTS_SUPPORT_NAIVE_LANGUAGES_H_
#define FLARE_TESTS_SUPPORT_NAIVE_LANGUAGES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

namespace flare::naive {

using Tokens = std::vector<std::string>;

// What may follow a prefix: the symbols, and whether the string may end here ("<EOS>").
struct NextSet {
  std::set<std::string> symbols;
  bool end = false;

  bool operator==(const NextSet&) const = default;
};

// The directory names of the published data, sorted. Every function below that takes a language
// takes one of these and throws std::invalid_argument for any other name.
std::vector<std::string> LanguageNames();

// The tokens of the published data (not the typography of the paper), sorted by code point.
std::vector<std::string> AlphabetOf(const std::string& language);

// Membership by the definition in the language's paragraph of Appendix E, with the corrections of
// the notes on the published data. A string with a token outside the alphabet is not a member.
bool Contains(const std::string& language, const Tokens& w);

// All strings of exactly `length` symbols, in the order of `alphabet`.
std::vector<Tokens> AllStrings(const std::vector<std::string>& alphabet, int length);

// The formal definition of NEXT, cut off at a horizon: for every prefix u of a member of length at
// most `max_length`, the symbols a such that a member of length at most `max_length` starts with
// u a, and whether u is a member. Other prefixes are absent. A set is the true NEXT only if the
// horizon leaves room for the shortest completion of every u a. The longest of these completions
// decide: e.g. majority needs 2|u|+3 (u a = 0...0), missing-duplicate-string 2|u|+4 (u a = 0...0,
// which needs a further symbol for the blank, twice), binary-addition 2|u|+5 (u a = 1...1, then
// +0=1...1); the regular languages need at most |u|+4 (dyck-2-3 and modular-arithmetic-simple).
std::map<Tokens, NextSet> NextByEnumeration(const std::string& language, int max_length);

// The last rule of the stack-manipulation paragraph, which is what was published although it
// differs from NEXT: within the initial stack everything is offered, POP on an empty stack included
// (and PUSH, even if the string has no push at all); after an operation PUSH is withheld once the
// string's own number of pushes has been seen. One set per prefix of the member `w`, |w|+1 in all;
// throws std::invalid_argument if `w` is not a member.
std::vector<NextSet> StackManipulationNextByRule(const Tokens& w);

// Languages that are not the paper's and have a grammar have no law here.
// The exact law of the positive sampler for lengths in [min_length, max_length]: Eq. (1) of the
// paper for the regular languages, the sampling paragraph of Appendix E for the others. Every
// member with a length in the range is a key. Members that the procedure cannot produce have
// probability 0: this happens for stack-manipulation with min_length > 1, where the paper's lower
// bound for n_stack leaves out members with a short stack and many pushes. The sum is 1, or 0 if a
// range that the procedure draws from is empty.
std::map<Tokens, double> PositiveLaw(const std::string& language, int min_length, int max_length);

// The law of the free operand lengths (n' in the binary-addition paragraph): proportions from
// Dirichlet(alpha), times `free_length`, rounded by largest remainder. Every vector of non-negative
// integers with sum `free_length` that can occur is a key. Numeric, with an absolute error below
// 1e-4 per vector for up to three parts.
std::map<std::vector<int>, double> OperandLengthLaw(const std::vector<int>& alpha, int free_length);

}  // namespace flare::naive

#endif  // FLARE_TESTS_SUPPORT_NAIVE_LANGUAGES_H_
