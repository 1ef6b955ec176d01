#include "flare/classes/counting.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "flare/base/error.h"
#include "flare/classes/aperiodic.h"

namespace flare::classes {
namespace {

// The field of the integers modulo the prime 2⁶¹ − 1.
class Residue {
 public:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  Residue() = default;
  explicit Residue(std::int64_t x)
      : x_(x >= 0 ? static_cast<std::uint64_t>(x) % kPrime
                  : (kPrime - static_cast<std::uint64_t>(-x) % kPrime) % kPrime) {}

  bool IsZero() const { return x_ == 0; }
  std::uint64_t value() const { return x_; }
  Residue operator-() const { return Reduced(kPrime - x_); }
  Residue operator-(Residue other) const { return Reduced(x_ + kPrime - other.x_); }
  Residue operator*(Residue other) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(x_) * other.x_;
    return Reduced(static_cast<std::uint64_t>(product & kPrime) +
                   static_cast<std::uint64_t>(product >> 61));
  }
  Residue Inverse() const {
    Residue power = *this, inverse(1);
    for (std::uint64_t e = kPrime - 2; e != 0; e >>= 1) {
      if ((e & 1) != 0) inverse = inverse * power;
      power = power * power;
    }
    return inverse;
  }

 private:
  static Residue Reduced(std::uint64_t x) {  // x < 2 · kPrime
    Residue r;
    r.x_ = x >= kPrime ? x - kPrime : x;
    return r;
  }
  std::uint64_t x_ = 0;
};

struct Fraction {
  std::int64_t numerator, denominator;
};

// A fraction n/d ≡ r with |n| ≤ 2³⁰ and 0 < d < 2³⁰, by Euclid's algorithm; nothing if there is
// none.
std::optional<Fraction> Reconstruct(Residue r) {
  constexpr std::int64_t kBound = std::int64_t{1} << 30;
  std::int64_t a = static_cast<std::int64_t>(Residue::kPrime);
  std::int64_t b = static_cast<std::int64_t>(r.value());
  std::int64_t s = 0, t = 1;
  while (b > kBound) {
    const std::int64_t quotient = a / b;
    a = std::exchange(b, a - quotient * b);
    s = std::exchange(t, s - quotient * t);
  }
  if (t == 0 || std::abs(t) >= kBound) return std::nullopt;
  return t < 0 ? Fraction{-b, -t} : Fraction{b, t};
}

using Row = std::vector<Residue>;

// A system of linear equations in reduced echelon form.
class Equations {
 public:
  explicit Equations(std::size_t width) : width_(width), is_pivot_(width, false) {}

  std::size_t rank() const { return rows_.size(); }
  bool IsPivot(std::size_t column) const { return is_pivot_[column]; }

  void Add(Row row) {
    for (std::size_t i = 0; i < rows_.size(); ++i) Subtract(rows_[i], pivots_[i], row);
    const auto first =
        std::find_if(row.begin(), row.end(), [](const Residue& x) { return !x.IsZero(); });
    if (first == row.end()) return;
    const auto pivot = static_cast<std::size_t>(first - row.begin());
    const Residue inverse = first->Inverse();
    for (Residue& x : row) x = x * inverse;
    for (Row& other : rows_) Subtract(row, pivot, other);
    rows_.push_back(std::move(row));
    pivots_.push_back(pivot);
    is_pivot_[pivot] = true;
  }

  // The solution that is 1 at this column, which is no pivot, and 0 at all others like it, times
  // the least number that makes it integers.
  std::optional<std::vector<std::int64_t>> Solution(std::size_t column) const {
    std::vector<Fraction> fractions(width_, {0, 1});
    fractions[column] = {1, 1};
    std::int64_t common = 1;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto fraction = Reconstruct(-rows_[i][column]);
      if (!fraction) return std::nullopt;
      fractions[pivots_[i]] = *fraction;
      common = std::lcm(common, fraction->denominator);
      if (common >= std::int64_t{1} << 30) return std::nullopt;
    }
    std::vector<std::int64_t> solution(width_);
    for (std::size_t j = 0; j < width_; ++j) {
      solution[j] = fractions[j].numerator * (common / fractions[j].denominator);
    }
    return solution;
  }

