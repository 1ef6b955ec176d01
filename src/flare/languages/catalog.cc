#include "flare/languages/catalog.h"

#include <vector>

namespace flare {

// Each is defined in the file of its name.
LanguageFactory MakeEvenPairs, MakeRepeat01, MakeParity, MakeCycleNavigation,
    MakeModularArithmeticSimple, MakeDyck23, MakeFirst, MakeMajority, MakeStackManipulation,
    MakeMarkedReversal, MakeUnmarkedReversal, MakeMarkedCopy, MakeMissingDuplicateString,
    MakeOddsFirst, MakeBinaryAddition, MakeBinaryMultiplication, MakeComputeSqrt, MakeBucketSort;

std::span<const CatalogEntry> Catalog() {
  constexpr auto paper = Origin::kPaper;
  constexpr auto R = LanguageClass::kRegular;
  constexpr auto DCF = LanguageClass::kDeterministicContextFree;
  constexpr auto CF = LanguageClass::kContextFree;
  constexpr auto CS = LanguageClass::kContextSensitive;
  static const std::vector<CatalogEntry> catalog = {
      {"even-pairs", "Even Pairs", paper, R, "01 and 10 occur an even number of times in all",
       "0 1 0 1 1 0", ".*", MakeEvenPairs},
      {"repeat-01", "Repeat 01", paper, R, "01 repeated any number of times", "0 1 0 1 0 1",
       "(..)*", MakeRepeat01},
      {"parity", "Parity", paper, R, "an odd number of 1s", "1 1 0 1 1 0 0 1", ".*", MakeParity},
      {"cycle-navigation", "Cycle Navigation", paper, R,
       "moves on a cycle of 5 positions, then the position reached", "> > = < > 2",
       "[\\<\\>=]*[0-4]", MakeCycleNavigation},
      {"modular-arithmetic-simple", "Modular Arithmetic", paper, R,
       "an expression without precedence, then its value modulo 5", "1 - 3 * 2 = 1",
       "[0-4]([\\+\\-\\*][0-4])*=[0-4]", MakeModularArithmeticSimple},
      {"dyck-2-3", "Dyck-(2, 3)", paper, R, "balanced brackets of 2 types, at most 3 deep",
       "(1 (0 )0 (0 (1 )1 )0 )1 (0 )0", "(..)*", MakeDyck23},
      {"first", "First", paper, R, "the first symbol is 1", "1 0 0 0 1 0", ".*", MakeFirst},
      {"majority", "Majority", paper, DCF, "more 1s than 0s", "1 0 1 1 0 1", ".*", MakeMajority},
      {"stack-manipulation", "Stack Manipulation", paper, DCF,
       "a stack, pushes and pops, then the stack from top to bottom", "0 1 1 POP # 1 0",
       "[01]*(<POP>|<PUSH>[01])*#[01]*", MakeStackManipulation},
      {"marked-reversal", "Marked Reversal", paper, DCF, "u # u reversed, for binary u",
       "0 0 1 # 1 0 0", "[01]*#[01]* & .(..)*", MakeMarkedReversal},
      {"unmarked-reversal", "Unmarked Reversal", paper, CF, "u, then u reversed, for binary u",
       "0 0 1 1 0 0", "(..)*", MakeUnmarkedReversal},
      {"marked-copy", "Marked Copy", paper, CS, "u # u, for binary u", "0 0 1 # 0 0 1",
       "[01]*#[01]* & .(..)*", MakeMarkedCopy},
      {"missing-duplicate-string", "Missing Duplicate", paper, CS,
       "u u, for binary u, with one 1 replaced by _", "1 _ 0 1 1 1 0 1", "[01]*_[01]* & (..)*",
       MakeMissingDuplicateString},
      {"odds-first", "Odds First", paper, CS,
       "u # the odd, then the even positions of u, for binary u", "0 1 0 1 0 # 0 0 0 1 1",
       "[01]*#[01]* & .(..)*", MakeOddsFirst},
      {"binary-addition", "Binary Addition", paper, CS,
       "x + y = z in binary, least significant bit first", "1 1 0 + 0 1 = 1 0 1 0 0",
       "[01]+\\+[01]+=[01]+", MakeBinaryAddition},
      {"binary-multiplication", "Binary Multiplication", paper, CS,
       "x × y = z in binary, least significant bit first", "1 1 0 × 0 1 0 0 = 0 1 1",
       "[01]+×[01]+=[01]+", MakeBinaryMultiplication},
      {"compute-sqrt", "Compute Sqrt", paper, CS,
       "x = the integer part of its root, least significant bit first", "0 1 0 1 0 = 1 1 0 0",
       "[01]+=[01]+", MakeComputeSqrt},
      {"bucket-sort", "Bucket Sort", paper, CS, "digits 1 to 5, then # and the same digits sorted",
       "4 5 1 3 4 # 1 3 4 4 5", "[1-5]*#1*2*3*4*5* & .(..)*", MakeBucketSort},
  };
  return catalog;
}

std::vector<std::string> PaperLanguages() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) {
    if (entry.origin == Origin::kPaper) names.push_back(entry.name);
  }
  return names;
}

const CatalogEntry* FindInCatalog(std::string_view name) {
  for (const CatalogEntry& entry : Catalog()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace flare
