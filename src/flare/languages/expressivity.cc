// Regular languages that separate what kinds of networks can express; each is its pattern.

#include <memory>
#include <string>

#include "flare/automata/regex.h"
#include "flare/languages/catalog.h"
#include "flare/languages/regular.h"

namespace flare {
namespace {

std::unique_ptr<Language> OfPattern(const std::string& pattern) {
  return std::make_unique<RegularLanguage>(CompileRegex(pattern, {}));
}

}  // namespace

// The mirror image of `first`: definite.
std::unique_ptr<Language> MakeLast() { return OfPattern("[01]*1"); }
// Not R-trivial: its automaton goes back and forth (Li, Cotterell 2025).
std::unique_ptr<Language> MakeLatestB() { return OfPattern("[abe]*be*"); }
// In AC⁰, but not star-free.
std::unique_ptr<Language> MakeEvenLength() { return OfPattern("([01][01])*"); }
// One bit of memory (Liu et al. 2023): write, ignore or read, each with a bit; what is read is what
// was last written, so the first is a write.
std::unique_ptr<Language> MakeFlipFlop() { return OfPattern("(w0(i[01]|r0)*|w1(i[01]|r1)*)*"); }
// The states 1..5 of its automaton are permuted in all 120 ways: NC¹-complete over two letters
// (Barrington 1989).
std::unique_ptr<Language> MakeS5Binary() { return OfPattern("((a|b){3}(ab*a|b))*"); }

}  // namespace flare
