// The regular languages of the catalogue, each by its DFA or a pattern.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/regex.h"
#include "flare/languages/catalog.h"
#include "flare/languages/language.h"

namespace flare {

// even-pairs: as many changes from 0 to 1 as from 1 to 0, that is, the same first and last symbol.
std::unique_ptr<Language> MakeEvenPairs() {
  DfaBuilder b(Alphabet({"0", "1"}));
  const StateId empty = b.AddState(true);
  for (const auto& [first, other] : {std::pair("0", "1"), std::pair("1", "0")}) {
    const StateId same = b.AddState(true), different = b.AddState(false);
    b.AddTransition(empty, first, same);
    b.AddTransition(same, first, same);
    b.AddTransition(same, other, different);
    b.AddTransition(different, first, same);
    b.AddTransition(different, other, different);
  }
  return std::make_unique<RegularLanguage>(std::move(b).Build(empty));
}

// repeat-01: (01)ⁿ.
std::unique_ptr<Language> MakeRepeat01() {
  DfaBuilder b(Alphabet({"0", "1"}));
  const StateId before_0 = b.AddState(true), before_1 = b.AddState(false);
  b.AddTransition(before_0, "0", before_1);
  b.AddTransition(before_1, "1", before_0);
  return std::make_unique<RegularLanguage>(std::move(b).Build(before_0));
}

// parity: an odd number of 1s.
std::unique_ptr<Language> MakeParity() {
  DfaBuilder b(Alphabet({"0", "1"}));
  const StateId even = b.AddState(false), odd = b.AddState(true);
  b.AddTransition(even, "0", even);
  b.AddTransition(even, "1", odd);
  b.AddTransition(odd, "0", odd);
  b.AddTransition(odd, "1", even);
  return std::make_unique<RegularLanguage>(std::move(b).Build(even));
}

// cycle-navigation: moves < = > on a cycle of five positions from position 0, then the position
// reached.
std::unique_ptr<Language> MakeCycleNavigation() {
  constexpr std::size_t kPositions = 5;
  DfaBuilder b(Alphabet({"<", "=", ">", "0", "1", "2", "3", "4"}));
  std::vector<StateId> at;
  for (std::size_t i = 0; i < kPositions; ++i) at.push_back(b.AddState(false));
  const StateId end = b.AddState(true);
  for (std::size_t i = 0; i < kPositions; ++i) {
    b.AddTransition(at[i], "<", at[(i + kPositions - 1) % kPositions]);
    b.AddTransition(at[i], "=", at[i]);
    b.AddTransition(at[i], ">", at[(i + 1) % kPositions]);
    b.AddTransition(at[i], std::to_string(i), end);
  }
  return std::make_unique<RegularLanguage>(std::move(b).Build(at[0]));
}

// modular-arithmetic-simple: an expression in 0..4 with + - *, read from left to right without
// precedence, then = and its value modulo 5.
//
// The 27 states built here are those of the paper; three of them are equivalent to others (nothing
// read yet, 0+ and 1* all take a digit to itself; 0- and 4* negate it), so 24 remain.
std::unique_ptr<Language> MakeModularArithmeticSimple() {
  constexpr std::size_t kModulus = 5;
  DfaBuilder b(Alphabet({"0", "1", "2", "3", "4", "+", "-", "*", "="}));
  const StateId before = b.AddState(false), end = b.AddState(true);
  std::vector<StateId> value;
  for (std::size_t v = 0; v < kModulus; ++v) {
    value.push_back(b.AddState(false));
    b.AddTransition(before, std::to_string(v), value[v]);
  }
  for (std::size_t v = 0; v < kModulus; ++v) {
    const StateId plus = b.AddState(false), minus = b.AddState(false), times = b.AddState(false);
    b.AddTransition(value[v], "+", plus);
    b.AddTransition(value[v], "-", minus);
    b.AddTransition(value[v], "*", times);
    for (std::size_t d = 0; d < kModulus; ++d) {
      const std::string digit = std::to_string(d);
      b.AddTransition(plus, digit, value[(v + d) % kModulus]);
      b.AddTransition(minus, digit, value[(v + kModulus - d) % kModulus]);
      b.AddTransition(times, digit, value[v * d % kModulus]);
    }
    const StateId equals = b.AddState(false);
    b.AddTransition(value[v], "=", equals);
    b.AddTransition(equals, std::to_string(v), end);
  }
  return std::make_unique<RegularLanguage>(std::move(b).Build(before));
}

// first: the first symbol is 1.
std::unique_ptr<Language> MakeFirst() {
  DfaBuilder b(Alphabet({"0", "1"}));
  const StateId before = b.AddState(false), after = b.AddState(true);
  b.AddTransition(before, "1", after);
  b.AddTransition(after, "0", after);
  b.AddTransition(after, "1", after);
  return std::make_unique<RegularLanguage>(std::move(b).Build(before));
}

// tomita-1 to tomita-7: the languages of M. Tomita, "Dynamic construction of finite automata from
// examples using hill-climbing" (1982), on which recurrent networks have been tried since 1991.

namespace {

std::unique_ptr<Language> Binary(const std::string& pattern) {
  return std::make_unique<RegularLanguage>(CompileRegex(pattern, {"0", "1"}));
}

}  // namespace

std::unique_ptr<Language> MakeTomita1() { return Binary("1*"); }
std::unique_ptr<Language> MakeTomita2() { return Binary("(10)*"); }
// A run of an odd number of 1s, and anywhere after it a run of an odd number of 0s.
std::unique_ptr<Language> MakeTomita3() { return Binary("~((.*0)?1(11)*(0.*1)?0(00)*(1.*)?)"); }
std::unique_ptr<Language> MakeTomita4() { return Binary("~(.*000.*)"); }
std::unique_ptr<Language> MakeTomita5() { return Binary("(1*01*0)*1* & (0*10*1)*0*"); }

std::unique_ptr<Language> MakeTomita6() {
  DfaBuilder b(Alphabet({"0", "1"}));
  // The number of 0s minus that of 1s, modulo 3.
  constexpr std::size_t kModulus = 3;
  for (std::size_t r = 0; r < kModulus; ++r) b.AddState(r == 0);
  for (std::size_t r = 0; r < kModulus; ++r) {
    b.AddTransition(StateAt(r), "0", StateAt((r + 1) % kModulus));
    b.AddTransition(StateAt(r), "1", StateAt((r + kModulus - 1) % kModulus));
  }
  return std::make_unique<RegularLanguage>(std::move(b).Build(StateAt(0)));
}

std::unique_ptr<Language> MakeTomita7() { return Binary("0*1*0*1*"); }

// Regular languages that separate what kinds of networks can express; each is its pattern.

namespace {

std::unique_ptr<Language> OfPattern(const std::string& pattern) {
  return std::make_unique<RegularLanguage>(CompileRegex(pattern, {}));
}

}  // namespace

// The mirror image of `first`: definite.
std::unique_ptr<Language> MakeLast() { return OfPattern("[01]*1"); }
// Not R-trivial: its automaton goes back and forth (Li, Cotterell 2025).
std::unique_ptr<Language> MakeLatestB() { return OfPattern("[abe]*be*"); }
// This language is in AC⁰, but not star-free.
std::unique_ptr<Language> MakeEvenLength() { return OfPattern("([01][01])*"); }
// One bit of memory (Liu et al. 2023): write, ignore or read, each with a bit; what is read is what
// was last written, so the first is a write.
std::unique_ptr<Language> MakeFlipFlop() { return OfPattern("(w0(i[01]|r0)*|w1(i[01]|r1)*)*"); }
// The states 1..5 of its automaton are permuted in all 120 ways: NC¹-complete over two letters
// (Barrington 1989).
std::unique_ptr<Language> MakeS5Binary() { return OfPattern("((a|b){3}(ab*a|b))*"); }

}  // namespace flare
