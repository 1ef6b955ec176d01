#include "flare/automata/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "flare/base/error.h"

namespace flare {

void Effort::Spend(std::size_t steps) {
  if (steps > left_) {
    throw InputError(where_,
                     fmt::format("its automaton takes more than {} steps to compute", kMostSteps));
  }
  left_ -= steps;
}

void Effort::CheckSize(std::size_t states_and_transitions) const {
  if (states_and_transitions > kLargest) {
    throw InputError(
        where_,
        fmt::format("its automaton is too large: over {} states and transitions", kLargest));
  }
}

std::vector<std::uint8_t> Coaccessible(const Dfa& dfa) {
  // Backwards from F, over the transitions grouped by target.
  const std::size_t n = dfa.num_states();
  std::vector<std::size_t> first(n + 1, 0);
  for (const auto& t : dfa.transitions()) ++first[Index(t.target) + 1];
  for (std::size_t q = 0; q < n; ++q) first[q + 1] += first[q];
  std::vector<StateId> sources(dfa.num_transitions());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t q = 0; q < n; ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      sources[next[Index(r)]++] = StateAt(q);
    }
  }

  std::vector<std::uint8_t> reached(n, 0);
  std::vector<StateId> stack;
  const auto visit = [&](StateId q) {
    if (reached[Index(q)] == 0) {
      reached[Index(q)] = 1;
      stack.push_back(q);
    }
  };
  for (std::size_t q = 0; q < n; ++q) {
    if (dfa.IsAccepting(StateAt(q))) visit(StateAt(q));
  }
  while (!stack.empty()) {
    const std::size_t r = Index(stack.back());
    stack.pop_back();
    for (std::size_t i = first[r]; i < first[r + 1]; ++i) visit(sources[i]);
  }
  return reached;
}

Dfa Trim(const Dfa& dfa) {
  const std::vector<std::uint8_t> useful = Coaccessible(dfa);
  DfaBuilder trim(dfa.alphabet());
  if (useful[Index(dfa.start())] == 0) {
    const StateId only = trim.AddState(false);
    return std::move(trim).Build(only);
  }
  std::vector<std::optional<StateId>> renamed(dfa.num_states());
  std::vector<StateId> order;
  const auto rename = [&](StateId q) {
    auto& name = renamed[Index(q)];
    if (!name) {
      name = trim.AddState(dfa.IsAccepting(q));
      order.push_back(q);
    }
    return *name;
  };
  const StateId start = rename(dfa.start());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const StateId q = order[i];
    for (const auto& [a, r] : dfa.TransitionsFrom(q)) {
      if (useful[Index(r)] != 0) trim.AddTransition(*renamed[Index(q)], a, rename(r));
    }
  }
  return std::move(trim).Build(start);
}

bool IsEmpty(const Dfa& dfa) { return Coaccessible(dfa)[Index(dfa.start())] == 0; }

namespace {

// A partition of {0, ..., n-1} that is refined by marking elements and splitting every set that is
// partly marked. Elements of a set lie side by side, the marked ones first.
class Partition {
 public:
  // Starts with one set, or with none for n = 0.
  explicit Partition(std::size_t n) : items_(n), place_(n), set_of_(n, 0) {
    std::iota(items_.begin(), items_.end(), std::size_t{0});
    std::iota(place_.begin(), place_.end(), std::size_t{0});
    if (n > 0) sets_.push_back({0, n, 0});
  }

  std::size_t size() const { return sets_.size(); }
  std::size_t SetOf(std::size_t item) const { return set_of_[item]; }
  // A copy, because marking moves elements about.
  std::vector<std::size_t> Members(std::size_t set) const {
    const auto begin = items_.begin();
    return {begin + static_cast<std::ptrdiff_t>(sets_[set].begin),
            begin + static_cast<std::ptrdiff_t>(sets_[set].end)};
  }

  void Mark(std::size_t item) {
    const std::size_t s = set_of_[item];
    Set& set = sets_[s];
    const std::size_t boundary = set.begin + set.marked;
    if (place_[item] < boundary) return;
    if (set.marked++ == 0) touched_.push_back(s);
    const std::size_t other = items_[boundary];
    std::swap(items_[place_[item]], items_[boundary]);
    std::swap(place_[item], place_[other]);
  }

  // Splits every partly marked set. The smaller part gets the new number: an element moves at most
  // log n times, which is where the bound on the running time comes from.
  void SplitMarked() {
    for (const std::size_t s : touched_) {
      const Set set = sets_[s];
      sets_[s].marked = 0;
      const std::size_t middle = set.begin + set.marked;
      if (middle == set.end) continue;
      Set part{set.begin, middle, 0};
      if (set.marked <= set.end - middle) {
        sets_[s].begin = middle;
      } else {
        part = {middle, set.end, 0};
        sets_[s].end = middle;
      }
      for (std::size_t i = part.begin; i < part.end; ++i) set_of_[items_[i]] = sets_.size();
      sets_.push_back(part);
    }
    touched_.clear();
  }

