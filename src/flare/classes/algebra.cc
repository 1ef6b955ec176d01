#include "flare/classes/algebra.h"

#include <fmt/format.h>

#include <unordered_set>

namespace flare::classes {

std::string Steps::Limit() { return fmt::format("the test takes more than {} steps", kMost); }

std::vector<Element> MaximalIdempotents(const Algebra& algebra) {
  const Monoid& monoid = algebra.monoid;
  const GreenRelations& green = *algebra.green;
  std::vector<std::uint8_t> seen(monoid.size(), 0);
  std::vector<std::uint8_t> is_below(green.num_d, 0);
  std::vector<Element> candidates;
  std::vector<Element> stack;
  for (std::size_t d = 0; d < green.num_d; ++d) {
    if (!green.idempotent[d]) continue;
    const Element e = *green.idempotent[d];
    if (e == kIdentity && !monoid.identity_is_a_word()) continue;
    if (seen[e] != 0) continue;  // an earlier idempotent is above e
    candidates.push_back(e);
    seen[e] = 1;
    stack.push_back(e);
    while (!stack.empty()) {
      const Element x = stack.back();
      stack.pop_back();
      for (Letter a = 0; a < monoid.num_letters(); ++a) {
        for (const Element y : {monoid.Right(x, a), monoid.Left(x, a)}) {
          if (green.d[y] != d) is_below[green.d[y]] = 1;
          if (seen[y] != 0) continue;
          seen[y] = 1;
          stack.push_back(y);
        }
      }
    }
  }
  std::erase_if(candidates, [&](Element e) { return is_below[green.d[e]] != 0; });
  return candidates;
}

std::optional<std::vector<Element>> Between(const Monoid& monoid, Element e, Element f,
                                            Steps& steps) {
  const auto is_absorbed = [&](Element x) {
    const auto map = monoid.Action(f);
    for (const std::uint16_t q : monoid.Action(x)) {
      if (map[q] != q) return false;
    }
    return true;
  };
  std::vector<Element> ideal{e};  // eM
  std::unordered_set<Element> seen{e};
  std::vector<Element> between;
  for (std::size_t i = 0; i < ideal.size(); ++i) {
    if (!steps.Spend(1 + monoid.num_letters())) return std::nullopt;
    if (is_absorbed(ideal[i])) between.push_back(ideal[i]);
    for (Letter a = 0; a < monoid.num_letters(); ++a) {
      const Element to = monoid.Right(ideal[i], a);
      if (seen.insert(to).second) ideal.push_back(to);
    }
  }
  return between;
}

Word WordInS(const Monoid& monoid, Element x) {
  if (x != kIdentity || !monoid.identity_is_a_word()) return monoid.WordOf(x);
  Word shortest;
  for (Letter a = 0; a < monoid.num_letters(); ++a) {
    const auto map = monoid.Action(monoid.Right(kIdentity, a));
    if (std::unordered_set<std::uint16_t>(map.begin(), map.end()).size() < map.size()) continue;
    Word word{a};
    const Word back = RightPath(monoid, monoid.Right(kIdentity, a), kIdentity);
    word.insert(word.end(), back.begin(), back.end());
    if (shortest.empty() || word.size() < shortest.size()) shortest = word;
  }
  return shortest;
}

}  // namespace flare::classes
