// modular-arithmetic-simple: an expression in 0..4 with + - *, read from left to right without
// precedence, then = and its value modulo 5.
//
// The 27 states built here are those of the paper; three of them are equivalent to others (nothing
// read yet, 0+ and 1* all take a digit to itself; 0- and 4* negate it), so 24 remain.

#include <string>
#include <vector>

#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {

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

}  // namespace flare
