#include "flare/report/claims.h"

#include "flare/report/holm.h"

namespace flare::report {
namespace {

ClaimVerdict VerdictOf(const Claim& claim) {
  if (!claim.evidence.effect) return ClaimVerdict::kCannotBeTold;
  const double effect = *claim.evidence.effect;
  if (claim.is_none) {
    if (effect > 0) return ClaimVerdict::kDoesNotHold;
    return claim.has_all_runs ? ClaimVerdict::kHolds : ClaimVerdict::kCannotBeTold;
  }
  if (!claim.adjusted_p || *claim.adjusted_p > kClaimLevel) return ClaimVerdict::kCannotBeTold;
  return (effect > claim.bound) == claim.is_above ? ClaimVerdict::kHolds
                                                  : ClaimVerdict::kDoesNotHold;
}

}  // namespace

void Judge(std::vector<Claim>& claims) {
  std::vector<Claim*> tested;
  std::vector<double> p_values;
  for (Claim& claim : claims) {
    if (!claim.evidence.p) continue;
    tested.push_back(&claim);
    p_values.push_back(*claim.evidence.p);
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->adjusted_p = adjusted[i];
  for (Claim& claim : claims) claim.verdict = VerdictOf(claim);
}

std::string VerdictText(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return "holds";
    case ClaimVerdict::kDoesNotHold:
      return "does not hold";
    case ClaimVerdict::kCannotBeTold:
      break;
  }
  return "cannot be told yet";
}

}  // namespace flare::report
