#include "flare/automata/equivalence.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "flare/base/error.h"

namespace flare {
namespace {

using MaybeState = std::optional<StateId>;

// A pair of states on the way, with the step that led to it. No state means: rejected for good.
struct Visit {
  MaybeState in_a, in_b;
  std::size_t parent;
  Symbol symbol;
};

bool Accepts(const Dfa& dfa, MaybeState q) { return q && dfa.IsAccepting(*q); }
MaybeState Step(const Dfa& dfa, MaybeState q, Symbol a) { return q ? dfa.Next(*q, a) : q; }
std::uint64_t Code(MaybeState q) { return q ? Index(*q) + 1 : 0; }

String PathTo(const std::vector<Visit>& visits, std::size_t i) {
  String w;
  for (; i != 0; i = visits[i].parent) w.push_back(visits[i].symbol);
  std::reverse(w.begin(), w.end());
  return w;
}

}  // namespace

std::optional<String> ShortestDifference(const Dfa& a, const Dfa& b) {
  FLARE_CHECK(a.alphabet() == b.alphabet());
  std::vector<Visit> visits{{a.start(), b.start(), 0, Symbol{}}};
  std::unordered_set<std::uint64_t> seen{Code(a.start()) << 32 | Code(b.start())};
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const Visit visit = visits[i];
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

}  // namespace flare
