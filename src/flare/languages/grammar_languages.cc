// Built-in languages that are their grammars.

#include <memory>

#include "flare/grammars/grammar.h"
#include "flare/languages/catalog.h"
#include "flare/languages/context_free.h"

namespace flare {
namespace {

std::unique_ptr<Language> OfGrammar(const char* name, const char* text) {
  return std::make_unique<ContextFreeLanguage>(ParseGrammar(text, name), name);
}

}  // namespace

std::unique_ptr<Language> MakeAnbn() { return OfGrammar("anbn", "S -> 'a' S 'b' |"); }

// All strings of a length are equally likely: each has as many rules of either kind.
std::unique_ptr<Language> MakeDyck1() { return OfGrammar("dyck-1", "S -> '(0' S ')0' S |"); }
std::unique_ptr<Language> MakeDyck2() {
  return OfGrammar("dyck-2", "S -> '(0' S ')0' S | '(1' S ')1' S |");
}

// A has one a more than b, B one b more; both end as soon as that is so.
std::unique_ptr<Language> MakeEqualAb() {
  return OfGrammar("equal-ab",
                   "S -> 'a' B S | 'b' A S |\n"
                   "A -> 'a' | 'b' A A\n"
                   "B -> 'b' | 'a' B B\n");
}

// T derives the formulas that are true, F those that are false.
std::unique_ptr<Language> MakeBooleanFormula() {
  return OfGrammar("boolean-formula",
                   "T -> '1' | '!' F | '(' T '&' T ')'"
                   " | '(' T '|' T ')' | '(' T '|' F ')' | '(' F '|' T ')'\n"
                   "F -> '0' | '!' T | '(' F '|' F ')'"
                   " | '(' F '&' F ')' | '(' F '&' T ')' | '(' T '&' F ')'\n");
}

}  // namespace flare
