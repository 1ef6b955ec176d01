#include "flare/extraction/difference.h"

#include <fmt/format.h>
#include <gmpxx.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/grammars/grammar_product.h"

namespace flare {
namespace {

// A pair of states, one of each completed automaton, numbered breadth first in the order of
// symbols: the way that first led to one is its shortlex-first string.
struct Pair {
  std::size_t parent;
  Symbol symbol;
  bool in_target, in_claim;
  // The probability of each action of the target's state by the paper's law: 1/k, where k counts
  // its transitions in the trim automaton, and its end; 0 in the sink.
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

// The pairs from which a string leads to a pair that accepts in one automaton only.
std::vector<bool> LeadsToDifference(const Product& product) {
  std::vector<std::vector<std::size_t>> sources(product.pairs.size());
  std::vector<std::size_t> found;
  std::vector<bool> leads(product.pairs.size(), false);
  for (std::size_t i = 0; i < product.pairs.size(); ++i) {
    for (std::size_t s = 0; s < product.width; ++s) {
      sources[product.steps[i * product.width + s].target].push_back(i);
    }
    if (product.pairs[i].in_target == product.pairs[i].in_claim) continue;
    leads[i] = true;
    found.push_back(i);
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (const std::size_t i : sources[found[k]]) {
      if (leads[i]) continue;
      leads[i] = true;
      found.push_back(i);
    }
  }
  return leads;
}

// All strings that lead to a difference, if there are at most kMostListed. The prefixes of one
// length that still lead to one are extended together: each of them has a string of its own, so
// that there are never more than kMostListed of them. If one is as long as there are pairs, it has
// repeated a pair, and there are infinitely many strings.
std::optional<std::vector<String>> ListDifferences(const Product& product) {
  const std::vector<bool> leads = LeadsToDifference(product);
  std::vector<String> listed;
  std::vector<std::pair<String, std::size_t>> prefixes;
  if (leads[0]) prefixes.push_back({{}, 0});
  for (std::size_t length = 0; !prefixes.empty(); ++length) {
    if (length >= product.pairs.size()) return std::nullopt;
    std::vector<std::pair<String, std::size_t>> longer;
    for (const auto& [w, i] : prefixes) {
      if (product.pairs[i].in_target != product.pairs[i].in_claim) listed.push_back(w);
      for (std::size_t s = 0; s < product.width; ++s) {
        const std::size_t next = product.steps[i * product.width + s].target;
        if (!leads[next]) continue;
        longer.emplace_back(w, next);
        longer.back().first.push_back(SymbolAt(s));
      }
      if (listed.size() > kMostListed || longer.size() > kMostListed) return std::nullopt;
    }
    prefixes = std::move(longer);
  }
  return listed;
}

// The number of strings of one length that lead to each pair, and their weight by the paper's law.
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

// Products of whole numbers of some hundred bits: a second or two.
constexpr double kMostProducts = 2e7;
// Fewer lengths than this say too little.
constexpr std::size_t kFewestLengths = 10;
constexpr std::size_t kMostStringsTried = 1'000'000;

using EdgeId = std::uint32_t;
constexpr EdgeId kTerminal = GrammarProduct::kTerminal;

// A weight for every edge and length: W is mpz_class, and every rule counts 1, or ExtendedReal, and
// a rule counts its weight.
template <class W>
class EdgeWeights {
 public:
  EdgeWeights(const GrammarProduct& product, std::size_t longest)
      : lengths_(longest + 1), weights_(product.edges.size() * lengths_) {
    for (EdgeId e = 0; e < product.edges.size(); ++e) {
      for (const auto& rule : product.edges[e].terminals) At(e, 1) += Rule(rule.weight);
    }
    for (std::size_t n = 2; n <= longest; ++n) {
      for (const GrammarProduct::Span& span : product.spans) {
        const W sum = Sum(span, n);
        for (const GrammarProduct::Head& head : span.heads)
          At(head.edge, n) += sum * Rule(head.weight);
      }
    }
  }

  const W& Of(EdgeId edge, std::size_t n) const { return weights_[edge * lengths_ + n]; }

 private:
  static W Rule(double weight) {
    if constexpr (std::is_same_v<W, ExtendedReal>)
      return ExtendedReal(weight);
    else
      return 1;
  }
  W& At(EdgeId edge, std::size_t n) { return weights_[edge * lengths_ + n]; }

  // Requires: n >= 2.
  W Sum(const GrammarProduct::Span& span, std::size_t n) const {
    W sum{};
    for (const auto& [left, right] : span.pairs) {
      if (left.edge == kTerminal && right.edge == kTerminal) {
        if (n == 2) sum += Rule(1);
      } else if (left.edge == kTerminal) {
        sum += Of(right.edge, n - 1);
      } else if (right.edge == kTerminal) {
        sum += Of(left.edge, n - 1);
      } else {
        for (std::size_t k = 1; k < n; ++k) sum += Of(left.edge, k) * Of(right.edge, n - k);
      }
    }
    return sum;
  }

