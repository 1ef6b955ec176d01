// A loss as it is written: rec, the recognition loss, and the auxiliary terms that are added to it,
// as in rec+lm+ns.

#ifndef FLARE_RUNS_LOSS_TEXT_H_
#define FLARE_RUNS_LOSS_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "flare/runs/names.h"

namespace flare {

// The loss with its terms in the order of the catalogue, however they were given. Throws
// InputError.
std::string CanonicalLoss(const std::string& text, const Names& names, const std::string& where);

// The auxiliary terms of a canonical loss.
std::vector<std::string> LossTerms(std::string_view loss);
bool HasLossTerm(std::string_view loss, std::string_view term);

// Every loss that there is: rec alone, with each term, with each two of them, ...
std::vector<std::string> AllLosses(const Names& names);

// The setting that weighs a term.
std::string CoefficientKey(std::string_view term);

}  // namespace flare

#endif  // FLARE_RUNS_LOSS_TEXT_H_
