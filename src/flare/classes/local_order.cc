#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "flare/classes/class_tests.h"

namespace flare::classes {
namespace {

// t, and one loop that is not idempotent or two that do not commute.
struct BadLoops {
  Word t, x;
  std::optional<Word> y;
};

Word Concatenation(const Word& u, const Word& v) {
  Word w = u;
  w.insert(w.end(), v.begin(), v.end());
  return w;
}

class LocalOrder {
 public:
  explicit LocalOrder(const Algebra& algebra) : monoid_(algebra.monoid), green_(*algebra.green) {}

  // Is L (n+1)-testable? Nothing if the steps are spent; `bad` says why not.
  std::optional<bool> Holds(std::size_t n) {
    bad_.reset();
    if (n == 0) return LettersFormASemilattice();
    NextLevel();
    for (const auto& [m, t] : level_) {
      if (green_.IsRegular(m)) continue;
      const auto fine = LongLoopsAreFine(m, t);
      if (!fine || !*fine) return fine;
    }
    return PeriodicWordsAreFine(n);
  }
  const BadLoops& bad() const { return *bad_; }

 private:
  // t = ε: every word is a loop, and letters generate them.
  bool LettersFormASemilattice() {
    for (Letter a = 0; a < monoid_.num_letters(); ++a) {
      if (green_.is_idempotent[monoid_.Right(kIdentity, a)] == 0) {
        bad_ = {{}, {a}, {}};
        return false;
      }
      for (Letter b = 0; b < a; ++b) {
        if (monoid_.Of({a, b}) == monoid_.Of({b, a})) continue;
        bad_ = {{}, {a}, Word{b}};
        return false;
      }
    }
    return true;
  }

  // Advances from the classes of words of length n−1 to those of length n, with a word for each.
  void NextLevel() {
    std::map<Element, Word> next;
    for (const auto& [m, t] : level_) {
      for (Letter a = 0; a < monoid_.num_letters(); ++a) {
        next.try_emplace(monoid_.Right(m, a), Concatenation(t, {a}));
      }
    }
    level_ = std::move(next);
  }

  // Loops x = zt, which act on t as m ↦ mzm.
  std::optional<bool> LongLoopsAreFine(Element m, const Word& t) {
    struct Loop {
      Element value;  // mzm
      Element z;
      Element step;  // zm
    };
    std::vector<Loop> loops;
    std::unordered_map<Element, bool> seen;
    if (!steps_.Spend(2 * monoid_.size())) return std::nullopt;
    for (Element z = 0; z < monoid_.size(); ++z) {
      const Element value = monoid_.Product(monoid_.Product(m, z), m);
      if (seen.try_emplace(value, true).second) loops.push_back({value, z, monoid_.Product(z, m)});
    }
    const auto word = [&](const Loop& loop) { return Concatenation(monoid_.WordOf(loop.z), t); };
    if (!steps_.Spend(loops.size() * loops.size())) return std::nullopt;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (monoid_.Product(loops[i].value, loops[i].step) != loops[i].value) {
        bad_ = {t, word(loops[i]), {}};
        return false;
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (monoid_.Product(loops[i].value, loops[j].step) ==
            monoid_.Product(loops[j].value, loops[i].step)) {
          continue;
        }
        bad_ = {t, word(loops[i]), word(loops[j])};
        return false;
      }
    }
    return true;
  }

  // All words t of length n with a period below n, each made from its last letters x.
  std::optional<bool> PeriodicWordsAreFine(std::size_t n) {
    std::set<std::pair<Element, Element>> asked;
    for (std::size_t period = 1; period < n; ++period) {
      Word x(period, 0);
      for (bool more = true; more;) {
        if (!steps_.Spend(n)) return std::nullopt;
        Word t(n);
        for (std::size_t i = 0; i < n; ++i) t[n - 1 - i] = x[period - 1 - i % period];
        const auto fine = ShortLoopIsFine(t, x, asked);
        if (!fine || !*fine) return fine;
        more = false;
        for (std::size_t i = period; i > 0 && !more; --i) {
          x[i - 1] = (x[i - 1] + 1) % static_cast<Letter>(monoid_.num_letters());
          more = x[i - 1] != 0;
        }
      }
    }
    return true;
  }