  std::size_t lengths_;
  std::vector<W> weights_;  // (edge, length)
};

// Returns the number of strings of each length that the automaton accepts.
std::vector<mpz_class> AcceptedByLength(const Dfa& automaton, std::size_t longest) {
  std::vector<mpz_class> accepted, at(automaton.num_states());
  at[Index(automaton.start())] = 1;
  for (std::size_t n = 0;; ++n) {
    accepted.emplace_back();
    for (std::size_t q = 0; q < at.size(); ++q) {
      if (automaton.IsAccepting(StateAt(q))) accepted.back() += at[q];
    }
    if (n == longest) return accepted;
    std::vector<mpz_class> next(at.size());
    for (std::size_t q = 0; q < at.size(); ++q) {
      for (const Dfa::Transition& t : automaton.TransitionsFrom(StateAt(q))) {
        next[Index(t.target)] += at[q];
      }
    }
    at = std::move(next);
  }
}

ExtendedReal ToExtended(const mpz_class& x) {
  long exponent = 0;  // NOLINT(google-runtime-int): as GMP has it
  const double mantissa = mpz_get_d_2exp(&exponent, x.get_mpz_t());
  return ExtendedReal::Scaled(mantissa, exponent);
}

// The shortlex-first string of the length that leads from q₀ to a rejecting state: the first of an
// edge is the least over its rules of the first of their parts, put together, since all strings of
// an edge have the same length. Requires: there is one.
String FirstRejected(const GrammarProduct& product, const EdgeWeights<mpz_class>& counts,
                     const Dfa& automaton, std::size_t length) {
  std::vector<String> first(product.edges.size() * (length + 1));
  const auto at = [&](EdgeId e, std::size_t n) -> String& { return first[e * (length + 1) + n]; };
  for (EdgeId e = 0; e < product.edges.size(); ++e) {
    const auto& terminals = product.edges[e].terminals;
    if (terminals.empty()) continue;
    const auto least = std::min_element(
        terminals.begin(), terminals.end(),
        [](const auto& a, const auto& b) { return Index(a.terminal) < Index(b.terminal); });
    at(e, 1) = {least->terminal};
  }
  const auto has = [&](const GrammarProduct::Part& part, std::size_t n) {
    return part.edge == kTerminal ? n == 1 : counts.Of(part.edge, n) != 0;
  };
  const auto append = [&](const GrammarProduct::Part& part, std::size_t n, String& w) {
    if (part.edge == kTerminal) {
      w.push_back(part.terminal);
    } else {
      w.insert(w.end(), at(part.edge, n).begin(), at(part.edge, n).end());
    }
  };
  for (std::size_t n = 2; n <= length; ++n) {
    for (const GrammarProduct::Span& span : product.spans) {
      String least;
      for (const auto& [left, right] : span.pairs) {
        for (std::size_t k = 1; k < n; ++k) {
          if (!has(left, k) || !has(right, n - k)) continue;
          String w;
          append(left, k, w);
          append(right, n - k, w);
          if (least.empty() || w < least) least = std::move(w);
        }
      }
      if (least.empty()) continue;
      for (const GrammarProduct::Head& head : span.heads) {
        String& w = at(head.edge, n);
        if (w.empty() || least < w) w = least;
      }
    }
  }
  String least;
  for (const GrammarProduct::Root& root : product.roots) {
    if (automaton.IsAccepting(root.to) || counts.Of(root.edge, length) == 0) continue;
    const String& w = at(root.edge, length);
    if (least.empty() || w < least) least = w;
  }
  FLARE_CHECK(!least.empty());
  return least;
}

// Goes through the strings of one length that an automaton accepts, in symbol order.
class AcceptedStrings {
 public:
  AcceptedStrings(const Dfa& automaton, std::size_t length)
      : automaton_(automaton), length_(length), accepts_after_(length + 1) {
    for (std::size_t left = 0; left <= length; ++left) {
      accepts_after_[left].resize(automaton.num_states());
      for (std::size_t q = 0; q < automaton.num_states(); ++q) {
        accepts_after_[left][q] = left == 0 ? automaton.IsAccepting(StateAt(q)) : LeadsOn(left, q);
      }
    }
  }

  // Stops when `is_found` returns true, and calls it at most `most` times.
  template <class IsFound>
  std::optional<String> Find(std::size_t most, const IsFound& is_found) const {
    std::vector<StateId> states = {automaton_.start()};
    String w;
    std::size_t from = 0;  // the next symbol to try
    while (true) {
      if (w.size() == length_) {
        if (is_found(w)) return w;
        if (--most == 0) return std::nullopt;
      } else if (const auto next = NextAfter(states.back(), from, length_ - w.size())) {
        w.push_back(next->symbol);
        states.push_back(next->target);
        from = 0;
        continue;
      }
      if (w.empty()) return std::nullopt;
      from = Index(w.back()) + 1;
      w.pop_back();
      states.pop_back();
    }
  }

