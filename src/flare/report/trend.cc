#include "flare/report/trend.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "flare/base/rng.h"
#include "flare/report/statistics.h"

namespace flare::report {
namespace {

// Up to this many outcomes are enumerated; of more, this many are drawn, and what was observed
// counts as one of them, so that no probability is 0 (Phipson, Smyth 2010).
constexpr std::size_t kMostOutcomes = std::size_t{1} << 18;
constexpr std::size_t kRandomOutcomes = 20'000;

// How probable it is that chance gives this much or more, this little or less.
struct Tails {
  double upper = 1;
  double lower = 1;

  double TwoSided() const { return std::min(1.0, 2 * std::min(upper, lower)); }
};

// What chance can give, each value with its probability, ascending.
using Law = std::vector<std::pair<double, double>>;

double MeanCorrelation(const std::vector<CentredRanks>& blocks) {
  std::vector<double> correlations;
  for (const CentredRanks& block : blocks) correlations.push_back(block.Correlation());
  return Mean(correlations);
}

// Of a block's correlation. Nothing if there are too many deals to go through.
std::optional<Law> LawOf(CentredRanks block) {
  std::map<double, double> counts;  // of sums of products, which are quarters of whole numbers
  std::size_t deals = 0;
  std::sort(block.second.begin(), block.second.end());
  do {
    if (++deals > kMostOutcomes) return std::nullopt;
    ++counts[block.Products()];
  } while (std::next_permutation(block.second.begin(), block.second.end()));
  Law law;
  for (const auto& [sum, count] : counts) {
    law.emplace_back(block.norm > 0 ? sum / block.norm : 0, count / static_cast<double>(deals));
  }
  return law;
}

// Of the sum of two that are independent.
std::optional<Law> SumOf(const Law& a, const Law& b) {
  if (a.size() * b.size() > kMostOutcomes) return std::nullopt;
  Law all, merged;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) all.emplace_back(x + y, p * q);
  }
  std::sort(all.begin(), all.end());
  for (const auto& [value, p] : all) {
    if (!merged.empty() && value - merged.back().first <= kRoundingError) {
      merged.back().second += p;
    } else {
      merged.emplace_back(value, p);
    }
  }
  return merged;
}

// Of the sum of the blocks' correlations.
std::optional<Law> LawOfSum(std::span<const CentredRanks> blocks) {
  std::optional<Law> sum = Law{{0, 1}};
  for (const CentredRanks& block : blocks) {
    const auto law = LawOf(block);
    if (law) sum = SumOf(*sum, *law);
    if (!law || !sum) return std::nullopt;
  }
  return sum;
}

// How probable it is that the sum of the two is at least this much.
double UpperTail(const Law& a, const Law& b, double least) {
  double tail = 0, enough = 0;  // the share of b that is enough for the value of a
  auto next = b.rbegin();
  for (const auto& [x, p] : a) {
    for (; next != b.rend() && x + next->first >= least; ++next) enough += next->second;
    tail += p * enough;
  }
  return tail;
}

Law Negated(const Law& law) {
  Law negated(law.rbegin(), law.rend());
  for (auto& [value, p] : negated) value = -value;
  return negated;
}

// In two halves, as there may be too many sums of all. Trials with ties have values of their own,
// so that few of the sums are equal.
std::optional<Tails> ExactTails(const std::vector<CentredRanks>& blocks, double observed) {
  const std::span all(blocks);
  const auto a = LawOfSum(all.first(all.size() / 2)), b = LawOfSum(all.subspan(all.size() / 2));
  if (!a || !b) return std::nullopt;
  const auto n = static_cast<double>(blocks.size());
  return Tails{UpperTail(*a, *b, n * (observed - kRoundingError)),
               UpperTail(Negated(*a), Negated(*b), -n * (observed + kRoundingError))};
}

Tails DrawnTails(std::vector<CentredRanks> blocks, double observed, const std::string& stream) {
  Rng rng = Rng::For(0, stream);
  // What was observed is one of the outcomes.
  double above = 1, below = 1;
  for (std::size_t i = 0; i < kRandomOutcomes; ++i) {
    for (CentredRanks& block : blocks) rng.Shuffle(block.second);
    const double chance = MeanCorrelation(blocks);
    above += chance >= observed - kRoundingError ? 1 : 0;
    below += chance <= observed + kRoundingError ? 1 : 0;
  }
  const double outcomes = kRandomOutcomes + 1.0;
  return {above / outcomes, below / outcomes};
}

// Places by their order: ranks are of scores, of which those that differ by less than a rounding
// error are equal, which settings as small as Adam's epsilon are not.
std::vector<double> OrderOf(const std::vector<double>& places) {
  std::vector<double> sorted = places, order;
  std::sort(sorted.begin(), sorted.end());
  for (const double place : places) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), place);
    order.push_back(static_cast<double>(at - sorted.begin()));
  }
  return order;
}

}  // namespace

std::optional<Trend> TrendOf(std::span<const TrendBlock> blocks, const std::string& stream) {
  std::vector<CentredRanks> ranked;
  Trend trend;
  for (const TrendBlock& block : blocks) {
    if (block.scores.size() < 2) continue;
    ranked.emplace_back(OrderOf(block.places), block.scores);
    trend.n += block.scores.size();
  }
  if (ranked.empty()) return std::nullopt;
  trend.correlation = MeanCorrelation(ranked);
  const auto exact = ExactTails(ranked, trend.correlation);
  trend.p = (exact ? *exact : DrawnTails(ranked, trend.correlation, stream)).TwoSided();
  return trend;
}

}  // namespace flare::report
