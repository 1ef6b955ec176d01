#include "flare/languages/group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

using Permutation = std::vector<std::size_t>;  // where each point goes

[[noreturn]] void RefuseOrder(const std::string& name) {
  throw InputError("group:" + name, fmt::format("has more than {} elements", kLargestGroup));
}

// Cycles of points from 1, each from its least point on; fixed points are left out.
std::string CycleNotation(const Permutation& p) {
  std::string text;
  std::vector<bool> seen(p.size(), false);
  for (std::size_t begin = 0; begin < p.size(); ++begin) {
    std::vector<std::size_t> cycle;
    for (std::size_t point = begin; !seen[point]; point = p[point]) {
      seen[point] = true;
      cycle.push_back(point + 1);
    }
    if (cycle.size() > 1) text += fmt::format("({})", fmt::join(cycle, ","));
  }
  return text.empty() ? "()" : text;
}

// x, then y.
Permutation Compose(const Permutation& x, const Permutation& y) {
  Permutation product(x.size());
  for (std::size_t point = 0; point < x.size(); ++point) product[point] = y[x[point]];
  return product;
}

// The permutation that maps each of these points to the next, and the last to the first.
Permutation Cycle(std::size_t points, const std::vector<std::size_t>& cycle) {
  Permutation p(points);
  std::iota(p.begin(), p.end(), std::size_t{0});
  for (std::size_t i = 0; i < cycle.size(); ++i) p[cycle[i]] = cycle[(i + 1) % cycle.size()];
  return p;
}

// All products of the generators, the identity first and the others in the order of where they send
// the points.
FiniteGroup Generate(const std::string& name, const std::vector<Permutation>& generators,
                     std::size_t points) {
  const Permutation identity = Cycle(points, {});
  std::map<Permutation, std::size_t> elements{{identity, 0}};
  std::vector<Permutation> open{identity};
  while (!open.empty()) {
    const Permutation x = open.back();
    open.pop_back();
    for (const Permutation& generator : generators) {
      const Permutation product = Compose(x, generator);
      if (!elements.try_emplace(product, 0).second) continue;
      if (elements.size() > kLargestGroup) RefuseOrder(name);
      open.push_back(product);
    }
  }
  FiniteGroup group;
  for (auto& [element, index] : elements) {
    index = group.names.size();
    group.names.push_back(CycleNotation(element));
  }
  for (const auto& [x, i] : elements) {
    for (const auto& [y, j] : elements) {
      group.products.push_back(static_cast<std::uint32_t>(elements.at(Compose(x, y))));
    }
  }
  for (const Permutation& generator : generators) {
    group.generators.push_back(elements.at(generator));
  }
  return group;
}

std::vector<std::size_t> Points(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> points(end - begin);
  std::iota(points.begin(), points.end(), begin);
  return points;
}

FiniteGroup Cyclic(const std::string& name, std::size_t n) {
  if (n > kLargestGroup) RefuseOrder(name);
  FiniteGroup group;
  for (std::size_t x = 0; x < n; ++x) {
    group.names.push_back(std::to_string(x));
    for (std::size_t y = 0; y < n; ++y) {
      group.products.push_back(static_cast<std::uint32_t>((x + y) % n));
    }
  }
  group.generators = {n == 1 ? std::size_t{0} : 1};
  return group;
}

