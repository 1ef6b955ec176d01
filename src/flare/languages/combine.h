// Regular languages made of regular languages: what `combine:` texts and Python's operators mean.

#ifndef FLARE_LANGUAGES_COMBINE_H_
#define FLARE_LANGUAGES_COMBINE_H_

#include "flare/languages/language.h"

namespace flare {

// L & M, L | M or L - M (the strings of L that are not in M), over the symbols of both. Throws
// InputError if one is not regular, if the result is empty, or if it becomes too large.
NamedLanguage Combined(const NamedLanguage& l, char operation, const NamedLanguage& m);

// ~L: the strings over L's alphabet that are not in L. Throws InputError.
NamedLanguage ComplementOf(const NamedLanguage& l);

// The strings of L, each from its last symbol to its first. Throws InputError.
NamedLanguage ReversalOf(const NamedLanguage& l);

}  // namespace flare

#endif  // FLARE_LANGUAGES_COMBINE_H_
