// A loss as it is written: a sum of terms, as rec+lm+ns or st. Recognition, rec, is the first of
// them if it is there; the others are those of the catalogue, the paper's auxiliary terms.

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

// Does a canonical loss have the term rec?
bool HasRecognition(std::string_view loss);
// The other terms of a canonical loss.
std::vector<std::string> LossTerms(std::string_view loss);
bool HasLossTerm(std::string_view loss, std::string_view term);

// Every loss that has rec: rec alone, with each term, with each two of them, ..., with all.
std::vector<std::string> AllLosses(const Names& names);

// The setting that weighs a term.
std::string CoefficientKey(std::string_view term);

}  // namespace flare

#endif  // FLARE_RUNS_LOSS_TEXT_H_
