#include "flare/classes/circuits.h"

#include <fmt/format.h>

#include <numeric>
#include <unordered_map>
#include <utility>

namespace flare::classes {
namespace {

// An idempotent and another element of its group, in phase with it.
struct InPhase {
  Element e, g;
};

std::optional<InPhase> FindInPhase(const Algebra& algebra, Element e) {
  const Monoid& monoid = algebra.monoid;
  const GreenRelations& green = *algebra.green;
  std::unordered_map<Element, std::size_t> distance{{e, 0}};
  std::vector<Element> order{e};
  std::size_t d = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t next = distance[order[i]] + 1;
    for (Letter a = 0; a < monoid.num_letters(); ++a) {
      const Element to = monoid.Right(order[i], a);
      if (green.r.of[to] != green.r.of[e]) continue;
      const auto [found, is_new] = distance.try_emplace(to, next);
      if (is_new) {
        order.push_back(to);
      } else {
        const std::size_t there = found->second;
        d = std::gcd(d, next > there ? next - there : there - next);
      }
    }
  }
  for (const Element x : order) {
    if (x != e && green.SameH(x, e) && d != 0 && distance[x] % d == 0) return InPhase{e, x};
  }
  return std::nullopt;
}

// Which elements are classes of words of length s, for s = 0, 1, …, until one length has both an
// idempotent and another element of its group.
class WordsByLength {
 public:
  explicit WordsByLength(const Algebra& algebra) : algebra_(algebra), monoid_(algebra.monoid) {}

  // Two words of equal length for e and g. Requires: there are such.
  std::pair<Word, Word> Find() {
    levels_.push_back(std::vector<bool>(monoid_.size(), false));
    levels_[0][kIdentity] = true;
    while (true) {
      if (const auto found = AtLastLevel()) return {WordFor(found->e), WordFor(found->g)};
      std::vector<bool> next(monoid_.size(), false);
      for (Element x = 0; x < monoid_.size(); ++x) {
        if (!levels_.back()[x]) continue;
        for (Letter a = 0; a < monoid_.num_letters(); ++a) next[monoid_.Right(x, a)] = true;
      }
      levels_.push_back(std::move(next));
    }
  }

 private:
  std::optional<InPhase> AtLastLevel() const {
    const GreenRelations& green = *algebra_.green;
    const auto& level = levels_.back();
    std::unordered_map<std::uint64_t, Element> groups;  // by H-class, of idempotents at this level
    for (Element x = 0; x < monoid_.size(); ++x) {
      if (level[x] && green.is_idempotent[x] != 0) {
        groups.emplace(std::uint64_t{green.r.of[x]} << 32 | green.l.of[x], x);
      }
    }
    for (Element x = 0; x < monoid_.size(); ++x) {
      if (!level[x]) continue;
      const auto found = groups.find(std::uint64_t{green.r.of[x]} << 32 | green.l.of[x]);
      if (found != groups.end() && found->second != x) return InPhase{found->second, x};
    }
    return std::nullopt;
  }

  // Backwards through the levels.
  Word WordFor(Element x) const {
    Word word(levels_.size() - 1);
    for (std::size_t s = word.size(); s > 0; --s) {
      bool found = false;
      for (Element y = 0; y < monoid_.size() && !found; ++y) {
        if (!levels_[s - 1][y]) continue;
        for (Letter a = 0; a < monoid_.num_letters() && !found; ++a) {
          if (monoid_.Right(y, a) != x) continue;
          word[s - 1] = a;
          x = y;
          found = true;
        }
      }
    }
    return word;
  }

  const Algebra& algebra_;
  const Monoid& monoid_;
  std::vector<std::vector<bool>> levels_;
};

}  // namespace

Property TestAC0(const Algebra& algebra, const Property& star_free) {
  if (star_free.holds == true) return Property::Yes();
  const Monoid& monoid = algebra.monoid;
  if (!monoid.complete()) return Property::Unknown(monoid.limit());
  for (const auto& e : algebra.green->idempotent) {
    if (!e || !FindInPhase(algebra, *e)) continue;
    const auto [idempotent, other] = WordsByLength(algebra).Find();
    WitnessMaker maker(
        algebra.automaton,
        fmt::format("words of length {}; e acts as ee does, and some power of g acts "
                    "as e, but g does not: counting g modulo its order is not in AC⁰",
                    idempotent.size()));
    maker.Add('e', idempotent).Add('g', other);
    State q = 0;
    while (algebra.automaton.Run(q, idempotent) == algebra.automaton.Run(q, other)) ++q;
    return Property::No(maker.Move("e", q).Move("g", q).Take());
  }
  return Property::Yes();
}

CircuitClass CircuitClassOf(const Property& ac0, const Property& solvable) {
  if (ac0.holds == true) return CircuitClass::kAC0;
  if (solvable.holds == false) return CircuitClass::kNC1Complete;
  if (ac0.holds == false && solvable.holds == true) return CircuitClass::kACC0;
  return CircuitClass::kUnknown;
}

}  // namespace flare::classes