 private:
  // Makes the entry of `from` at the pivot of `row` zero.
  static void Subtract(const Row& row, std::size_t pivot, Row& from) {
    const Residue factor = from[pivot];
    if (factor.IsZero()) return;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (!row[j].IsZero()) from[j] = from[j] - factor * row[j];
    }
  }

  std::size_t width_;
  std::vector<Row> rows_;
  std::vector<std::size_t> pivots_;  // by row
  std::vector<bool> is_pivot_;
};

// A strongly connected component, its inner edges, and a spanning tree of them.
class Component {
 public:
  Component(const SyntacticAutomaton& automaton, std::vector<State> states)
      : states_(std::move(states)), blocks_(states_.size(), 0) {
    std::map<State, std::size_t> places;
    for (std::size_t i = 0; i < states_.size(); ++i) places[states_[i]] = i;
    std::vector<std::vector<std::size_t>> leaving(states_.size());
    for (std::size_t from = 0; from < states_.size(); ++from) {
      for (Letter a = 0; a < automaton.num_letters(); ++a) {
        const auto to = places.find(automaton.Next(states_[from], a));
        if (to == places.end()) continue;
        leaving[from].push_back(edges_.size());
        edges_.push_back({from, to->second, a});
      }
    }
    // Breadth first from the first state.
    is_in_tree_.assign(edges_.size(), false);
    std::vector<bool> seen(states_.size(), false);
    seen[0] = true;
    std::vector<std::size_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const std::size_t e : leaving[order[i]]) {
        if (seen[edges_[e].to]) continue;
        seen[edges_[e].to] = true;
        is_in_tree_[e] = true;
        tree_.push_back(e);
        order.push_back(edges_[e].to);
      }
    }
  }

  // Refines the blocks until nothing changes. Nothing, and `limit`, if that cannot be known.
  std::optional<ComponentPotentials> Separate(Steps& steps, std::string& limit) {
    ComponentPotentials result{.states = states_, .rounds = {}};
    while (num_blocks_ < states_.size()) {
      auto potentials = NextRound(steps, limit);
      if (!potentials) return std::nullopt;
      if (potentials->empty()) return result;
      result.rounds.push_back(std::move(*potentials));
    }
    result.separates_all = true;
    return result;
  }

  // Two states of one block, of a component that is not separated.
  std::pair<State, State> Alike() const {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      for (std::size_t j = i + 1; j < states_.size(); ++j) {
        if (blocks_[i] == blocks_[j]) return {states_[i], states_[j]};
      }
    }
    FLARE_CHECK(num_blocks_ < states_.size());
    return {};
  }

 private:
  using Potential = ComponentPotentials::Potential;
  struct Edge {
    std::size_t from, to;
    Letter letter;
  };

  // Potentials that split the blocks into those of the next round.
  //
  // The unknowns are the steps x of the labels. A potential is a sum of steps along the tree; the
  // other edges say that two sums along different paths are equal. With r independent equations
  // modulo a prime there are at least r over the integers. So if as many solutions as there are
  // modulo the prime turn out to be solutions over the integers, where they are independent, too,
  // then these are all.
  std::optional<std::vector<Potential>> NextRound(Steps& steps, std::string& limit) {
    std::map<std::pair<std::size_t, Letter>, std::size_t> numbers;
    std::vector<std::size_t> labels;  // the label of each edge
    for (const Edge& edge : edges_) {
      labels.push_back(
          numbers.try_emplace({blocks_[edge.from], edge.letter}, numbers.size()).first->second);
    }
    const std::size_t width = numbers.size();
    const auto give_up = [&](std::string why) {
      limit = std::move(why);
      return std::nullopt;
    };
    if (!steps.Spend(states_.size() * width)) return give_up(Steps::Limit());
    // How often each label occurs on the path in the tree that leads to a state.
    std::vector<std::vector<std::int32_t>> paths(states_.size(),
                                                 std::vector<std::int32_t>(width, 0));
    for (const std::size_t e : tree_) {
      paths[edges_[e].to] = paths[edges_[e].from];
      ++paths[edges_[e].to][labels[e]];
    }
    Equations equations(width);
    for (std::size_t e = 0; e < edges_.size() && equations.rank() < width; ++e) {
      if (is_in_tree_[e]) continue;
      if (!steps.Spend((equations.rank() + 1) * width)) return give_up(Steps::Limit());
      Row row(width);
      for (std::size_t j = 0; j < width; ++j) {
        row[j] = Residue(paths[edges_[e].from][j] - paths[edges_[e].to][j] + (j == labels[e]));
      }
      equations.Add(std::move(row));
    }
    std::vector<Potential> kept;
    for (std::size_t j = 0; j < width; ++j) {
      if (equations.IsPivot(j)) continue;
      if (!steps.Spend(edges_.size() + width)) return give_up(Steps::Limit());
      const auto solution = equations.Solution(j);
      auto potential = solution ? PotentialOf(*solution, labels) : std::nullopt;
      if (!potential) return give_up("its potentials need numbers above 2³⁰");
      if (Split(*potential)) kept.push_back(std::move(*potential));
    }
    return kept;
  }

  // The sums of steps along the tree, divided by their common divisor; nothing if an edge says
  // otherwise.
  std::optional<Potential> PotentialOf(const std::vector<std::int64_t>& x,
                                       const std::vector<std::size_t>& labels) const {
    Potential p(states_.size(), 0);
    const auto step = [&](std::size_t e, std::int64_t& sum) {
      return !__builtin_add_overflow(p[edges_[e].from], x[labels[e]], &sum);
    };
    for (const std::size_t e : tree_) {
      if (!step(e, p[edges_[e].to])) return std::nullopt;
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      std::int64_t sum = 0;
      if (!step(e, sum) || sum != p[edges_[e].to]) return std::nullopt;
    }
    std::int64_t divisor = 0;
    for (const std::int64_t value : p) divisor = std::gcd(divisor, value);
    const auto first = std::find_if(p.begin(), p.end(), [](std::int64_t v) { return v != 0; });
    if (first == p.end()) return p;
    if (*first < 0) divisor = -divisor;
    for (std::int64_t& value : p) value /= divisor;
    return p;
  }

  // True if the potential tells states of a block from each other.
  bool Split(const Potential& p) {
    std::map<std::pair<std::size_t, std::int64_t>, std::size_t> names;
    std::vector<std::size_t> split;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      split.push_back(names.try_emplace({blocks_[i], p[i]}, names.size()).first->second);
    }
    if (names.size() == num_blocks_) return false;
    // The labels of this round stay; PotentialOf has been told them.
    num_blocks_ = names.size();
    blocks_ = std::move(split);
    return true;
  }

  std::vector<State> states_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> tree_;  // edges, each after the one that leads to where it leaves
  std::vector<bool> is_in_tree_;
  std::vector<std::size_t> blocks_;  // by place
  std::size_t num_blocks_ = 1;
};

