// The weight of a string: the sum over its derivations in the normal form.

#ifndef FLARE_GRAMMARS_INSIDE_H_
#define FLARE_GRAMMARS_INSIDE_H_

#include "flare/automata/extended_real.h"
#include "flare/grammars/left_corners.h"
#include "flare/grammars/normal_form.h"

namespace flare {

// What a rule counts for.
enum class RuleWeights {
  kGiven,  // its weight: the string's probability under the grammar
  kOne,    // 1: the number of the string's derivations
};

// 0 for strings outside the language. The recognizer's algorithm with weights in place of bits.
ExtendedReal InsideWeight(const NormalForm& normal, const LeftCorners& left_corners, StringView w,
                          RuleWeights weights);

}  // namespace flare

#endif  // FLARE_GRAMMARS_INSIDE_H_
