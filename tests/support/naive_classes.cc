#include "support/naive_classes.h"

#include <map>

namespace flare {

NaiveClasses::NaiveClasses(const Dfa& minimal, std::size_t most)
    : alphabet_(minimal.alphabet()),
      plain_(PlainAutomaton::Of(minimal)),
      n_(minimal.num_states()),
      start_(Index(minimal.start())),
      width_(minimal.alphabet().size()) {
  const std::size_t sink = n_;
  if (minimal.num_transitions() < n_ * width_) ++n_;
  next_.assign(n_, std::vector<std::size_t>(width_, sink));
  accepting_.assign(n_, false);
  for (std::size_t q = 0; q < minimal.num_states(); ++q) {
    accepting_[q] = minimal.IsAccepting(StateAt(q));
    for (const auto& [a, r] : minimal.TransitionsFrom(StateAt(q))) next_[q][Index(a)] = Index(r);
  }
  Map identity(n_);
  for (std::size_t q = 0; q < n_; ++q) identity[q] = q;
  std::map<Map, Element> names{{identity, 0}};
  elements_.push_back(identity);
  is_word_.push_back(false);
  for (Element x = 0; x < elements_.size(); ++x) {
    for (std::size_t a = 0; a < width_; ++a) {
      Map product = elements_[x];
      for (std::size_t& q : product) q = next_[q][a];
      const auto [found, is_new] = names.try_emplace(product, elements_.size());
      if (is_new) {
        elements_.push_back(product);
        is_word_.push_back(true);
      }
      is_word_[found->second] = true;
      if (x == 0) letters_.push_back(found->second);
    }
    if (elements_.size() > most) {
      complete_ = false;
      return;
    }
  }
  table_.resize(size() * size());
  for (Element x = 0; x < size(); ++x) {
    for (Element y = 0; y < size(); ++y) {
      Map product = elements_[x];
      for (std::size_t& q : product) q = elements_[y][q];
      table_[x * size() + y] = names.at(product);
    }
  }
  for (Element x = 0; x < size(); ++x) {
    Element power = x;
    while (Times(power, power) != power) power = Times(power, x);
    omega_.push_back(power);
  }
}

std::vector<NaiveClasses::Element> NaiveClasses::Idempotents() const {
  std::vector<Element> idempotents;
  for (Element e = 0; e < size(); ++e) {
    if (is_word_[e] && Times(e, e) == e) idempotents.push_back(e);
  }
  return idempotents;
}

std::vector<NaiveClasses::Element> NaiveClasses::Between(Element e, Element f) const {
  std::set<Element> between;
  for (Element x = 0; x < size(); ++x) {
    if (is_word_[x]) between.insert(Times(e, x, f));
  }
  return {between.begin(), between.end()};
}

bool NaiveClasses::Aperiodic() const {
  for (Element x = 0; x < size(); ++x) {
    if (Times(Omega(x), x) != Omega(x)) return false;
  }
  return true;
}

std::optional<bool> NaiveClasses::Holds(std::string_view key) const {
  const auto for_all_pairs = [&](auto equation) {
    for (Element x = 0; x < size(); ++x) {
      for (Element y = 0; y < size(); ++y) {
        if (!equation(x, y)) return false;
      }
    }
    return true;
  };
  const auto right = [&](Element x, Element y) {
    const Element power = Omega(Times(x, y));
    return Times(power, x) == power;
  };
  const auto left = [&](Element x, Element y) {
    const Element power = Omega(Times(x, y));
    return Times(y, power) == power;
  };
  if (key == "star_free") return Aperiodic();
  if (key == "r_trivial") return for_all_pairs(right);
  if (key == "l_trivial") return for_all_pairs(left);
  if (key == "j_trivial" || key == "piecewise_testable") {
    return for_all_pairs(right) && for_all_pairs(left);
  }
  if (key == "da") {
    return for_all_pairs([&](Element x, Element y) {
      const Element power = Omega(Times(x, y));
      return Times(power, x, power) == power;
    });
  }
  if (key == "r_g" || key == "r_infinity") {
    if (key == "r_infinity" && !Aperiodic()) return false;
    return for_all_pairs([&](Element x, Element y) {
      const Element power = Omega(Times(Omega(x), Omega(y)));
      return Times(power, Omega(x)) == power;
    });
  }
  if (key == "c_rasp") return IsInCRasp(plain_);
  if (key == "c_rasp_last") {
    for (std::size_t a = 0; a < width_; ++a) {
      if (!IsInCRasp(plain_.Before(SymbolAt(a), alphabet_))) return false;
    }
    return true;
  }
  if (key == "commutative") {
    return for_all_pairs([&](Element x, Element y) { return Times(x, y) == Times(y, x); });
  }
  if (key == "group") {
    for (Element x = 0; x < size(); ++x) {
      if (Omega(x) != 0) return false;
    }
    return true;
  }
  if (key == "locally_testable") {
    for (const Element e : Idempotents()) {
      const auto around = Between(e, e);
      for (const Element x : around) {
        if (Times(x, x) != x) return false;
        for (const Element y : around) {
          if (Times(x, y) != Times(y, x)) return false;
        }
      }
    }
    return true;
  }
  if (key == "locally_threshold_testable" || key == "dot_depth_one") {
    if (!Aperiodic()) return false;
    const bool knast = key == "dot_depth_one";
    std::size_t steps = 0;
    for (const Element e : Idempotents()) {
      for (const Element f : Idempotents()) {
        const auto there = Between(e, f), back = Between(f, e);
        steps += there.size() * there.size() * back.size() * (knast ? back.size() : 1);
        if (steps > 100'000) return std::nullopt;
        for (const Element p : there) {
          for (const Element q : back) {
            for (const Element r : there) {
              if (!knast) {
                if (Times(p, q, r) != Times(r, q, p)) return false;
                continue;
              }
              for (const Element s : back) {
                const Element first = Omega(Times(p, q)), last = Omega(Times(r, s));
                if (Times(Times(first, p), Times(s, last)) != Times(first, last)) return false;
              }
            }
          }
        }
      }
    }
    return true;
  }
  if (key == "definite" || key == "reverse_definite") {
    for (const Element e : Idempotents()) {
      for (Element s = 0; s < size(); ++s) {
        if ((key == "definite" ? Times(s, e) : Times(e, s)) != e) return false;
      }
    }
    return true;
  }
  if (key == "ac0") return QuasiAperiodic();
  if (key == "strictly_local") return StrictlyLocal(false);
  if (key == "co_strictly_local") return StrictlyLocal(true);
  if (key == "strictly_piecewise") return StrictlyPiecewise(false);
  if (key == "co_strictly_piecewise") return StrictlyPiecewise(true);
  if (key == "finite") return Finite(false);
  if (key == "co_finite") return Finite(true);
  return std::nullopt;
}

bool NaiveClasses::QuasiAperiodic() const {
  // The sets h(Σˢ) come back to one that was there before.
  std::set<std::set<Element>> seen;
  std::set<Element> level(letters_.begin(), letters_.end());
  while (seen.insert(level).second) {
    for (const Element e : level) {
      if (Times(e, e) != e) continue;
      for (const Element g : level) {
        if (g != e && Times(e, g, e) == g && Omega(g) == e) return false;
      }
    }
    std::set<Element> next;
    for (const Element x : level) {
      for (const Element a : letters_) next.insert(Times(x, a));
    }
    level = std::move(next);
  }
  return true;
}

bool NaiveClasses::StrictlyPiecewise(bool complement) const {
  // L(p) ⊆ L(q), as the largest relation that acceptance and letters respect.
  std::set<std::pair<std::size_t, std::size_t>> included;
  for (std::size_t p = 0; p < n_; ++p) {
    for (std::size_t q = 0; q < n_; ++q) {
      if (accepting_[p] == complement || accepting_[q] != complement) included.insert({p, q});
    }
  }
  for (bool changed = true; changed;) {
    changed = std::erase_if(included, [&](const auto& pair) {
                for (std::size_t a = 0; a < width_; ++a) {
                  if (!included.contains({next_[pair.first][a], next_[pair.second][a]}))
                    return true;
                }
                return false;
              }) > 0;
  }
  for (std::size_t q = 0; q < n_; ++q) {
    for (std::size_t a = 0; a < width_; ++a) {
      if (!included.contains({next_[q][a], q})) return false;
    }
  }
  return true;
}

bool NaiveClasses::StrictlyLocal(bool complement) const {
  std::vector<bool> live(n_);
  for (std::size_t q = 0; q < n_; ++q) {
    for (const Map& x : elements_) {
      if (accepting_[x[q]] != complement) live[q] = true;
    }
  }
  // Words that keep two live states apart exist at all lengths iff at the length n², as pairs
  // repeat; the maps of words of that length decide.
  std::set<Map> level{elements_[0]};
  for (std::size_t length = 0; length < n_ * n_; ++length) {
    std::set<Map> next;
    for (const Map& x : level) {
      for (std::size_t a = 0; a < width_; ++a) {
        Map product = x;
        for (std::size_t& q : product) q = next_[q][a];
        next.insert(product);
      }
    }
    level = std::move(next);
  }
  for (const Map& t : level) {
    for (std::size_t p = 0; p < n_; ++p) {
      for (std::size_t q = 0; q < n_; ++q) {
        if (live[p] && live[q] && t[p] != t[q] && live[t[p]] && live[t[q]]) return false;
      }
    }
  }
  return true;
}

bool NaiveClasses::Finite(bool complement) const {
  // Infinite iff a string of a length from n to 2n − 1 is accepted.
  std::set<std::size_t> states{start_};
  for (std::size_t length = 0; length < 2 * n_; ++length) {
    for (const std::size_t q : states) {
      if (length >= n_ && accepting_[q] != complement) return false;
    }
    std::set<std::size_t> next;
    for (const std::size_t q : states) next.insert(next_[q].begin(), next_[q].end());
    states = std::move(next);
  }
  return true;
}

}  // namespace flare
