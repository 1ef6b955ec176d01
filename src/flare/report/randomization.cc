#include "flare/report/randomization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "flare/base/check.h"
#include "flare/report/statistics.h"

namespace flare::report {
namespace {

// Counts outcomes on either side of what was observed. Sums of the same numbers in another order
// differ in their last bits, and count as equal.
class OutcomeCounter {
 public:
  OutcomeCounter(double seen, double scale) : seen_(seen), slack_(1e-9 * scale) {}

  void Add(double outcome) {
    ++all_;
    if (outcome >= seen_ - slack_) ++upper_;
    if (outcome <= seen_ + slack_) ++lower_;
  }

  Tails Shares() const {
    const auto all = static_cast<double>(all_);
    return {static_cast<double>(upper_) / all, static_cast<double>(lower_) / all, 1 / all};
  }

 private:
  double seen_, slack_;
  std::size_t all_ = 0, upper_ = 0, lower_ = 0;
};

// What a value of the first sample, and one of the second, adds to the stratified difference.
struct Weights {
  double first, second;
};

Weights WeightsOf(const Stratum& stratum, std::size_t num_strata) {
  const auto strata = static_cast<double>(num_strata);
  return {1 / (static_cast<double>(stratum.first.size()) * strata),
          -1 / (static_cast<double>(stratum.second.size()) * strata)};
}

std::vector<double> AllOf(const Stratum& stratum) {
  std::vector<double> all = stratum.first;
  all.insert(all.end(), stratum.second.begin(), stratum.second.end());
  return all;
}

// The number of ways to deal all strata out, or infinity beyond what can be gone through.
double CountOutcomes(std::span<const Stratum> strata) {
  double outcomes = 1;
  for (const Stratum& stratum : strata) {
    const std::size_t n = stratum.first.size() + stratum.second.size();
    for (std::size_t i = 1; i <= stratum.first.size(); ++i) {
      outcomes *= static_cast<double>(n - stratum.first.size() + i) / static_cast<double>(i);
      if (outcomes > 1e12) return std::numeric_limits<double>::infinity();
    }
  }
  return std::round(outcomes);
}

// Goes through all ways to deal out the values from `stratum` and `value` on; `left` of the
// stratum's are still to go into its first sample.
class Dealer {
 public:
  Dealer(std::span<const Stratum> strata, OutcomeCounter& counter)
      : strata_(strata), counter_(counter) {
    for (const Stratum& stratum : strata) {
      values_.push_back(AllOf(stratum));
      weights_.push_back(WeightsOf(stratum, strata.size()));
    }
  }

  void DealAll() { Deal(0, 0, strata_[0].first.size(), 0); }

 private:
  void Deal(std::size_t stratum, std::size_t value, std::size_t left, double sum) {
    if (value == values_[stratum].size()) {
      if (stratum + 1 == strata_.size()) return counter_.Add(sum);
      return Deal(stratum + 1, 0, strata_[stratum + 1].first.size(), sum);
    }
    const double x = values_[stratum][value];
    if (left > 0) Deal(stratum, value + 1, left - 1, sum + weights_[stratum].first * x);
    if (values_[stratum].size() - value > left) {
      Deal(stratum, value + 1, left, sum + weights_[stratum].second * x);
    }
  }

  std::span<const Stratum> strata_;
  OutcomeCounter& counter_;
  std::vector<std::vector<double>> values_;
  std::vector<Weights> weights_;
};

}  // namespace

double Tails::TwoSided() const { return std::min(1.0, 2 * std::min(upper, lower)); }

double Tails::LeastTwoSided() const { return std::min(1.0, 2 * least); }

Tails SignFlipTest(std::span<const double> values, Rng& rng) {
  FLARE_CHECK(!values.empty());
  double seen = 0, scale = 0;
  for (const double x : values) {
    seen += x;
    scale += std::abs(x);
  }
  OutcomeCounter counter(seen, scale);
  const bool exact = values.size() < 64 && (std::uint64_t{1} << values.size()) <= kMostOutcomes;
  if (exact) {
    for (std::uint64_t signs = 0; signs < std::uint64_t{1} << values.size(); ++signs) {
      double sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        sum += (signs >> i & 1) != 0 ? -values[i] : values[i];
      }
      counter.Add(sum);
    }
  } else {
    counter.Add(seen);
    for (std::size_t draw = 0; draw < kRandomOutcomes; ++draw) {
      double sum = 0;
      for (const double x : values) sum += rng.Bit() ? -x : x;
      counter.Add(sum);
    }
  }
  return counter.Shares();
}

double StratifiedDifference(std::span<const Stratum> strata) {
  FLARE_CHECK(!strata.empty());
  std::vector<double> differences;
  for (const Stratum& stratum : strata) {
    differences.push_back(Mean(stratum.first) - Mean(stratum.second));
  }
  return Mean(differences);
}

Tails StratifiedTest(std::span<const Stratum> strata, Rng& rng) {
  const double seen = StratifiedDifference(strata);
  double scale = 0;
  for (const Stratum& stratum : strata) {
    for (const double x : AllOf(stratum)) scale = std::max(scale, std::abs(x));
  }
  OutcomeCounter counter(seen, scale);
  if (CountOutcomes(strata) <= static_cast<double>(kMostOutcomes)) {
    Dealer(strata, counter).DealAll();
    return counter.Shares();
  }
  counter.Add(seen);
  std::vector<std::vector<double>> values;
  for (const Stratum& stratum : strata) values.push_back(AllOf(stratum));
  for (std::size_t draw = 0; draw < kRandomOutcomes; ++draw) {
    double sum = 0;
    for (std::size_t s = 0; s < strata.size(); ++s) {
      const Weights weights = WeightsOf(strata[s], strata.size());
      rng.Shuffle(values[s]);
      for (std::size_t i = 0; i < values[s].size(); ++i) {
        sum += values[s][i] * (i < strata[s].first.size() ? weights.first : weights.second);
      }
    }
    counter.Add(sum);
  }
  return counter.Shares();
}

}  // namespace flare::report
