#include "flare/grammars/derivation_sampler.h"

#include <fmt/format.h>

#include "flare/base/error.h"

namespace flare {
namespace {

// Draws i in proportion to weight(i), for i in 0..count-1 in this order. Rounding may leave the
// partial sums short of the total: then the last that is not 0. Requires: one is not 0.
template <class Weight>
std::size_t DrawIndex(std::size_t count, const ExtendedReal& total, Rng& rng, Weight weight) {
  const ExtendedReal target = ExtendedReal(rng.Uniform()) * total;
  ExtendedReal sum;
  std::size_t last = count;
  for (std::size_t i = 0; i < count; ++i) {
    const ExtendedReal w = weight(i);
    if (w.IsZero()) continue;
    sum += w;
    last = i;
    if (target < sum) break;
  }
  FLARE_CHECK(last < count);
  return last;
}

}  // namespace

DerivationSampler::DerivationSampler(const NormalForm& normal, RuleWeights weights,
                                     std::size_t max_length)
    : normal_(normal), weights_(weights), max_length_(max_length) {
  const std::size_t width = normal.alphabet.size() + normal.num_nonterminals();
  const std::size_t largest = kMostSteps / (max_length + 1) / (max_length + 1);
  if (normal.bodies.size() + width > largest) {
    throw InputError("", fmt::format("sampling tables for {} rules and lengths up to {} take more "
                                     "than {} steps",
                                     normal.bodies.size() + width, max_length, kMostSteps));
  }
  beta_.resize(width * (max_length + 1));
  body_beta_.resize(normal.bodies.size() * (max_length + 1));
  const auto beta = [&](std::size_t x, std::size_t n) -> ExtendedReal& {
    return beta_[x * (max_length + 1) + n];
  };
  total_.resize(max_length + 1);
  if (normal.has_empty) total_[0] = RuleWeight(normal.empty_weight);
  for (std::size_t n = 1; n <= max_length; ++n) {
    if (n == 1) {
      for (std::size_t a = 0; a < normal.alphabet.size(); ++a) beta(a, 1) = ExtendedReal(1);
    }
    for (std::size_t b = 0; b < normal.bodies.size(); ++b) {
      body_beta_[b * (max_length + 1) + n] = Convolve(normal.bodies[b], n);
    }
    for (std::size_t a = 0; a < normal.num_nonterminals(); ++a) {
      ExtendedReal sum;
      if (n == 1) {
        for (const auto& rule : normal.terminals_of[a]) sum += RuleWeight(rule.weight);
      }
      for (const auto& rule : normal.bodies_of[a]) {
        sum += RuleWeight(rule.weight) * body_beta_[rule.body * (max_length + 1) + n];
      }
      beta(normal.alphabet.size() + a, n) = sum;
    }
    total_[n] = beta(normal.alphabet.size(), n);
  }
}

ExtendedReal DerivationSampler::Convolve(const NormalForm::Body& body, std::size_t n) const {
  if (n < 2) return {};
  if (normal_.IsTerminal(body.left)) return Beta(body.right, n - 1);
  if (normal_.IsTerminal(body.right)) return Beta(body.left, n - 1);
  ExtendedReal sum;
  const ExtendedReal* left = &Beta(body.left, 1);
  const ExtendedReal* right = &Beta(body.right, n - 1);
  for (std::size_t k = 1; k < n; ++k, ++left, --right) sum += *left * *right;
  return sum;
}

std::uint32_t DerivationSampler::DrawBody(std::size_t nonterminal, std::size_t n, Rng& rng) const {
  const auto& rules = normal_.bodies_of[nonterminal];
  if (rules.size() == 1) return rules[0].body;
  const std::size_t chosen =
      DrawIndex(rules.size(), Beta(normal_.Nonterminal(nonterminal), n), rng, [&](std::size_t i) {
        return RuleWeight(rules[i].weight) * body_beta_[rules[i].body * (max_length_ + 1) + n];
      });
  return rules[chosen].body;
}

std::size_t DerivationSampler::DrawSplit(std::uint32_t body, std::size_t n, Rng& rng) const {
  const auto [left, right] = normal_.bodies[body];
  if (normal_.IsTerminal(left)) return 1;
  if (normal_.IsTerminal(right)) return n - 1;
  // Splits are tried from both ends inwards: i = 0, 1, 2, … is k = 1, n−1, 2, …
  const auto split = [n](std::size_t i) { return i % 2 == 0 ? i / 2 + 1 : n - 1 - i / 2; };
  return split(DrawIndex(n - 1, body_beta_[body * (max_length_ + 1) + n], rng,
                         [&, left = left, right = right](std::size_t i) {
                           const std::size_t k = split(i);
                           return Beta(left, k) * Beta(right, n - k);
                         }));
}

Symbol DerivationSampler::DrawTerminal(std::size_t nonterminal, Rng& rng) const {
  const auto& rules = normal_.terminals_of[nonterminal];
  if (rules.size() == 1) return rules[0].terminal;
  const std::size_t chosen = DrawIndex(rules.size(), Beta(normal_.Nonterminal(nonterminal), 1), rng,
                                       [&](std::size_t i) { return RuleWeight(rules[i].weight); });
  return rules[chosen].terminal;
}

void DerivationSampler::Sample(std::size_t length, Rng& rng, String& w) const {
  FLARE_CHECK(length <= max_length_ && HasLength(length));
  w.clear();
  if (length == 0) return;
  std::vector<Span> open{{normal_.Nonterminal(0), length}};
  while (!open.empty()) {
    const auto [symbol, n] = open.back();
    open.pop_back();
    if (normal_.IsTerminal(symbol)) {
      w.push_back(SymbolAt(Index(symbol)));
      continue;
    }
    const std::size_t nonterminal = normal_.NonterminalIndex(symbol);
    if (n == 1) {
      w.push_back(DrawTerminal(nonterminal, rng));
      continue;
    }
    const std::uint32_t body = DrawBody(nonterminal, n, rng);
    const std::size_t k = DrawSplit(body, n, rng);
    open.push_back({normal_.bodies[body].right, n - k});
    open.push_back({normal_.bodies[body].left, k});
  }
}

}  // namespace flare
