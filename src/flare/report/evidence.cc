#include "flare/report/evidence.h"

#include <algorithm>
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
  evidence.p = SignFlipTest(beyond, rng).TwoSided();
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
  evidence.p = StratifiedTest(strata, rng).TwoSided();
  return evidence;
}

}  // namespace flare::report
