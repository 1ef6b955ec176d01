#include "flare/classes/aperiodic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "flare/automata/operations.h"

namespace flare::classes {
namespace {

struct Cycle {
  State state;
  std::size_t length;
};

// A cycle of length ≥ 2 of a map of states, the one through the smallest state that lies on one.
std::optional<Cycle> FindCycle(std::span<const std::uint16_t> map,
                               std::vector<std::uint32_t>& mark) {
  mark.assign(map.size(), 0);
  std::optional<Cycle> found;
  for (State start = 0; start < map.size(); ++start) {
    const std::uint32_t name = start + 1;
    State q = start;
    while (mark[q] == 0) {
      mark[q] = name;
      q = map[q];
    }
    if (mark[q] != name || map[q] == q) continue;
    Cycle cycle{q, 0};
    State r = q;
    do {
      r = map[r];
      cycle.state = std::min(cycle.state, r);
      ++cycle.length;
    } while (r != q);
    if (!found || cycle.state < found->state) found = cycle;
  }
  return found;
}

Witness PeriodicWitness(const SyntacticAutomaton& automaton, const Word& u, const Cycle& cycle) {
  const State p = cycle.state;
  const State q = automaton.Run(p, u);
  WitnessMaker maker(automaton,
                     fmt::format("u takes {} states in a circle, so membership of x uⁱ z "
                                 "depends on i modulo {} however large i is",
                                 cycle.length, cycle.length));
  maker.Add('x', automaton.Access(p)).Add('u', u).Add('z', automaton.Separate(p, q));
  State r = p;
  do {
    maker.Move("u", r);
    r = automaton.Run(r, u);
  } while (r != p);
  return maker.FromStart("xz").FromStart("xuz").Take();
}

// Looks for a circle q₀ → q₁ → … → q₀ of a word u among the states of one strong component, which
// is where all circles are. States are named by their places in the component.
//
// If some word has a circle, another, a power of it, has one whose length p is a prime; and the
// tuple (q₀, …, q_{p−1}) leads to its rotation, (q₁, …, q₀), and back. So the two are in one strong
// component of the graph of p-tuples, and for every d the pairs (qᵢ, qᵢ₊d) are in one strong
// component of the graph of pairs: they are of one *kind*. A tuple that leads to its rotation is
// what is looked for, and only tuples of such pairs have to be looked at.
class CircleSearch {
 public:
  struct Circle {
    std::vector<State> states;
    Word word;
  };

  CircleSearch(const SyntacticAutomaton& automaton, const std::vector<State>& states)
      : states_(states), width_(automaton.num_letters()) {
    std::map<State, Place> places;
    for (Place i = 0; i < states.size(); ++i) places[states[i]] = i;
    for (const State q : states) {
      for (Letter a = 0; a < width_; ++a) {
        const auto to = places.find(automaton.Next(q, a));
        next_.push_back(to == places.end() ? kNone : to->second);
      }
    }
  }

  // Derives from pairs an order of the states of every kind, or states between which a circle may
  // be. Returns false if the steps are spent.
  bool RankPairs(Steps& steps) {
    const std::size_t n = states_.size();
    if (!steps.Spend(n * n * (width_ + 100))) return false;
    // Two states that a letter makes equal, or one of which leaves, are lost: the last node.
    const auto lost = static_cast<std::uint32_t>(n * n);
    std::vector<std::uint32_t> targets((n * n + 1) * width_, lost);
    for (Place i = 0; i < n; ++i) {
      for (Place j = 0; j < n; ++j) {
        for (Letter a = 0; a < width_ && i != j; ++a) {
          const Place to_i = Next(i, a), to_j = Next(j, a);
          if (to_i == kNone || to_j == kNone || to_i == to_j) continue;
          targets[(i * n + j) * width_ + a] = static_cast<std::uint32_t>(to_i * n + to_j);
        }
      }
    }
    Components kinds = StrongComponents(targets, n * n + 1, width_);
    kind_ = std::move(kinds.of);
    kind_.pop_back();
    std::map<std::uint32_t, std::vector<std::pair<Place, Place>>> members;
    for (Place i = 0; i < n; ++i) {
      for (Place j = 0; j < n; ++j) {
        if (i != j) members[kind_[i * n + j]].emplace_back(i, j);
      }
    }
    for (const auto& [kind, pairs] : members) Rank(kind, pairs);
    return true;
  }

  // No pairs of one kind lead from state to state in a circle.
  bool is_ranked() const { return open_.empty(); }
  // Requires: is_ranked().
  void Write(RankedPairs& proof) const {
    const std::size_t n = states_.size();
    for (Place i = 0; i < n; ++i) {
      for (Place j = 0; j < n; ++j) {
        if (i == j) continue;
        const std::uint32_t kind = kind_[i * n + j];
        proof.pairs[states_[i] * proof.num_states + states_[j]] = {kind, rank_.at({kind, i}),
                                                                   rank_.at({kind, j})};
      }
    }
  }