 private:
  struct Set {
    std::size_t begin, end, marked;
  };
  std::vector<std::size_t> items_;
  std::vector<std::size_t> place_;  // items_[place_[x]] == x
  std::vector<std::size_t> set_of_;
  std::vector<Set> sets_;
  std::vector<std::size_t> touched_;
};

}  // namespace

Dfa Minimize(const Dfa& dfa) {
  const Dfa trim = Trim(dfa);
  const auto transitions = trim.transitions();
  std::vector<std::size_t> source(transitions.size());
  std::vector<std::vector<std::size_t>> incoming(trim.num_states());
  for (std::size_t q = 0; q < trim.num_states(); ++q) {
    const std::size_t begin = trim.FirstTransition(StateAt(q));
    for (std::size_t t = begin; t < begin + trim.TransitionsFrom(StateAt(q)).size(); ++t) {
      source[t] = q;
      incoming[Index(transitions[t].target)].push_back(t);
    }
  }

  // States are split by acceptance, transitions by symbol; then each partition refines the other
  // until states of a set agree on which sets their transitions lead to.
  Partition states(trim.num_states());
  for (std::size_t q = 0; q < trim.num_states(); ++q) {
    if (trim.IsAccepting(StateAt(q))) states.Mark(q);
  }
  states.SplitMarked();
  Partition cords(transitions.size());
  std::vector<std::vector<std::size_t>> by_symbol(trim.alphabet().size());
  for (std::size_t t = 0; t < transitions.size(); ++t) {
    by_symbol[Index(transitions[t].symbol)].push_back(t);
  }
  for (const auto& group : by_symbol) {
    for (const std::size_t t : group) cords.Mark(t);
    cords.SplitMarked();
  }

  std::size_t next_set = 1;
  for (std::size_t cord = 0; cord < cords.size(); ++cord) {
    for (const std::size_t t : cords.Members(cord)) states.Mark(source[t]);
    states.SplitMarked();
    for (; next_set < states.size(); ++next_set) {
      for (const std::size_t q : states.Members(next_set)) {
        for (const std::size_t t : incoming[q]) cords.Mark(t);
      }
      cords.SplitMarked();
    }
  }

  DfaBuilder quotient(trim.alphabet());
  std::vector<std::size_t> representative(states.size(), trim.num_states());
  for (std::size_t q = 0; q < trim.num_states(); ++q) {
    representative[states.SetOf(q)] = std::min(representative[states.SetOf(q)], q);
  }
  for (const std::size_t q : representative) quotient.AddState(trim.IsAccepting(StateAt(q)));
  for (std::size_t set = 0; set < representative.size(); ++set) {
    for (const auto& [a, r] : trim.TransitionsFrom(StateAt(representative[set]))) {
      quotient.AddTransition(StateAt(set), a, StateAt(states.SetOf(Index(r))));
    }
  }
  return Trim(std::move(quotient).Build(StateAt(states.SetOf(Index(trim.start())))));
}

