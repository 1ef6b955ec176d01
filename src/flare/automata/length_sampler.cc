#include "flare/automata/length_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "flare/base/error.h"

namespace flare {
namespace {

// Above this out-degree a binary search beats counting.
constexpr std::size_t kLongestScan = 16;

// The first entry above u. Requires: the last entry is above u.
std::size_t Choose(const double* cumulative, std::size_t count, double u) {
  if (count > kLongestScan) {
    return static_cast<std::size_t>(std::upper_bound(cumulative, cumulative + count, u) -
                                    cumulative);
  }
  std::size_t chosen = 0;
  for (std::size_t t = 0; t < count; ++t) chosen += u >= cumulative[t] ? 1 : 0;
  return chosen;
}

}  // namespace

LengthSampler::LengthSampler(Dfa trim, Distribution distribution, std::size_t max_length)
    : dfa_(std::move(trim)), max_length_(max_length) {
  if (max_length > kLargestTable / (dfa_.num_transitions() + 3)) {
    throw InputError("", fmt::format("sampling tables for {} transitions and lengths up to {} are "
                                     "larger than {} entries",
                                     dfa_.num_transitions(), max_length, kLargestTable));
  }
  for (std::size_t i = 0; i < dfa_.num_states(); ++i) {
    const StateId q = StateAt(i);
    const std::size_t k = dfa_.TransitionsFrom(q).size() + (dfa_.IsAccepting(q) ? 1 : 0);
    const bool uniform = distribution == Distribution::kUniform || k == 0;
    action_weight_.emplace_back(uniform ? 1.0 : 1.0 / static_cast<double>(k));
  }
  BuildTables();
}

void LengthSampler::BuildTables() {
  std::vector<ExtendedReal> beta(dfa_.num_states());
  for (std::size_t q = 0; q < beta.size(); ++q) {
    if (dfa_.IsAccepting(StateAt(q))) beta[q] = action_weight_[q];
  }
  allsum_.reserve(max_length_ + 1);
  allsum_.push_back(beta[Index(dfa_.start())]);
  cumulative_.resize(dfa_.num_transitions() * max_length_);

  std::vector<ExtendedReal> next(beta.size());
  std::vector<ExtendedReal> prefix;
  double* row = cumulative_.data();
  for (std::size_t i = 1; i <= max_length_; ++i, row += dfa_.num_transitions()) {
    for (std::size_t q = 0; q < beta.size(); ++q) {
      const auto transitions = dfa_.TransitionsFrom(StateAt(q));
      double* entries = row + dfa_.FirstTransition(StateAt(q));
      // The weight that all actions of a state share cancels in the quotients below.
      prefix.clear();
      ExtendedReal sum;
      std::size_t last = 0;
      for (std::size_t t = 0; t < transitions.size(); ++t) {
        const ExtendedReal& weight = beta[Index(transitions[t].target)];
        if (!weight.IsZero()) {
          sum += weight;
          last = t;
        }
        prefix.push_back(sum);
      }
      next[q] = action_weight_[q] * sum;
      if (sum.IsZero()) continue;
      for (std::size_t t = 0; t < last; ++t) entries[t] = (prefix[t] / sum).ToDouble();
      // Uniform numbers are below 1, so nothing impossible is ever drawn.
      std::fill(entries + last, entries + transitions.size(), 1.0);
    }
    beta.swap(next);
    allsum_.push_back(beta[Index(dfa_.start())]);
  }
}

std::vector<std::size_t> LengthSampler::ValidLengths(LengthRange range) const {
  FLARE_CHECK(range.max <= max_length_);
  std::vector<std::size_t> lengths;
  for (std::size_t n = range.min; n <= range.max; ++n) {
    if (HasLength(n)) lengths.push_back(n);
  }
  return lengths;
}

void LengthSampler::Sample(std::size_t length, Rng& rng, String& w) const {
  FLARE_CHECK(length <= max_length_ && HasLength(length));
  w.resize(length);
  const std::size_t width = dfa_.num_transitions();
  const double* row = cumulative_.data() + length * width;
  StateId q = dfa_.start();
  for (Symbol& a : w) {
    row -= width;
    const auto transitions = dfa_.TransitionsFrom(q);
    // A state with one way out needs no random number.
    const std::size_t t = transitions.size() == 1 ? 0
                                                  : Choose(row + dfa_.FirstTransition(q),
                                                           transitions.size(), rng.Uniform());
    a = transitions[t].symbol;
    q = transitions[t].target;
  }
}

double LengthSampler::TransitionProbability(std::size_t i, std::size_t t) const {
  FLARE_CHECK(1 <= i && i <= max_length_ && t < dfa_.num_transitions());
  const double* row = cumulative_.data() + (i - 1) * dfa_.num_transitions();
  StateId q = StateAt(0);
  while (dfa_.FirstTransition(StateAt(Index(q) + 1)) <= t) q = StateAt(Index(q) + 1);
  return row[t] - (t > dfa_.FirstTransition(q) ? row[t - 1] : 0);
}

double LengthSampler::LogProbability(StringView w) const {
  FLARE_CHECK(w.size() <= max_length_);
  StateId q = dfa_.start();
  ExtendedReal weight(1);
  for (const Symbol a : w) {
    weight *= action_weight_[Index(q)];
    const auto next = dfa_.Next(q, a);
    if (!next) return -std::numeric_limits<double>::infinity();
    q = *next;
  }
  if (!dfa_.IsAccepting(q)) return -std::numeric_limits<double>::infinity();
  weight *= action_weight_[Index(q)];
  return (weight / allsum_[w.size()]).Log();
}

}  // namespace flare