  std::size_t LongestPossible() const {
    std::size_t longest = 0;
    for (const Open& open : open_) longest = std::max(longest, open.places.size());
    return longest;
  }

  // A circle of p states. Nothing if there is none, or if the steps are spent.
  std::optional<Circle> Find(std::size_t p, Steps& steps) const {
    std::map<Tuple, std::uint32_t> names;
    std::vector<const Tuple*> tuples;
    for (const Open& open : open_) {
      if (open.places.size() < p) continue;
      Tuple tuple;
      for (const Place start : open.places) {
        std::vector<std::uint32_t> kinds(p, kNone);
        kinds[1] = open.kind;
        tuple.assign(1, start);
        if (!Extend(open, p, tuple, kinds, steps, names)) return std::nullopt;
      }
    }
    if (names.empty()) return std::nullopt;
    const auto lost = static_cast<std::uint32_t>(names.size());
    for (auto& [tuple, name] : names) {
      name = static_cast<std::uint32_t>(tuples.size());
      tuples.push_back(&tuple);
    }
    std::vector<std::uint32_t> targets((names.size() + 1) * width_, lost);
    for (std::size_t i = 0; i < tuples.size(); ++i) {
      for (Letter a = 0; a < width_; ++a) {
        Tuple to;
        for (const Place q : *tuples[i]) to.push_back(Next(q, a));
        const auto found = names.find(to);
        if (found != names.end()) targets[i * width_ + a] = found->second;
      }
    }
    const Components components = StrongComponents(targets, names.size() + 1, width_);
    for (std::size_t i = 0; i < tuples.size(); ++i) {
      Tuple rotated = *tuples[i];
      std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
      const auto found = names.find(rotated);
      if (found == names.end() || components.of[found->second] != components.of[i]) continue;
      Circle circle{{}, Path(targets, static_cast<std::uint32_t>(i), found->second)};
      for (const Place q : *tuples[i]) circle.states.push_back(states_[q]);
      return circle;
    }
    return std::nullopt;
  }

 private:
  using Place = std::uint32_t;
  using Tuple = std::vector<Place>;
  static constexpr std::uint32_t kNone = RankedPairs::kNone;
  // States among which pairs of one kind lead from each to each.
  struct Open {
    std::uint32_t kind;
    std::vector<Place> places;
  };

  Place Next(Place i, Letter a) const { return next_[i * width_ + a]; }

  // Orders the states so that all pairs of the kind rise, as far as that can be done.
  void Rank(std::uint32_t kind, const std::vector<std::pair<Place, Place>>& pairs) {
    std::vector<Place> places;
    for (const auto& [i, j] : pairs) places.insert(places.end(), {i, j});
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    const auto at = [&](Place q) {
      return static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), q) -
                                      places.begin());
    };
    std::vector<std::vector<std::size_t>> edges(places.size());
    for (const auto& [i, j] : pairs) edges[at(i)].push_back(at(j));
    // A component comes after those that it leads to.
    const auto components = StrongComponents(edges);
    auto rank = static_cast<std::uint32_t>(components.size());
    for (const auto& component : components) {
      --rank;
      for (const std::size_t q : component) rank_[{kind, places[q]}] = rank;
      if (component.size() == 1) continue;
      Open open{kind, {}};
      for (const std::size_t q : component) open.places.push_back(places[q]);
      std::sort(open.places.begin(), open.places.end());
      open_.push_back(std::move(open));
    }
  }

  // Adds every tuple of p states that begins so. False if the steps are spent.
  bool Extend(const Open& open, std::size_t p, Tuple& tuple, std::vector<std::uint32_t>& kinds,
              Steps& steps, std::map<Tuple, std::uint32_t>& names) const {
    if (tuple.size() == p) {
      names.emplace(tuple, 0);
      return steps.Spend(100 + p * width_);  // its node, and what leads from it
    }
    for (const Place q : open.places) {
      if (!steps.Spend(tuple.size())) return false;
      if (std::find(tuple.begin(), tuple.end(), q) != tuple.end()) continue;
      const std::vector<std::uint32_t> before = kinds;
      const auto agrees = [&](std::size_t distance, Place from, Place to) {
        const std::uint32_t kind = kind_[from * states_.size() + to];
        if (kinds[distance] == kNone) kinds[distance] = kind;
        return kinds[distance] == kind;
      };
      bool fits = true;
      for (std::size_t i = 0; i < tuple.size() && fits; ++i) {
        const std::size_t distance = tuple.size() - i;
        fits = agrees(distance, tuple[i], q) && agrees(p - distance, q, tuple[i]);
      }
      if (fits) {
        tuple.push_back(q);
        if (!Extend(open, p, tuple, kinds, steps, names)) return false;
        tuple.pop_back();
      }
      kinds = before;
    }
    return true;
  }

  // The first of the shortest words from one node to another. Requires: there is one.
  Word Path(const std::vector<std::uint32_t>& targets, std::uint32_t from, std::uint32_t to) const {
    std::map<std::uint32_t, std::pair<std::uint32_t, Letter>> reached{{from, {from, 0}}};
    std::vector<std::uint32_t> order{from};
    for (std::size_t i = 0; !reached.contains(to); ++i) {
      for (Letter a = 0; a < width_; ++a) {
        const std::uint32_t next = targets[order[i] * width_ + a];
        if (reached.try_emplace(next, order[i], a).second) order.push_back(next);
      }
    }
    Word word;
    for (std::uint32_t at = to; at != from; at = reached[at].first) {
      word.push_back(reached[at].second);
    }
    std::reverse(word.begin(), word.end());
    return word;
  }

  const std::vector<State>& states_;
  std::size_t width_;
  std::vector<Place> next_;          // (places, letters); kNone outside the component
  std::vector<std::uint32_t> kind_;  // by pair
  std::map<std::pair<std::uint32_t, Place>, std::uint32_t> rank_;  // by kind and state
  std::vector<Open> open_;
};

