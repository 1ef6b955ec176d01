#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "flare/automata/operations.h"
#include "flare/classes/class_tests.h"

namespace flare::classes {
namespace {

// The edge by which a search reached a node; the word is read backwards.
struct Arrival {
  std::size_t from;
  Letter letter;
};
constexpr std::size_t kRoot = SIZE_MAX;

Word WordTo(const std::vector<Arrival>& arrivals, std::size_t node) {
  Word word;
  for (; arrivals[node].from != kRoot; node = arrivals[node].from) {
    word.push_back(arrivals[node].letter);
  }
  std::reverse(word.begin(), word.end());
  return word;
}

// A state q, a letter a and a word z with qaz accepting and qz not.
struct BadDeletion {
  State q;
  Letter a;
  Word z;
};

std::optional<BadDeletion> FindBadDeletion(const SyntacticAutomaton& automaton) {
  const std::size_t n = automaton.num_states();
  std::unordered_set<std::size_t> seen;
  struct Node {
    State longer, shorter;
    std::size_t source;
  };
  std::vector<Node> nodes;
  std::vector<Arrival> arrivals;
  std::vector<std::pair<State, Letter>> sources;
  const auto visit = [&](Node node, Arrival arrival) {
    if (node.longer == node.shorter || !seen.insert(node.longer * n + node.shorter).second) return;
    nodes.push_back(node);
    arrivals.push_back(arrival);
  };
  for (State q = 0; q < n; ++q) {
    for (Letter a = 0; a < automaton.num_letters(); ++a) {
      visit({automaton.Next(q, a), q, sources.size()}, {kRoot, 0});
      sources.emplace_back(q, a);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [longer, shorter, source] = nodes[i];
    if (automaton.IsAccepting(longer) && !automaton.IsAccepting(shorter)) {
      return BadDeletion{sources[source].first, sources[source].second, WordTo(arrivals, i)};
    }
    for (Letter b = 0; b < automaton.num_letters(); ++b) {
      visit({automaton.Next(longer, b), automaton.Next(shorter, b), source}, {i, b});
    }
  }
  return std::nullopt;
}

constexpr std::size_t kMostNodes = 100'000;

// The longest word outside the language all of whose deletions of one symbol are inside. A prefix
// of it is known by its state and by those of its own deletions. In a strictly piecewise language a
// letter that does not move the state could be deleted, and a deletion that is outside stays
// outside. Nothing if there are more than kMostNodes prefixes to look at.
std::optional<Word> LongestMinimalForbidden(const SyntacticAutomaton& automaton) {
  if (!automaton.sink() || *automaton.sink() == automaton.start()) return Word{};
  const State sink = *automaton.sink();
  using Prefix = std::pair<State, std::set<State>>;
  std::map<Prefix, Word> level{{{automaton.start(), {}}, {}}};
  Word longest;
  std::size_t nodes = 0;
  while (!level.empty()) {
    std::map<Prefix, Word> next;
    for (const auto& [prefix, word] : level) {
      if (++nodes > kMostNodes) return std::nullopt;
      for (Letter a = 0; a < automaton.num_letters(); ++a) {
        const State q = automaton.Next(prefix.first, a);
        if (q == prefix.first) continue;
        std::set<State> deletions{prefix.first};
        for (const State r : prefix.second) deletions.insert(automaton.Next(r, a));
        if (deletions.contains(sink)) continue;
        Word extended = word;
        extended.push_back(a);
        if (q == sink) {
          if (extended.size() > longest.size()) longest = extended;
        } else {
          next.try_emplace({q, std::move(deletions)}, std::move(extended));
        }
      }
    }
    level = std::move(next);
  }
  return longest;
}

// The longest path without a repeated state. Requires: a partially ordered automaton.
std::size_t Depth(const SyntacticAutomaton& automaton) {
  const Components components =
      StrongComponents(automaton.table(), automaton.num_states(), automaton.num_letters());
  std::vector<State> by_component(automaton.num_states());
  for (State q = 0; q < automaton.num_states(); ++q) by_component[components.of[q]] = q;
  std::vector<std::size_t> depth(automaton.num_states(), 0);
  for (const State q : by_component) {
    for (Letter a = 0; a < automaton.num_letters(); ++a) {
      const State to = automaton.Next(q, a);
      if (to != q) depth[q] = std::max(depth[q], depth[to] + 1);
    }
  }
  return depth[automaton.start()];
}

// Looks for words xy and xay that lead to different states and have the same subsequences up to a
// length as large as possible: if any two words do, two of this form do (Simon 1975), and
//
//   xy ~ₖ xay  iff  x ~ᵢ xa and y ~ⱼ ay for some i + j ≥ k.
//
// The largest i is one less than the *coordinate* that a gets after x: at first 1 for all letters;
// when a letter with coordinate c is appended, its own becomes c+1 and no other stays above c+1
// (Fleischer, Kufleitner 2018). For j, the same from the right. So words count only by their state
// and the coordinates of the letters, which are capped.
class SubsequenceSearch {
 public:
  SubsequenceSearch(const SyntacticAutomaton& automaton, std::size_t cap)
      : automaton_(automaton), n_(automaton.num_states()), cap_(cap) {}

  // i + j, capped, and the words; no words if all letters stand still.
  struct Found {
    std::size_t order = 0;
    std::optional<std::pair<Word, Word>> words;
  };

  // Returns nothing if the search would take too many steps.
  std::optional<Found> Find() {
    Forwards();
    Backwards();
    if (too_large_) return std::nullopt;
    Found found;
    for (State p = 0; p < n_; ++p) {
      for (Letter a = 0; a < automaton_.num_letters(); ++a) {
        const State q = automaton_.Next(p, a);
        const auto x = forwards_.best.find({p, a}), y = backwards_.best.find({PairOf(p, q), a});
        if (p == q || x == forwards_.best.end() || y == backwards_.best.end()) continue;
        const std::size_t order = x->second.order + y->second.order;
        if (found.words && order <= found.order) continue;
        Word with = forwards_.WordTo(x->second.node), without = with;
        Word behind = backwards_.WordTo(y->second.node);
        std::reverse(behind.begin(), behind.end());
        with.push_back(a);
        with.insert(with.end(), behind.begin(), behind.end());
        without.insert(without.end(), behind.begin(), behind.end());
        found = {order, std::pair(std::move(without), std::move(with))};
      }
    }
    return found;
  }

 private:
  using Coordinates = std::vector<std::uint32_t>;
  struct Best {
    std::size_t order;
    std::size_t node;
  };
  // Nodes in breadth-first order, and for each place and letter the one of the largest order.
  struct Search {
    std::map<std::pair<std::size_t, Coordinates>, std::size_t> known;
    std::vector<std::pair<std::size_t, Coordinates>> nodes;
    std::vector<Arrival> arrivals;
    std::map<std::pair<std::size_t, Letter>, Best> best;

    Word WordTo(std::size_t node) const { return classes::WordTo(arrivals, node); }
  };

  std::size_t PairOf(State p, State q) const { return std::min(p, q) * n_ + std::max(p, q); }

  void Visit(Search& search, std::size_t place, const Coordinates& coordinates, Arrival arrival) {
    if (search.nodes.size() >= kMostNodes) {
      too_large_ = true;
      return;
    }
    const std::size_t node = search.nodes.size();
    if (!search.known.try_emplace({place, coordinates}, node).second) return;
    search.nodes.emplace_back(place, coordinates);
    search.arrivals.push_back(arrival);
    for (Letter a = 0; a < coordinates.size(); ++a) {
      const std::size_t order = coordinates[a] - 1;
      const auto [best, is_new] = search.best.try_emplace({place, a}, Best{order, node});
      if (order > best->second.order) best->second = {order, node};
    }
  }

  Coordinates After(Coordinates coordinates, Letter a) const {
    const std::uint32_t next = std::min(coordinates[a] + 1, static_cast<std::uint32_t>(cap_ + 1));
    for (std::uint32_t& c : coordinates) c = std::min(c, next);
    coordinates[a] = next;
    return coordinates;
  }

  void Forwards() {
    const Coordinates ones(automaton_.num_letters(), 1);
    Visit(forwards_, automaton_.start(), ones, {kRoot, 0});
    for (std::size_t i = 0; i < forwards_.nodes.size() && !too_large_; ++i) {
      const auto [q, coordinates] = forwards_.nodes[i];
      for (Letter a = 0; a < automaton_.num_letters(); ++a) {
        Visit(forwards_, automaton_.Next(static_cast<State>(q), a), After(coordinates, a), {i, a});
      }
    }
  }

  // Searches backwards along the letters, from pairs of different states.
  void Backwards() {
    std::vector<std::vector<State>> sources(n_ * automaton_.num_letters());
    for (State q = 0; q < n_; ++q) {
      for (Letter a = 0; a < automaton_.num_letters(); ++a) {
        sources[automaton_.Next(q, a) * automaton_.num_letters() + a].push_back(q);
      }
    }
    const Coordinates ones(automaton_.num_letters(), 1);
    for (State p = 0; p < n_; ++p) {
      for (State q = p + 1; q < n_; ++q) Visit(backwards_, PairOf(p, q), ones, {kRoot, 0});
    }
    for (std::size_t i = 0; i < backwards_.nodes.size() && !too_large_; ++i) {
      const auto [pair, coordinates] = backwards_.nodes[i];
      for (Letter a = 0; a < automaton_.num_letters(); ++a) {
        const Coordinates after = After(coordinates, a);
        for (const State p : sources[pair / n_ * automaton_.num_letters() + a]) {
          for (const State q : sources[pair % n_ * automaton_.num_letters() + a]) {
            Visit(backwards_, PairOf(p, q), after, {i, a});
          }
        }
      }
    }
  }

  const SyntacticAutomaton& automaton_;
  std::size_t n_;
  std::size_t cap_;
  bool too_large_ = false;
  Search forwards_, backwards_;
};

}  // namespace

Property TestStrictlyPiecewise(const SyntacticAutomaton& automaton) {
  if (automaton.num_states() > kMostStatesForPairs) {
    return Property::Unknown(
        fmt::format("the minimal automaton has {} states; pairs are compared up to {}",
                    automaton.num_states(), kMostStatesForPairs));
  }
  if (const auto bad = FindBadDeletion(automaton)) {
    return Property::No(
        WitnessMaker(automaton, "xaz is in the language, and its subsequence xz is not")
            .Add('x', automaton.Access(bad->q))
            .Add('a', {bad->a})
            .Add('z', bad->z)
            .FromStart("xaz")
            .FromStart("xz")
            .Take());
  }
  const auto forbidden = LongestMinimalForbidden(automaton);
  if (!forbidden) {
    Property property = Property::Yes();
    property.limit = fmt::format("k is at most {}; finding it takes more than {} steps",
                                 Depth(automaton), kMostNodes);
    return property;
  }
  if (forbidden->empty()) return Property::Yes(0);
  return Property::Yes(forbidden->size(),
                       WitnessMaker(automaton, fmt::format("w is not in the language, and deleting "
                                                           "any of its {} symbols puts it there",
                                                           forbidden->size()))
                           .Add('w', *forbidden)
                           .FromStart("w")
                           .Take());
}

Property WithPiecewiseOrder(const SyntacticAutomaton& automaton, Property j_trivial) {
  if (j_trivial.holds != true) return j_trivial;
  if (automaton.num_states() == 1) {
    j_trivial.k = 0;
    return j_trivial;
  }
  for (std::size_t cap = 1;; ++cap) {
    const auto found = SubsequenceSearch(automaton, cap).Find();
    if (!found) {
      j_trivial.limit = fmt::format("k is at most {}; finding it takes more than {} steps",
                                    Depth(automaton), kMostNodes);
      return j_trivial;
    }
    // If the sum is smaller, neither part was capped, so that it is the true one.
    if (found->order >= cap) continue;
    const auto& [u, v] = *found->words;
    const State p = automaton.Run(automaton.start(), u), q = automaton.Run(automaton.start(), v);
    j_trivial.k = found->order + 1;
    j_trivial.witness =
        WitnessMaker(automaton,
                     fmt::format("u and v have the same subsequences of length up to {}, so uz and "
                                 "vz do too, but only one is in the language",
                                 found->order))
            .Add('u', u)
            .Add('v', v)
            .Add('z', automaton.Separate(p, q))
            .FromStart("uz")
            .FromStart("vz")
            .Take();
    return j_trivial;
  }
}

}  // namespace flare::classes
