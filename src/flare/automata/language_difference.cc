#include "flare/automata/language_difference.h"

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "flare/automata/boolean_operations.h"
#include "flare/automata/minimize.h"
#include "flare/base/check.h"

namespace flare {
namespace {

// A pair of states, one of each completed automaton, numbered breadth first in the order of
// symbols: the way that first led to one is its shortlex-first string.
struct Pair {
  std::size_t parent;
  Symbol symbol;
  bool in_target, in_claim;
  // Of each action of the target's state by the paper's law: 1/k, where k counts its transitions in
  // the trim automaton, and its end; 0 in the sink.
  ExtendedReal action_weight = {};
};

struct ProductStep {
  std::size_t target;
  bool is_action;  // of the trim automaton
};

struct Product {
  std::vector<Pair> pairs;         // [0] is the start
  std::vector<ProductStep> steps;  // (pairs, symbols)
  std::size_t width;               // |Σ|
};

Product MakeProduct(const Dfa& target, const Dfa& claim) {
  Effort effort("the comparison of two automata");
  const Dfa trim = Minimize(target);
  const Dfa a = Complete(trim, effort);  // with the numbers of `trim`, and a sink after them
  const Dfa b = Complete(Minimize(claim), effort);
  Product product{{}, {}, a.alphabet().size()};
  std::unordered_map<std::uint64_t, std::size_t> numbers;
  std::vector<std::pair<StateId, StateId>> states;
  const auto number = [&](StateId p, StateId q, std::size_t parent, Symbol symbol) {
    const auto [found, is_new] =
        numbers.try_emplace(std::uint64_t{Index(p)} << 32 | Index(q), states.size());
    if (is_new) {
      states.emplace_back(p, q);
      Pair pair{parent, symbol, a.IsAccepting(p), b.IsAccepting(q)};
      if (Index(p) < trim.num_states()) {
        const std::size_t actions = trim.TransitionsFrom(p).size() + (trim.IsAccepting(p) ? 1 : 0);
        if (actions > 0) pair.action_weight = ExtendedReal(1.0 / static_cast<double>(actions));
      }
      product.pairs.push_back(pair);
    }
    return found->second;
  };
  number(a.start(), b.start(), 0, Symbol{});
  for (std::size_t i = 0; i < states.size(); ++i) {
    effort.Spend(1 + product.width);
    effort.CheckSize(states.size() + product.steps.size());
    const auto [p, q] = states[i];
    for (std::size_t s = 0; s < product.width; ++s) {
      const Symbol symbol = SymbolAt(s);
      const bool is_action = Index(p) < trim.num_states() && trim.Next(p, symbol).has_value();
      product.steps.push_back(
          {number(*a.Next(p, symbol), *b.Next(q, symbol), i, symbol), is_action});
    }
  }
  return product;
}

String StringTo(const Product& product, std::size_t i) {
  String reversed;
  for (; i != 0; i = product.pairs[i].parent) reversed.push_back(product.pairs[i].symbol);
  return {reversed.rbegin(), reversed.rend()};
}

std::optional<double> Share(const ExtendedReal& part, const ExtendedReal& whole) {
  if (whole.IsZero()) return std::nullopt;
  return (part / whole).ToDouble();
}

// What strings of one length lead to each pair: how many, and their weight by the paper's law.
struct Forward {
  std::vector<ExtendedReal> count, weight;
};

LengthDifference Sum(const Product& product, const Forward& forward, std::size_t length) {
  LengthDifference row;
  row.length = length;
  ExtendedReal all, rejected;  // the paper's weight of members, and of those that are rejected
  for (std::size_t i = 0; i < product.pairs.size(); ++i) {
    const Pair& pair = product.pairs[i];
    const ExtendedReal& count = forward.count[i];
    if (pair.in_target) {
      const ExtendedReal weight = forward.weight[i] * pair.action_weight;
      row.members += count;
      all += weight;
      if (pair.in_claim) continue;
      row.wrongly_rejected += count;
      rejected += weight;
    } else {
      row.non_members += count;
      if (pair.in_claim) row.wrongly_accepted += count;
    }
  }
  row.rejects_by_paper = Share(rejected, all);
  row.rejects_uniformly = Share(row.wrongly_rejected, row.members);
  row.accepts_uniformly = Share(row.wrongly_accepted, row.non_members);
  return row;
}

Forward OneSymbolMore(const Product& product, const Forward& forward) {
  const std::size_t size = product.pairs.size();
  Forward next{std::vector<ExtendedReal>(size), std::vector<ExtendedReal>(size)};
  for (std::size_t i = 0; i < size; ++i) {
    if (forward.count[i].IsZero()) continue;
    const ExtendedReal weight = forward.weight[i] * product.pairs[i].action_weight;
    for (std::size_t s = 0; s < product.width; ++s) {
      const ProductStep& step = product.steps[i * product.width + s];
      next.count[step.target] += forward.count[i];
      if (step.is_action) next.weight[step.target] += weight;
    }
  }
  return next;
}

}  // namespace

LanguageDifference CompareLanguages(const Dfa& target, const Dfa& claim, std::size_t longest) {
  FLARE_CHECK(target.alphabet() == claim.alphabet());
  const Product product = MakeProduct(target, claim);
  LanguageDifference difference;
  for (std::size_t i = 0; i < product.pairs.size(); ++i) {
    const Pair& pair = product.pairs[i];
    if (pair.in_target == pair.in_claim) continue;
    auto& first =
        pair.in_target ? difference.first_wrongly_rejected : difference.first_wrongly_accepted;
    if (!first) first = StringTo(product, i);
  }
  Forward forward{std::vector<ExtendedReal>(product.pairs.size()),
                  std::vector<ExtendedReal>(product.pairs.size())};
  forward.count[0] = forward.weight[0] = ExtendedReal(1);
  for (std::size_t length = 0;; ++length) {
    difference.by_length.push_back(Sum(product, forward, length));
    if (length == longest) return difference;
    forward = OneSymbolMore(product, forward);
  }
}

}  // namespace flare