 private:
  bool LeadsOn(std::size_t left, std::size_t q) const {
    for (const Dfa::Transition& t : automaton_.TransitionsFrom(StateAt(q))) {
      if (accepts_after_[left - 1][Index(t.target)]) return true;
    }
    return false;
  }
  std::optional<Dfa::Transition> NextAfter(StateId q, std::size_t from, std::size_t left) const {
    for (const Dfa::Transition& t : automaton_.TransitionsFrom(q)) {
      if (Index(t.symbol) >= from && accepts_after_[left - 1][Index(t.target)]) return t;
    }
    return std::nullopt;
  }

  const Dfa& automaton_;
  std::size_t length_;
  std::vector<std::vector<bool>> accepts_after_;  // (symbols left, state)
};

// Returns the greatest length that the product can handle.
std::size_t LongestWithin(const GrammarProduct& product, std::size_t longest) {
  const auto pairs = static_cast<double>(product.num_inner_pairs);
  const auto products = [&](std::size_t n) {
    return pairs * static_cast<double>(n) * static_cast<double>(n) / 2;
  };
  std::size_t within = longest;
  while (within > 0 && products(within) > kMostProducts) --within;
  if (within < std::min(longest, kFewestLengths)) {
    throw InputError("", fmt::format("the product of the target's grammar and the automaton has {} "
                                     "pairs of edges: too many to count strings of {} symbols",
                                     product.num_inner_pairs, kFewestLengths));
  }
  return within;
}

// The members of one length, by the claim's answer.
struct Members {
  mpz_class found, missed;
  ExtendedReal found_weight, missed_weight;  // by the grammar's law

  void Add(bool is_found, const mpz_class& count, const ExtendedReal& weight) {
    (is_found ? found : missed) += count;
    (is_found ? found_weight : missed_weight) += weight;
  }
};

LengthDifference RowOf(std::size_t length, const Members& members,
                       const mpz_class& wrongly_accepted, const mpz_class& non_members) {
  LengthDifference row;
  row.length = length;
  row.members = ToExtended(members.found + members.missed);
  row.non_members = ToExtended(non_members);
  row.wrongly_rejected = ToExtended(members.missed);
  row.wrongly_accepted = ToExtended(wrongly_accepted);
  row.rejects_by_paper = Share(members.missed_weight, members.found_weight + members.missed_weight);
  row.rejects_uniformly = Share(row.wrongly_rejected, row.members);
  row.accepts_uniformly = Share(row.wrongly_accepted, row.non_members);
  return row;
}

// Requires: there is one of this length.
String FirstAccepted(const Recognizer& recognizer, const Dfa& automaton, std::size_t length) {
  const auto found =
      AcceptedStrings(automaton, length).Find(kMostStringsTried, [&](const String& w) {
        return !recognizer.Accepts(w);
      });
  if (found) return *found;
  throw InputError("", fmt::format("a wrongly accepted string of {} symbols exists, but is not "
                                   "among the first {} that the automaton accepts",
                                   length, kMostStringsTried));
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
  difference.only_differs_on = ListDifferences(product);
  Forward forward{std::vector<ExtendedReal>(product.pairs.size()),
                  std::vector<ExtendedReal>(product.pairs.size())};
  forward.count[0] = forward.weight[0] = ExtendedReal(1);
  for (std::size_t length = 0;; ++length) {
    difference.by_length.push_back(Sum(product, forward, length));
    if (length == longest) return difference;
    forward = OneSymbolMore(product, forward);
  }
}

LanguageDifference CompareWithGrammar(const NormalForm& target, const Recognizer& recognizer,
                                      const Dfa& claim, std::size_t longest) {
  FLARE_CHECK(target.alphabet == claim.alphabet());
  Effort effort("the comparison of a grammar and an automaton");
  const Dfa automaton = Complete(Minimize(claim), effort);
  const GrammarProduct product = MultiplyByAutomaton(target, automaton);
  longest = LongestWithin(product, longest);
  const EdgeWeights<mpz_class> counts(product, longest);
  const EdgeWeights<ExtendedReal> weights(product, longest);
  const std::vector<mpz_class> claimed = AcceptedByLength(automaton, longest);

  LanguageDifference difference;
  difference.known_up_to = longest;
  mpz_class strings = 1;  // |Σ|ⁿ
  for (std::size_t n = 0; n <= longest; ++n, strings *= target.alphabet.size()) {
    Members members;
    if (n == 0 && target.has_empty) {
      members.Add(automaton.IsAccepting(automaton.start()), 1, ExtendedReal(target.empty_weight));
    }
    for (const GrammarProduct::Root& root : product.roots) {
      members.Add(automaton.IsAccepting(root.to), counts.Of(root.edge, n),
                  weights.Of(root.edge, n));
    }
    const mpz_class wrongly_accepted = claimed[n] - members.found;
    difference.by_length.push_back(
        RowOf(n, members, wrongly_accepted, strings - members.found - members.missed));
    if (members.missed != 0 && !difference.first_wrongly_rejected) {
      difference.first_wrongly_rejected =
          n == 0 ? String{} : FirstRejected(product, counts, automaton, n);
    }
    if (wrongly_accepted != 0 && !difference.first_wrongly_accepted) {
      difference.first_wrongly_accepted = FirstAccepted(recognizer, automaton, n);
    }
  }
  return difference;
}

}  // namespace flare