namespace {

using Subset = std::vector<StateId>;  // sorted, without repetitions, closed under ε

struct SubsetHash {
  std::size_t operator()(const Subset& subset) const {
    std::uint64_t hash = subset.size();
    for (const StateId q : subset) {
      hash = (hash ^ Index(q)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

// Closes sets of states under ε, with marks that are reset by the states found, not one by one.
class Closure {
 public:
  Closure(const Nfa& nfa, Effort& effort)
      : effort_(effort), silent_(nfa.states.size()), marked_(nfa.states.size(), 0) {
    // Kept apart, so that closing a state does not look at its transitions over a large alphabet.
    for (std::size_t q = 0; q < nfa.states.size(); ++q) {
      for (const auto& t : nfa.states[q].transitions) {
        if (!t.symbol && t.weight) silent_[q].push_back(t.target);
      }
    }
  }

  Subset operator()(const Subset& states) {
    Subset closed;
    const auto visit = [&](StateId q) {
      if (marked_[Index(q)] != 0) return;
      marked_[Index(q)] = 1;
      closed.push_back(q);
    };
    for (const StateId q : states) visit(q);
    for (std::size_t i = 0; i < closed.size(); ++i) {
      for (const StateId r : silent_[Index(closed[i])]) visit(r);
      effort_.Spend(1 + silent_[Index(closed[i])].size());
    }
    for (const StateId q : closed) marked_[Index(q)] = 0;
    std::sort(closed.begin(), closed.end());
    return closed;
  }

 private:
  Effort& effort_;
  std::vector<std::vector<StateId>> silent_;
  std::vector<std::uint8_t> marked_;
};

}  // namespace

Dfa Determinize(const Nfa& nfa, Effort& effort) {
  effort.SpendAutomaton(nfa.alphabet.size());
  DfaBuilder builder(nfa.alphabet);
  Closure close(nfa, effort);
  std::unordered_map<Subset, StateId, SubsetHash> names;
  std::vector<const Subset*> order;
  std::size_t transitions = 0;
  const auto name = [&](Subset subset) {
    const auto [entry, is_new] = names.try_emplace(std::move(subset));
    if (is_new) {
      const bool accepting = std::any_of(entry->first.begin(), entry->first.end(),
                                         [&](StateId q) { return nfa.at(q).accept_weight; });
      entry->second = builder.AddState(accepting);
      order.push_back(&entry->first);
    }
    return entry->second;
  };

  const StateId start = name(close({nfa.start}));
  std::vector<std::pair<Symbol, StateId>> moves;
  for (std::size_t i = 0; i < order.size(); ++i) {
    moves.clear();
    for (const StateId q : *order[i]) {
      effort.Spend(nfa.at(q).transitions.size());
      for (const auto& t : nfa.at(q).transitions) {
        if (t.symbol && t.weight) moves.emplace_back(*t.symbol, t.target);
      }
    }
    std::sort(moves.begin(), moves.end());
    for (auto group = moves.begin(); group != moves.end();) {
      const Symbol a = group->first;
      Subset targets;
      for (; group != moves.end() && group->first == a; ++group) targets.push_back(group->second);
      builder.AddTransition(StateAt(i), a, name(close(targets)));
      effort.CheckSize(order.size() + ++transitions);
    }
  }
  return Trim(std::move(builder).Build(start));
}

namespace {

// `dfa` with F turned into `accepting(q)`.
template <class Accepting>
Dfa WithAccepting(const Dfa& dfa, Accepting accepting) {
  DfaBuilder b(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) b.AddState(accepting(StateAt(q)));
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) b.AddTransition(StateAt(q), a, r);
  }
  return std::move(b).Build(dfa.start());
}

}  // namespace

Dfa Complete(const Dfa& dfa, Effort& effort) {
  const std::size_t width = dfa.alphabet().size();
  effort.SpendAutomaton(width);
  if (dfa.num_transitions() == dfa.num_states() * width) return dfa;
  effort.CheckSize((dfa.num_states() + 1) * (width + 1));
  effort.Spend((dfa.num_states() + 1) * (width + 1));
  DfaBuilder b(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) b.AddState(dfa.IsAccepting(StateAt(q)));
  const StateId sink = b.AddState(false);
  for (std::size_t q = 0; q <= dfa.num_states(); ++q) {
    std::vector<StateId> target(width, sink);
    if (StateAt(q) != sink) {
      for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) target[Index(a)] = r;
    }
    for (std::size_t a = 0; a < width; ++a) b.AddTransition(StateAt(q), SymbolAt(a), target[a]);
  }
  return std::move(b).Build(dfa.start());
}

Dfa Complement(const Dfa& dfa, Effort& effort) {
  const Dfa complete = Complete(dfa, effort);
  return Trim(WithAccepting(complete, [&](StateId q) { return !complete.IsAccepting(q); }));
}

Dfa Intersect(const Dfa& a, const Dfa& b, Effort& effort) {
  FLARE_CHECK(a.alphabet() == b.alphabet());
  effort.SpendAutomaton(a.alphabet().size());
  DfaBuilder product(a.alphabet());
  std::unordered_map<std::uint64_t, StateId> names;
  std::vector<std::pair<StateId, StateId>> pairs;
  const auto name = [&](StateId q, StateId r) {
    const std::uint64_t key = std::uint64_t{Index(q)} << 32 | Index(r);
    const auto [entry, is_new] = names.try_emplace(key);
    if (is_new) {
      entry->second = product.AddState(a.IsAccepting(q) && b.IsAccepting(r));
      pairs.emplace_back(q, r);
    }
    return entry->second;
  };
  const StateId start = name(a.start(), b.start());
  std::size_t transitions = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [q, r] = pairs[i];
    effort.CheckSize(pairs.size() + transitions);
    effort.Spend(1 + a.TransitionsFrom(q).size() + b.TransitionsFrom(r).size());
    // Both rows are sorted by symbol: walk them together.
    const auto row = b.TransitionsFrom(r);
    auto other = row.begin();
    for (const auto& [symbol, target] : a.TransitionsFrom(q)) {
      while (other != row.end() && other->symbol < symbol) ++other;
      if (other == row.end()) break;
      if (other->symbol == symbol) {
        product.AddTransition(StateAt(i), symbol, name(target, other->target));
        ++transitions;
      }
    }
  }
  return Trim(std::move(product).Build(start));
}

