// tomita-1 to tomita-7: the languages of M. Tomita, "Dynamic construction of finite automata from
// examples using hill-climbing" (1982), on which recurrent networks have been tried since 1991.

#include <memory>
#include <string>
#include <utility>

#include "flare/automata/dfa.h"
#include "flare/automata/regex.h"
#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {
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

}  // namespace flare