constexpr const char* kAlike =
    "u leads to a state s and x from there to a state t that leads back; for every C-RASP formula "
    "there are a word v from s to s and an m such that it judges u vᵐ z and u vᵐ x z alike, but "
    "one of them is in the language and one is not";

Witness AlikeWitness(const SyntacticAutomaton& automaton, const CountingProof::Part& part,
                     std::pair<State, State> alike) {
  // The letters of a part may stand for more symbols than those of the language.
  const auto letters = [&](const Word& word) {
    Word result;
    for (const Symbol a : part.automaton.Spell(word)) result.push_back(automaton.LetterOf(a));
    return result;
  };
  const auto [s, t] = alike;
  Word z = letters(part.automaton.Separate(s, t));
  if (part.symbol) z.push_back(automaton.LetterOf(*part.symbol));
  return WitnessMaker(automaton, kAlike)
      .Add('u', letters(part.automaton.Access(s)))
      .Add('x', letters(*part.automaton.Path(s, t)))
      .Add('z', z)
      .FromStart("u")
      .FromStart("ux")
      .FromStart("uz")
      .FromStart("uxz")
      .Take();
}

// Decides the parts of a proof one after the other.
class CountingTest {
 public:
  explicit CountingTest(const SyntacticAutomaton& automaton) : automaton_(automaton) {}

