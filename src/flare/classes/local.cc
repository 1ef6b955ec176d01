#include <algorithm>
#include <unordered_map>

#include "flare/classes/class_tests.h"

namespace flare::classes {
namespace {

State FirstDisagreement(const Monoid& monoid, Element x, Element y) {
  const auto a = monoid.Action(x);
  const auto b = monoid.Action(y);
  return static_cast<State>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

// A witness of words for elements, two products of which differ.
struct NamedElement {
  char name;
  Element element;
};
Witness UnequalProducts(const Algebra& algebra, const std::string& claim,
                        const std::vector<NamedElement>& elements, const std::string& left,
                        const std::string& right) {
  WitnessMaker maker(algebra.automaton, claim);
  for (const auto& [name, element] : elements) maker.Add(name, WordInS(algebra.monoid, element));
  const auto product = [&](const std::string& expression) {
    Element x = kIdentity;
    for (const char name : expression) {
      for (const auto& named : elements) {
        if (named.name == name) x = algebra.monoid.Product(x, named.element);
      }
    }
    return x;
  };
  const State q = FirstDisagreement(algebra.monoid, product(left), product(right));
  return maker.Move(left, q).Move(right, q).Take();
}

}  // namespace

Property TestLocallyTestable(const Algebra& algebra) {
  const Monoid& monoid = algebra.monoid;
  if (!monoid.complete()) return Property::Unknown(monoid.limit());
  const GreenRelations& green = *algebra.green;
  Steps steps;
  for (const Element e : MaximalIdempotents(algebra)) {
    const auto around = Between(monoid, e, e, steps);
    if (!around) return Property::Unknown(Steps::Limit());
    for (const Element x : *around) {
      if (green.is_idempotent[x] == 0) {
        return Property::No(UnequalProducts(algebra,
                                            "e acts as ee does and x as exe does, but xx does not "
                                            "act as x does",
                                            {{'e', e}, {'x', x}}, "xx", "x"));
      }
    }
    // A band is commutative iff its D-classes are trivial, and those of eSe are those of M in it.
    std::unordered_map<std::uint32_t, Element> by_class;
    for (const Element x : *around) {
      const auto [other, is_new] = by_class.try_emplace(green.d[x], x);
      if (is_new) continue;
      return Property::No(UnequalProducts(algebra,
                                          "e acts as ee does, x as exe, y as eye, but xy does not "
                                          "act as yx does",
                                          {{'e', e}, {'x', other->second}, {'y', x}}, "xy", "yx"));
    }
  }
  return Property::Yes();
}

Property TestLocallyThresholdTestable(const Algebra& algebra, const Property& star_free) {
  if (star_free.holds != true) return star_free;
  const Monoid& monoid = algebra.monoid;
  if (!monoid.complete()) return Property::Unknown(monoid.limit());
  const auto idempotents = MaximalIdempotents(algebra);
  Steps steps;
  for (const Element e : idempotents) {
    for (const Element f : idempotents) {
      const auto there = Between(monoid, e, f, steps);
      const auto back = Between(monoid, f, e, steps);
      if (!there || !back) return Property::Unknown(Steps::Limit());
      for (const Element p : *there) {
        for (const Element q : *back) {
          const Element pq = monoid.Product(p, q);
          const Element qp = monoid.Product(q, p);
          if (!steps.Spend(2 * there->size())) return Property::Unknown(Steps::Limit());
          for (const Element r : *there) {
            if (monoid.Product(pq, r) == monoid.Product(r, qp)) continue;
            return Property::No(UnequalProducts(
                algebra,
                "e acts as ee does, f as ff, p as epf, q as fqe, r as erf, but pqr does not act as "
                "rqp does",
                {{'e', e}, {'f', f}, {'p', p}, {'q', q}, {'r', r}}, "pqr", "rqp"));
          }
        }
      }
    }
  }
  return Property::Yes();
}

namespace {

// An idempotent of eSe and an element of its R- or L-class.
struct Related {
  Element idempotent;
  Element other;
};

}  // namespace

Property TestDotDepthOne(const Algebra& algebra, const Property& star_free) {
  if (star_free.holds != true) return star_free;
  const Monoid& monoid = algebra.monoid;
  if (!monoid.complete()) return Property::Unknown(monoid.limit());
  const GreenRelations& green = *algebra.green;
  const auto idempotents = MaximalIdempotents(algebra);
  Steps steps;
  for (const Element e : idempotents) {
    const auto around = Between(monoid, e, e, steps);
    if (!around) return Property::Unknown(Steps::Limit());
    std::unordered_map<std::uint32_t, std::vector<Element>> by_r, by_l;
    for (const Element x : *around) {
      if (green.is_idempotent[x] == 0) continue;
      by_r[green.r.of[x]].push_back(x);
      by_l[green.l.of[x]].push_back(x);
    }
    for (const Element f : idempotents) {
      // x′ = ex′ as x′ is in the R-class of x = ex: so x′ ∈ eSf, and likewise y′ ∈ fSe.
      const auto there = Between(monoid, e, f, steps);
      const auto back = Between(monoid, f, e, steps);
      if (!there || !back) return Property::Unknown(Steps::Limit());
      std::vector<Related> firsts, seconds;
      for (const Element x : *there) {
        if (const auto found = by_r.find(green.r.of[x]); found != by_r.end()) {
          for (const Element idempotent : found->second) firsts.push_back({idempotent, x});
        }
      }
      for (const Element y : *back) {
        if (const auto found = by_l.find(green.l.of[y]); found != by_l.end()) {
          for (const Element idempotent : found->second) seconds.push_back({idempotent, y});
        }
      }
      for (const Related& first : firsts) {
        if (!steps.Spend(2 * seconds.size())) return Property::Unknown(Steps::Limit());
        for (const Related& second : seconds) {
          const Element x = first.idempotent, y = second.idempotent;
          if (monoid.Product(first.other, second.other) == monoid.Product(x, y)) continue;
          // In Knast's equation p is x′, and s is y′.
          const Element q = monoid.Of(RightPath(monoid, first.other, x));
          const Element r = monoid.Of(LeftPath(monoid, second.other, y));
          return Property::No(UnequalProducts(algebra,
                                              "e, f, x, y act as their squares do; x as exe and "
                                              "pq, y as eye and rs, p as xpf, s as "
                                              "fsy; but ps does not act as xy does",
                                              {{'e', e},
                                               {'f', f},
                                               {'x', x},
                                               {'y', y},
                                               {'p', first.other},
                                               {'q', q},
                                               {'r', r},
                                               {'s', second.other}},
                                              "ps", "xy"));
        }
      }
    }
  }
  return Property::Yes();
}

}  // namespace flare::classes
