// What runs say about a number that a claim is about: an estimate, how sure it is, and how probable
// a value like it would be by chance.

#ifndef FLARE_REPORT_EVIDENCE_H_
#define FLARE_REPORT_EVIDENCE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "flare/report/randomization.h"
#include "flare/report/statistics.h"

namespace flare::report {

struct Evidence {
  std::size_t n = 0;  // units: languages or runs
  std::optional<double> effect = {};
  std::optional<Interval> interval = {};
  // Two-sided, of the effect being the claim's bound.
  std::optional<double> p = {};
};

// The mean of one value per unit, against a bound. `stream` names the random draws.
Evidence OfMean(std::span<const double> values, double bound, const std::string& stream);

// How much higher the first samples are than the second, against 0. An interval needs five runs in
// every sample.
Evidence OfDifference(std::span<const Stratum> strata, const std::string& stream);

}  // namespace flare::report

#endif  // FLARE_REPORT_EVIDENCE_H_
