// Statements that can be tested on runs, and what is to be said about them.

#ifndef FLARE_REPORT_CLAIMS_H_
#define FLARE_REPORT_CLAIMS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/evidence.h"

namespace flare::report {

enum class ClaimVerdict { kHolds, kDoesNotHold, kCannotBeTold };

struct Claim {
  std::string key;
  std::string statement;
  std::string quantity = {};  // what the effect is, as "RNN − transformer, of 18 languages"
  std::string unit = {};      // of n: "languages" or "runs"
  // It says that the effect is above the bound, or below it.
  bool is_above = true;
  double bound = 0;
  // Or that there is none at all: the effect counts exceptions, and that there is none says
  // something only after as many runs as the paper has, of everything that the claim is about.
  bool is_none = false;
  bool has_all_runs = false;
  Evidence evidence = {};

  // Of Judge().
  std::optional<double> adjusted_p = {};
  ClaimVerdict verdict = ClaimVerdict::kCannotBeTold;
};

// At which a corrected test decides.
inline constexpr double kClaimLevel = 0.05;

// Corrects the tests for their number (holm.h): a claim holds, or does not, where the corrected p
// is at most kClaimLevel. One exception refutes what is said to have none.
void Judge(std::vector<Claim>& claims);

// "holds", "does not hold", "cannot be told yet".
std::string VerdictText(ClaimVerdict verdict);

}  // namespace flare::report

#endif  // FLARE_REPORT_CLAIMS_H_