  std::optional<bool> ShortLoopIsFine(const Word& t, const Word& x,
                                      std::set<std::pair<Element, Element>>& asked) {
    const Element m = monoid_.Of(t);
    if (green_.IsRegular(m)) return true;
    const Element loop = monoid_.Of(x);
    const Element once = monoid_.Product(m, loop);
    if (monoid_.Product(once, loop) != once) {
      bad_ = {t, x, {}};
      return false;
    }
    // Against the shorter periods of t.
    for (std::size_t period = 1; period < x.size(); ++period) {
      if (!std::equal(t.begin() + static_cast<std::ptrdiff_t>(period), t.end(), t.begin()))
        continue;
      const Word y(t.end() - static_cast<std::ptrdiff_t>(period), t.end());
      const Element other = monoid_.Of(y);
      if (monoid_.Product(once, other) == monoid_.Product(monoid_.Product(m, other), loop))
        continue;
      bad_ = {t, x, y};
      return false;
    }
    // Against the loops zt: they depend on the classes of t and x alone.
    if (!asked.insert({m, loop}).second) return true;
    if (!steps_.Spend(4 * monoid_.size())) return std::nullopt;
    for (Element z = 0; z < monoid_.size(); ++z) {
      const Element zm = monoid_.Product(z, m);
      if (monoid_.Product(once, zm) == monoid_.Product(monoid_.Product(m, zm), loop)) continue;
      bad_ = {t, x, Concatenation(monoid_.WordOf(z), t)};
      return false;
    }
    return true;
  }

  const Monoid& monoid_;
  const GreenRelations& green_;
  Steps steps_;
  std::map<Element, Word> level_{{kIdentity, {}}};
  std::optional<BadLoops> bad_;
};

Witness OrderWitness(const SyntacticAutomaton& automaton, const BadLoops& bad) {
  WitnessMaker maker(
      automaton,
      fmt::format(
          "|t| = {0}; {1}, so {2} have the same prefix and suffix of length {0} and the same "
          "factors of length {3}, but lead to different states",
          bad.t.size(), bad.y ? "tx and ty end in t" : "tx ends in t",
          bad.y ? "txy and tyx" : "tx and txx", bad.t.size() + 1));
  maker.Add('t', bad.t).Add('x', bad.x);
  if (bad.y) maker.Add('y', *bad.y);
  const std::string left = bad.y ? "txy" : "tx", right = bad.y ? "tyx" : "txx";
  const auto run = [&](State q, const std::string& expression) {
    for (const char c : expression) {
      q = automaton.Run(q, c == 't' ? bad.t : c == 'x' ? bad.x : *bad.y);
    }
    return q;
  };
  State q = 0;
  while (run(q, left) == run(q, right)) ++q;
  return maker.Move(left, q).Move(right, q).Take();
}

}  // namespace

Property WithLocalOrder(const Algebra& algebra, Property locally_testable) {
  if (locally_testable.holds != true || !algebra.monoid.complete()) return locally_testable;
  LocalOrder order(algebra);
  std::optional<BadLoops> last;
  for (std::size_t n = 0;; ++n) {
    const auto holds = order.Holds(n);
    if (!holds) {
      locally_testable.limit = fmt::format("k is at least {}; {}", n + 1, Steps::Limit());
      break;
    }
    if (*holds) {
      locally_testable.k = n + 1;
      break;
    }
    last = order.bad();
  }
  if (last) locally_testable.witness = OrderWitness(algebra.automaton, *last);
  return locally_testable;
}

}  // namespace flare::classes
