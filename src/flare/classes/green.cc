#include "flare/classes/green.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "flare/base/error.h"

namespace flare::classes {
namespace {

// Breadth first along one Cayley graph; the letters of the way, in the order they were taken.
template <class Next>
Word CayleyPath(const Monoid& monoid, Element x, Element y, Next next) {
  std::unordered_map<Element, std::pair<Element, Letter>> arrival{{x, {x, 0}}};
  std::vector<Element> order{x};
  for (std::size_t i = 0; i < order.size() && !arrival.contains(y); ++i) {
    for (Letter a = 0; a < monoid.num_letters(); ++a) {
      const Element to = next(order[i], a);
      if (arrival.try_emplace(to, order[i], a).second) order.push_back(to);
    }
  }
  FLARE_CHECK(arrival.contains(y));
  Word word;
  for (Element z = y; z != x; z = arrival[z].first) word.push_back(arrival[z].second);
  std::reverse(word.begin(), word.end());
  return word;
}

}  // namespace

GreenRelations::GreenRelations(const Monoid& monoid)
    : r(StrongComponents(monoid.right(), monoid.size(), monoid.num_letters())),
      l(StrongComponents(monoid.left(), monoid.size(), monoid.num_letters())) {
  const std::size_t size = monoid.size();
  // D joins R and L: components of the graph between R- and L-classes that elements are edges of.
  std::vector<std::uint32_t> parent(r.size.size() + l.size.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t c) {
    while (parent[c] != c) c = parent[c] = parent[parent[c]];
    return c;
  };
  const auto left_node = [&](Element x) {
    return static_cast<std::uint32_t>(r.size.size() + l.of[x]);
  };
  for (Element x = 0; x < size; ++x) parent[root(r.of[x])] = root(left_node(x));

  constexpr std::uint32_t kUnnamed = UINT32_MAX;
  std::vector<std::uint32_t> name(parent.size(), kUnnamed);
  std::vector<std::uint64_t> h(size);
  d.resize(size);
  is_idempotent.resize(size);
  for (Element x = 0; x < size; ++x) {
    std::uint32_t& class_name = name[root(r.of[x])];
    if (class_name == kUnnamed) {
      class_name = static_cast<std::uint32_t>(num_d++);
      idempotent.emplace_back();
    }
    d[x] = class_name;
    h[x] = std::uint64_t{r.of[x]} << 32 | l.of[x];
    is_idempotent[x] = monoid.IsIdempotent(x) ? 1 : 0;
    if (is_idempotent[x] == 0) continue;
    ++num_idempotents;
    if (!idempotent[d[x]]) idempotent[d[x]] = x;
  }
  std::sort(h.begin(), h.end());
  num_h = static_cast<std::size_t>(std::unique(h.begin(), h.end()) - h.begin());
}

std::size_t GreenRelations::NumRegularD() const {
  return static_cast<std::size_t>(std::count_if(idempotent.begin(), idempotent.end(),
                                                [](const auto& e) { return e.has_value(); }));
}

std::vector<Element> GroupAround(const Monoid& monoid, const GreenRelations& green, Element e) {
  // Through the R-class of e, which is connected.
  std::vector<Element> order{e};
  std::unordered_set<Element> seen{e};
  std::vector<Element> group;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (green.SameH(order[i], e)) group.push_back(order[i]);
    for (Letter a = 0; a < monoid.num_letters(); ++a) {
      const Element to = monoid.Right(order[i], a);
      if (green.r.of[to] == green.r.of[e] && seen.insert(to).second) order.push_back(to);
    }
  }
  std::sort(group.begin(), group.end());
  return group;
}

Word RightPath(const Monoid& monoid, Element x, Element y) {
  return CayleyPath(monoid, x, y, [&](Element z, Letter a) { return monoid.Right(z, a); });
}

Word LeftPath(const Monoid& monoid, Element x, Element y) {
  Word word = CayleyPath(monoid, x, y, [&](Element z, Letter a) { return monoid.Left(z, a); });
  std::reverse(word.begin(), word.end());  // the letter taken first stands next to x
  return word;
}

}  // namespace flare::classes
