#include "flare/report/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace flare::report {
namespace {

std::vector<double> Resample(const std::vector<double>& values, Rng& rng) {
  std::vector<double> drawn(values.size());
  for (double& x : drawn) x = values[rng.UniformInt(values.size())];
  return drawn;
}

}  // namespace

Evidence OfMean(std::span<const double> values, double bound, const std::string& stream) {
  Evidence evidence{.n = values.size()};
  if (values.empty()) return evidence;
  evidence.effect = Mean(values);
  if (values.size() >= kLeastForInterval) {
    Rng rng = Rng::For(0, stream + "/interval");
    evidence.interval = BootstrapMean(values, rng);
  }
  std::vector<double> beyond;
  for (const double x : values) beyond.push_back(x - bound);
  Rng rng = Rng::For(0, stream + "/test");
  const Tails tails = SignFlipTest(beyond, rng);
  evidence.p = tails.TwoSided();
  evidence.least_p = tails.LeastTwoSided();
  return evidence;
}

Evidence OfWorst(const std::vector<std::vector<double>>& values, double bound, bool is_above,
                 const std::string& stream) {
  if (values.empty() || values[0].empty()) return {};
  const std::size_t units = values[0].size();
  std::vector<std::size_t> all(units);
  std::iota(all.begin(), all.end(), std::size_t{0});
  // Which effect is the worst of these units', and what it is.
  const auto worst_of = [&](std::span<const std::size_t> drawn) {
    std::pair<std::size_t, double> worst;
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::vector<double> some;
      for (const std::size_t i : drawn) some.push_back(values[k][i]);
      const double effect = Mean(some);
      if (k == 0 || (is_above ? effect < worst.second : effect > worst.second)) worst = {k, effect};
    }
    return worst;
  };
  std::vector<Evidence> each;
  for (std::size_t k = 0; k < values.size(); ++k) {
    each.push_back(OfMean(values[k], bound, fmt::format("{}/{}", stream, k)));
  }
  const auto [worst, effect] = worst_of(all);
  Evidence evidence = each[worst];
  if (is_above ? effect > bound : effect < bound) {
    for (const Evidence& one : each) evidence.p = std::max(*evidence.p, *one.p);
  } else {
    evidence.p = std::min(1.0, *evidence.p * static_cast<double>(values.size()));
  }
  Rng rng = Rng::For(0, stream + "/worst");
  evidence.interval = BootstrapGroups(
      units,
      [&](std::span<const std::size_t> drawn) { return std::optional(worst_of(drawn).second); },
      rng);
  return evidence;
}

Evidence OfDifference(std::span<const Stratum> strata, const std::string& stream) {
  Evidence evidence;
  if (strata.empty()) return evidence;
  std::size_t least = strata[0].first.size();
  for (const Stratum& stratum : strata) {
    evidence.n += stratum.first.size() + stratum.second.size();
    least = std::min({least, stratum.first.size(), stratum.second.size()});
  }
  evidence.effect = StratifiedDifference(strata);
  if (least >= kLeastForInterval) {
    Rng rng = Rng::For(0, stream + "/interval");
    const auto resampled = [&] {
      std::vector<Stratum> drawn;
      for (const Stratum& stratum : strata) {
        drawn.push_back({Resample(stratum.first, rng), Resample(stratum.second, rng)});
      }
      return StratifiedDifference(drawn);
    };
    evidence.interval = Bootstrap(evidence.n, resampled);
  }
  Rng rng = Rng::For(0, stream + "/test");
  const Tails tails = StratifiedTest(strata, rng);
  evidence.p = tails.TwoSided();
  evidence.least_p = tails.LeastTwoSided();
  return evidence;
}

}  // namespace flare::report