  bool failed() const { return proof_.alike.has_value(); }

  void Add(std::optional<Symbol> symbol, SyntacticAutomaton of_part) {
    CountingProof::Part part{symbol, std::move(of_part), {}};
    for (auto& states : LargeComponents(part.automaton)) {
      Component component(part.automaton, std::move(states));
      auto potentials = component.Separate(steps_, limit_);
      if (!potentials) continue;  // a later component may still fail
      part.components.push_back(std::move(*potentials));
      if (part.components.back().separates_all) continue;
      proof_.alike = component.Alike();
      proof_.parts.clear();
      break;
    }
    proof_.parts.push_back(std::move(part));
  }

  CountingAnswer Answer() && {
    if (failed()) {
      Witness witness = AlikeWitness(automaton_, proof_.parts[0], *proof_.alike);
      return {Property::No(std::move(witness)), std::move(proof_)};
    }
    if (!limit_.empty()) return {Property::Unknown(limit_), std::nullopt};
    return {Property::Yes(), std::move(proof_)};
  }

 private:
  const SyntacticAutomaton& automaton_;
  Steps steps_;
  std::string limit_;  // the last limit that was met
  CountingProof proof_;
};

}  // namespace

CountingAnswer TestCounting(const SyntacticAutomaton& automaton) {
  CountingTest test(automaton);
  test.Add(std::nullopt, automaton);
  return std::move(test).Answer();
}

CountingAnswer TestCountingAtLast(const SyntacticAutomaton& automaton,
                                  const CountingAnswer& after) {
  if (after.property.holds == true) return after;
  CountingTest test(automaton);
  for (Letter a = 0; a < automaton.num_letters() && !test.failed(); ++a) {
    test.Add(automaton.SymbolOf(a), automaton.Before(a));
  }
  return std::move(test).Answer();
}

Property TestRG(const SyntacticAutomaton& automaton) {
  for (const std::vector<State>& states : LargeComponents(automaton)) {
    for (Letter a = 0; a < automaton.num_letters(); ++a) {
      std::map<State, State> sources;  // the first state that `a` takes to each
      for (const State t : states) {
        const State to = automaton.Next(t, a);
        const State s = sources.try_emplace(to, t).first->second;
        if (s == t || !std::binary_search(states.begin(), states.end(), to)) continue;
        const auto from_merged = [&](State goal) {
          Word word{a};
          const Word path = *automaton.Path(to, goal);
          word.insert(word.end(), path.begin(), path.end());
          return word;
        };
        return Property::No(WitnessMaker(automaton,
                                         "u takes two states to the first of them, v takes both "
                                         "to the second")
                                .Add('u', from_merged(s))
                                .Add('v', from_merged(t))
                                .Move("u", s)
                                .Move("u", t)
                                .Move("v", s)
                                .Move("v", t)
                                .Take());
      }
    }
  }
  return Property::Yes();
}

Property RInfinity(const Property& r_g, const Property& star_free) {
  if (r_g.holds == false || !star_free.holds) return r_g.holds == false ? r_g : star_free;
  return *star_free.holds ? r_g : star_free;
}

}  // namespace flare::classes