bool IsPrime(std::size_t p) {
  for (std::size_t d = 2; d * d <= p; ++d) {
    if (p % d == 0) return false;
  }
  return p >= 2;
}

}  // namespace

std::vector<std::vector<State>> LargeComponents(const SyntacticAutomaton& automaton) {
  const Components components =
      StrongComponents(automaton.table(), automaton.num_states(), automaton.num_letters());
  std::map<std::uint32_t, std::size_t> places;
  std::vector<std::vector<State>> large;
  for (State q = 0; q < automaton.num_states(); ++q) {
    const std::uint32_t c = components.of[q];
    if (components.size[c] == 1) continue;
    const auto [place, is_new] = places.try_emplace(c, large.size());
    if (is_new) large.emplace_back();
    large[place->second].push_back(q);
  }
  return large;
}

StarFreeAnswer TestStarFreeOnTuples(const SyntacticAutomaton& automaton) {
  const std::size_t n = automaton.num_states();
  RankedPairs proof{n, {}};
  const auto components = LargeComponents(automaton);
  if (!components.empty()) proof.pairs.resize(n * n);
  Steps steps;
  std::vector<CircleSearch> open;
  for (const std::vector<State>& states : components) {
    CircleSearch search(automaton, states);
    if (!search.RankPairs(steps)) return {Property::Unknown(Steps::Limit()), std::nullopt};
    if (search.is_ranked()) {
      search.Write(proof);
    } else {
      open.push_back(std::move(search));
    }
  }
  if (open.empty()) return {Property::Yes(), std::move(proof)};
  std::size_t longest = 0;
  for (const CircleSearch& search : open) longest = std::max(longest, search.LongestPossible());
  for (std::size_t p = 2; p <= longest; ++p) {
    for (const CircleSearch& search : open) {
      if (!IsPrime(p)) continue;
      const auto circle = search.Find(p, steps);
      if (steps.spent()) return {Property::Unknown(Steps::Limit()), std::nullopt};
      if (!circle) continue;
      const State first = *std::min_element(circle->states.begin(), circle->states.end());
      return {Property::No(PeriodicWitness(automaton, circle->word, {first, p})), std::nullopt};
    }
  }
  return {Property::Yes(), std::nullopt};
}

Property TestStarFree(const Algebra& algebra) {
  const Monoid& monoid = algebra.monoid;
  // A finite monoid is aperiodic iff each of its H-classes has one element.
  if (monoid.complete() && algebra.green->num_h == monoid.size()) return Property::Yes();
  std::vector<std::uint32_t> mark;
  for (Element x = 0; x < monoid.size(); ++x) {
    if (const auto cycle = FindCycle(monoid.Action(x), mark)) {
      return Property::No(PeriodicWitness(algebra.automaton, monoid.WordOf(x), *cycle));
    }
  }
  return Property::Unknown(monoid.limit());
}

std::vector<std::size_t> CirclesOfLetters(const SyntacticAutomaton& automaton) {
  std::set<std::size_t> lengths;
  for (Letter a = 0; a < automaton.num_letters(); ++a) {
    std::vector<std::size_t> step(automaton.num_states(), 0);  // on the current path, from 1
    std::vector<bool> done(automaton.num_states(), false);
    for (State start = 0; start < automaton.num_states(); ++start) {
      std::vector<State> path;
      State q = start;
      while (!done[q] && step[q] == 0) {
        path.push_back(q);
        step[q] = path.size();
        q = automaton.Next(q, a);
      }
      if (!done[q] && path.size() > step[q]) lengths.insert(path.size() + 1 - step[q]);
      for (const State r : path) done[r] = true;
    }
  }
  return {lengths.begin(), lengths.end()};
}

}  // namespace flare::classes
