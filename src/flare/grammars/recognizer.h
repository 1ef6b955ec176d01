// Membership and next symbols: Earley's algorithm on the normal form, with sets of start positions
// as bits.
//
// A chart item of position j is a body X•Y whose X ends there, with the set of positions where X
// starts, as far as the body is predicted there. Reading a symbol completes, for ever earlier
// starts, what ends at j: rules without ε and unit rules complete strictly earlier starts, so one
// pass from late to early is enough. O(|rules|·n³/64) at worst; for most grammars what there is to
// do grows with n or n².

#ifndef FLARE_GRAMMARS_RECOGNIZER_H_
#define FLARE_GRAMMARS_RECOGNIZER_H_

#include <string>

#include "flare/automata/dfa.h"
#include "flare/grammars/left_corners.h"
#include "flare/grammars/normal_form.h"

namespace flare {

// Constant after construction; refers to both.
class Recognizer {
 public:
  Recognizer(const NormalForm& normal, const LeftCorners& left_corners)
      : normal_(normal), left_corners_(left_corners) {}

  // Throws InputError if the chart of w takes more than a gigabyte.
  bool Accepts(StringView w) const;

  // Fills `sets` with the |w|+1 sets of w's prefixes. They are exact, as the grammar has no useless
  // symbols. Requires: a member.
  void NextSymbols(StringView w, NextSymbolSets& sets) const;

 private:
  const NormalForm& normal_;
  const LeftCorners& left_corners_;
};

}  // namespace flare

#endif  // FLARE_GRAMMARS_RECOGNIZER_H_
