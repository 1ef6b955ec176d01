// What runs say about a number that a claim is about: an estimate, how sure it is, and how probable
// a value like it would be by chance.

#ifndef FLARE_REPORT_EVIDENCE_H_
#define FLARE_REPORT_EVIDENCE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flare/report/randomization.h"
#include "flare/report/statistics.h"

namespace flare::report {

struct Evidence {
  std::size_t n = 0;  // units: languages or runs
  std::optional<double> effect = {};
  std::optional<Interval> interval = {};
  // Two-sided, of values that lie symmetrically about the claim's bound; and the least that so many
  // units could have given.
  std::optional<double> p = {}, least_p = {};
};

// The mean of one value per unit, against a bound. `stream` names the random draws.
Evidence OfMean(std::span<const double> values, double bound, const std::string& stream);

// Of several effects, values[k][i] of the k-th and unit i, what is to be said where a claim needs
// every one of them above the bound (or below it): the effect that comes off worst, chosen again in
// every resample. That all are beyond the bound takes every test, so p is the largest; that the
// worst is not is said of one that was chosen, so its p is multiplied by their number.
Evidence OfWorst(const std::vector<std::vector<double>>& values, double bound, bool is_above,
                 const std::string& stream);

// How much higher the first samples are than the second, against 0. An interval needs five runs in
// every sample.
Evidence OfDifference(std::span<const Stratum> strata, const std::string& stream);

}  // namespace flare::report

#endif  // FLARE_REPORT_EVIDENCE_H_