namespace {

using MaybeState = std::optional<StateId>;

// A pair of states on the way, with the step that led to it. No state means: rejected for good.
struct VisitedPair {
  MaybeState in_a, in_b;
  std::size_t parent;
  Symbol symbol;
};

bool Accepts(const Dfa& dfa, MaybeState q) { return q && dfa.IsAccepting(*q); }
MaybeState Step(const Dfa& dfa, MaybeState q, Symbol a) { return q ? dfa.Next(*q, a) : q; }
std::uint64_t Code(MaybeState q) { return q ? Index(*q) + 1 : 0; }

String PathTo(const std::vector<VisitedPair>& visits, std::size_t i) {
  String w;
  for (; i != 0; i = visits[i].parent) w.push_back(visits[i].symbol);
  std::reverse(w.begin(), w.end());
  return w;
}

}  // namespace

std::optional<String> ShortestDifference(const Dfa& a, const Dfa& b) {
  FLARE_CHECK(a.alphabet() == b.alphabet());
  std::vector<VisitedPair> visits{{a.start(), b.start(), 0, Symbol{}}};
  std::unordered_set<std::uint64_t> seen{Code(a.start()) << 32 | Code(b.start())};
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const VisitedPair visit = visits[i];
    if (Accepts(a, visit.in_a) != Accepts(b, visit.in_b)) return PathTo(visits, i);
    for (std::size_t s = 0; s < a.alphabet().size(); ++s) {
      const Symbol symbol = SymbolAt(s);
      const MaybeState q = Step(a, visit.in_a, symbol);
      const MaybeState r = Step(b, visit.in_b, symbol);
      if (!q && !r) continue;
      if (seen.insert(Code(q) << 32 | Code(r)).second) visits.push_back({q, r, i, symbol});
    }
  }
  return std::nullopt;
}

namespace {

// Tarjan's algorithm with a stack of its own: the graphs have paths of a million nodes. Calls
// emit(nodes) for every component, after all those that it leads to; the nodes are in the order in
// which the search entered them.
template <class Node, class EdgesOf, class Emit>
void FindComponents(std::size_t num_nodes, EdgesOf edges_of, Emit emit) {
  constexpr Node kUnseen = std::numeric_limits<Node>::max();
  constexpr Node kDone = kUnseen - 1;  // the node's component is known
  struct Visit {
    Node node;
    std::size_t edge;  // the next one to look at
  };
  std::vector<Node> number(num_nodes, kUnseen), low(num_nodes);
  std::vector<Node> open;  // visited, component not known yet
  std::vector<Visit> path;
  Node visited = 0;
  const auto enter = [&](Node v) {
    number[v] = low[v] = visited++;
    open.push_back(v);
    path.push_back({v, 0});
  };
  for (std::size_t root = 0; root < num_nodes; ++root) {
    if (number[root] == kUnseen) enter(static_cast<Node>(root));
    while (!path.empty()) {
      const Node v = path.back().node;
      const std::span<const Node> edges = edges_of(v);
      if (path.back().edge < edges.size()) {
        const Node w = edges[path.back().edge++];
        if (number[w] == kUnseen) {
          enter(w);
        } else if (number[w] != kDone) {
          low[v] = std::min(low[v], number[w]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[v]);
      if (low[v] != number[v]) continue;
      std::size_t first = open.size();
      do --first;
      while (open[first] != v);
      const std::span<const Node> component = std::span<const Node>(open).subspan(first);
      for (const Node w : component) number[w] = kDone;
      emit(component);
      open.resize(first);
    }
  }
}

}  // namespace

Components StrongComponents(std::span<const std::uint32_t> targets, std::size_t num_nodes,
                            std::size_t width) {
  Components result;
  result.of.resize(num_nodes);
  FindComponents<std::uint32_t>(
      num_nodes, [&](std::uint32_t v) { return targets.subspan(v * width, width); },
      [&](std::span<const std::uint32_t> component) {
        for (const std::uint32_t v : component) {
          result.of[v] = static_cast<std::uint32_t>(result.size.size());
        }
        result.size.push_back(static_cast<std::uint32_t>(component.size()));
      });
  return result;
}

std::vector<std::vector<std::size_t>> StrongComponents(
    const std::vector<std::vector<std::size_t>>& successors) {
  std::vector<std::vector<std::size_t>> components;
  FindComponents<std::size_t>(
      successors.size(), [&](std::size_t v) { return std::span<const std::size_t>(successors[v]); },
      [&](std::span<const std::size_t> component) {
        components.emplace_back(component.rbegin(), component.rend());
      });
  return components;
}

}  // namespace flare
