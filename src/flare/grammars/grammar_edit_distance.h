// The edit distance of a string to a context-free language.

#ifndef FLARE_GRAMMARS_GRAMMAR_EDIT_DISTANCE_H_
#define FLARE_GRAMMARS_GRAMMAR_EDIT_DISTANCE_H_

#include <cstddef>

#include "flare/grammars/normal_form.h"

namespace flare {

// The least number of insertions, deletions and replacements that make w a string of the grammar.
// With D_X[i][j] the distance of w[i..j) to the strings of X, D_XY[i][j] = minₖ D_X[i][k] +
// D_Y[k][j] (Aho, Peterson 1972, in the normal form). O(bodies·|w|³) time, vectorized, and
// O(symbols·|w|²) memory: throws InputError above a gigabyte.
std::size_t EditDistance(const NormalForm& normal, StringView w);

}  // namespace flare

#endif  // FLARE_GRAMMARS_GRAMMAR_EDIT_DISTANCE_H_
