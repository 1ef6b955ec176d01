// C-RASP without what the program does: an interpreter of C-RASP programs, and the decision by
// rational numbers, for the states of a component as unknowns.

#ifndef FLARE_TESTS_SUPPORT_NAIVE_COUNTING_H_
#define FLARE_TESTS_SUPPORT_NAIVE_COUNTING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/classes/counting.h"

namespace flare {

// Runs the text of a C-RASP program.
class CountingInterpreter {
 public:
  CountingInterpreter(const std::string& program, const Alphabet& alphabet);

  // The truth of `accept` at an end mark after the string, and at the last symbol of a string that
  // is not empty.
  bool AcceptsAfter(const String& w) const { return Run(w, true); }
  bool AcceptsAtLast(const String& w) const { return Run(w, false); }

 private:
  enum class Kind { kConstant, kSymbol, kNot, kAnd, kOr, kCount, kSum, kEquals, kAtLeast };
  struct Node {
    Kind kind;
    std::int64_t number = 0;  // constant, symbol, or what a sum is compared with
    std::vector<std::size_t> operands = {};
    std::vector<std::int64_t> weights = {};  // of a sum's operands
  };

  std::size_t Add(Node node);
  void Expect(std::string_view token);
  bool Take(std::string_view token);
  std::int64_t ParseNumber();
  std::size_t ParseOr();
  std::size_t ParseAnd();
  std::size_t ParseUnary();
  bool AtSum() const;
  std::size_t ParseSum();
  std::size_t ParseComparison(std::size_t sum);
  bool Run(const String& w, bool with_end_mark) const;

  const Alphabet& alphabet_;
  std::string_view rest_;  // of the line that is being read
  std::map<std::string, std::size_t, std::less<>> names_;
  std::vector<Node> nodes_;  // operands first
  std::size_t accept_ = 0;
};

// A minimal complete automaton over all symbols, the sink last.
struct PlainAutomaton {
  std::vector<std::vector<std::size_t>> next;  // by state and symbol
  std::vector<bool> accepting;
  std::size_t start = 0;

  static PlainAutomaton Of(const Dfa& dfa);
  // The minimal complete automaton of {w : wa is in the language}, numbered as Of would.
  PlainAutomaton Before(Symbol a, const Alphabet& alphabet) const;

  std::size_t size() const { return next.size(); }
  std::size_t Run(std::size_t q, StringView w) const;
  bool Reaches(std::size_t p, std::size_t q) const;
  bool InOneComponent(std::size_t p, std::size_t q) const { return Reaches(p, q) && Reaches(q, p); }
};

// By state: which states the potentials of the component never tell from each other have the same
// number, all others different ones. The language is in C-RASP, read after the string, iff all
// numbers differ.
std::vector<std::size_t> StableBlocks(const PlainAutomaton& automaton);
bool IsInCRasp(const PlainAutomaton& automaton);

// Does the proof show that the language is, or is not, definable? Follows every potential along
// every edge.
bool CheckCountingProof(const Dfa& dfa, const classes::CountingProof& proof, bool holds,
                        classes::ReadOut read_out);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_NAIVE_COUNTING_H_