FiniteGroup Quaternions() {
  // 2u + s is the unit u of 1, i, j, k with the sign s.
  constexpr std::size_t kUnit[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
  constexpr std::size_t kSign[4][4] = {{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 1, 0}, {0, 0, 1, 1}};
  FiniteGroup group{{"1", "-1", "i", "-i", "j", "-j", "k", "-k"}, {2, 4}, {}};
  for (std::size_t x = 0; x < 8; ++x) {
    for (std::size_t y = 0; y < 8; ++y) {
      const std::size_t sign = (x + y + kSign[x / 2][y / 2]) % 2;
      group.products.push_back(static_cast<std::uint32_t>(2 * kUnit[x / 2][y / 2] + sign));
    }
  }
  return group;
}

FiniteGroup Simple(const std::string& name) {
  const auto n = name.empty() ? std::nullopt : ParseNumber<std::size_t>(name.substr(1));
  if (n && *n > 0 && name == fmt::format("{}{}", name[0], *n)) {
    // Beyond these, no group has few enough elements.
    constexpr std::size_t kMostPoints = 1'000;
    if (name[0] != 'Z' && *n > kMostPoints) RefuseOrder(name);
    switch (name[0]) {
      case 'Z':
        return Cyclic(name, *n);
      case 'S':
        if (*n < 2) break;
        return Generate(name, {Cycle(*n, {0, 1}), Cycle(*n, Points(0, *n))}, *n);
      case 'A':
        if (*n < 3) break;
        // A cycle of an odd number of points is even.
        return Generate(name, {Cycle(*n, {0, 1, 2}), Cycle(*n, Points(*n % 2 == 1 ? 0 : 1, *n))},
                        *n);
      case 'D': {
        if (*n < 3) break;
        Permutation flip(*n);
        for (std::size_t point = 0; point < *n; ++point) flip[point] = (*n - point) % *n;
        return Generate(name, {Cycle(*n, Points(0, *n)), flip}, *n);
      }
      case 'Q':
        if (*n == 8) return Quaternions();
        break;
      default:
        break;
    }
  }
  throw InputError("group:" + name, fmt::format("{} is not a group that we know", Quoted(name)),
                   "expected Z1, Z2, …, S2, S3, …, A3, A4, …, D3, D4, …, Q8, or a product as "
                   "A4_x_Z5");
}

FiniteGroup DirectProduct(const std::string& name, const FiniteGroup& a, const FiniteGroup& b) {
  if (a.order() * b.order() > kLargestGroup) RefuseOrder(name);
  FiniteGroup group;
  for (const std::string& x : a.names) {
    for (const std::string& y : b.names) group.names.push_back(x + "|" + y);
  }
  for (std::size_t x = 0; x < group.order(); ++x) {
    for (std::size_t y = 0; y < group.order(); ++y) {
      const std::size_t first = a.Product(x / b.order(), y / b.order());
      const std::size_t second = b.Product(x % b.order(), y % b.order());
      group.products.push_back(static_cast<std::uint32_t>(first * b.order() + second));
    }
  }
  for (const std::size_t x : a.generators) group.generators.push_back(x * b.order());
  for (const std::size_t y : b.generators) group.generators.push_back(y);
  return group;
}

}  // namespace

FiniteGroup MakeGroup(const std::string& name) {
  constexpr std::string_view kTimes = "_x_";
  const std::size_t at = name.rfind(kTimes);
  if (at == std::string::npos) return Simple(name);
  const FiniteGroup first = MakeGroup(name.substr(0, at));
  const FiniteGroup last = Simple(name.substr(at + kTimes.size()));
  return DirectProduct(name, first, last);
}

// group:NAME: the word problem of a group. The symbols are its elements, or generators; the members
// are the strings whose product, from left to right, is the identity.

namespace {

constexpr const char* kGeneratorsMember = "generators";

NamedLanguage WordProblem(const std::string& text, const std::string& name, bool generators) {
  const FiniteGroup group = MakeGroup(name);
  std::vector<std::size_t> symbols = group.generators;
  if (!generators) {
    symbols.clear();
    for (std::size_t x = 0; x < group.order(); ++x) symbols.push_back(x);
  }
  std::vector<std::string> names;
  for (const std::size_t x : symbols) names.push_back(group.names[x]);
  DfaBuilder b{Alphabet(names)};
  for (std::size_t x = 0; x < group.order(); ++x) b.AddState(x == 0);
  // Generators of a small group may be equal; a symbol is one.
  std::vector<bool> added(group.order(), false);
  for (const std::size_t y : symbols) {
    if (added[y]) continue;
    added[y] = true;
    for (std::size_t x = 0; x < group.order(); ++x) {
      b.AddTransition(StateAt(x), group.names[y], StateAt(group.Product(x, y)));
    }
  }
  return {.name = text,
          .language_class = LanguageClass::kRegular,
          .definition = fmt::format("the product of {} of {} is the identity",
                                    generators ? "generators" : "elements", name),
          .identity = text + (generators ? "/generators" : ""),
          .envelope = ".*",
          .language = std::make_unique<RegularLanguage>(std::move(b).Build(StateAt(0)))};
}

std::string GroupName(const std::string& text) { return text.substr(text.find(':') + 1); }

}  // namespace

NamedLanguage ParseGroupSource(const std::string& text, const std::string& name,
                               const ResolveOptions& options) {
  return WordProblem(text, name, options.generators);
}

// The name says it all; the automaton of S6 would take 40 MB.
Json SaveGroup(const NamedLanguage& language) {
  return {{kGeneratorsMember, language.identity != language.name}};
}

NamedLanguage LoadGroup(const SavedLanguage& saved, const std::string&) {
  const auto member = saved.contents.find(kGeneratorsMember);
  return WordProblem(saved.text, GroupName(saved.text),
                     member != saved.contents.end() && member->is_boolean() && member->get<bool>());
}

}  // namespace flare
