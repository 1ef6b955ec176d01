#include "support/witness_checker.h"

#include <algorithm>

#include "flare/classes/classification.h"

namespace flare {
namespace {

// All subsequences of length up to k, without neutral symbols.
std::set<String> NaiveSubsequences(const String& w, std::size_t k,
                                   const std::set<Symbol>& neutral) {
  std::set<String> all{{}};
  for (const Symbol a : w) {
    if (neutral.contains(a)) continue;
    const std::set<String> before = all;
    for (String v : before) {
      if (v.size() == k) continue;
      v.push_back(a);
      all.insert(v);
    }
  }
  return all;
}

}  // namespace

WitnessChecker::WitnessChecker(const Dfa& minimal)
    : alphabet_(minimal.alphabet()),
      plain_(PlainAutomaton::Of(minimal)),
      start_(Index(minimal.start())) {
  const std::size_t live = minimal.num_states(), width = minimal.alphabet().size();
  const bool complete = minimal.num_transitions() == live * width;
  n_ = live + (complete ? 0 : 1);
  next_.assign(n_, std::vector<std::size_t>(width, live));
  accepting_.assign(n_, false);
  for (std::size_t q = 0; q < live; ++q) {
    accepting_[q] = minimal.IsAccepting(StateAt(q));
    for (const auto& [a, r] : minimal.TransitionsFrom(StateAt(q))) next_[q][Index(a)] = Index(r);
  }
  for (std::size_t a = 0; a < width; ++a) {
    bool is_neutral = true;
    for (std::size_t q = 0; q < n_; ++q) is_neutral = is_neutral && next_[q][a] == q;
    if (is_neutral) neutral_.insert(SymbolAt(a));
  }
}

bool WitnessChecker::Check(std::string_view key, const classes::Property& property) {
  if (!property.holds) return !property.limit.empty();
  words_.clear();
  witness_ = property.witness ? &*property.witness : nullptr;
  if (witness_ != nullptr) {
    words_ = {witness_->words.begin(), witness_->words.end()};
    for (const auto& [word, from, to] : witness_->moves) {
      if (Run(Index(from), word) != Index(to)) return false;
    }
  }
  const bool on_tier = key.starts_with("tier_");
  std::string_view base = on_tier ? key.substr(5) : key;
  complement_ = base.starts_with("co_");
  if (complement_) base.remove_prefix(3);
  if (on_tier) {
    for (const auto& [name, word] : words_) {
      for (const Symbol a : word) {
        if (neutral_.contains(a)) return false;
      }
    }
  }
  if (*property.holds) {
    if (key == "r_g") return NoPairIsFlipped();
    if (!property.k) return true;
    const std::size_t least = base == "strictly_local" || base == "locally_testable" ? 1 : 0;
    if (*property.k == least) return true;
    return witness_ != nullptr && CheckOrder(base, *property.k);
  }
  if (witness_ == nullptr) return false;
  if (CheckNo(base)) return true;
  // The larger classes are of the language itself, and closed under complement.
  for (const auto& [part, whole] : classes::Inclusions()) {
    if (part == key && Check(whole, property)) return true;
  }
  return false;
}

bool WitnessChecker::CheckNo(std::string_view key) const {
  const auto has = [&](std::string_view names) {
    return std::all_of(names.begin(), names.end(), [&](char c) { return Has(c); });
  };
  if (key == "star_free") {
    if (!has("xuz") || Accepts("xz") == Accepts("xuz")) return false;
    const std::size_t p = Run(start_, "x");
    std::size_t q = Run(p, "u");
    for (std::size_t i = 1; i <= n_ && q != p; ++i) q = Run(q, "u");
    return q == p && Run(p, "u") != p;
  }
  const bool r_fails = has("uv") && !witness_->moves.empty() && [&] {
    const std::size_t p = Index(witness_->moves[0].from);
    return Run(p, "u") != p && Run(p, "uv") == p;
  }();
  const bool l_fails = has("sxy") && Same("yxs", "s") && !Same("xs", "s");
  if (key == "r_trivial") return r_fails;
  if (key == "l_trivial") return l_fails;
  if (key == "j_trivial" || key == "piecewise_testable") return r_fails || l_fails;
  if (key == "da") return has("uv") && Same("uvu", "u") && !Same("uu", "u");
  if (key == "r_g") {
    if (!has("uv") || witness_->moves.size() != 4) return false;
    const std::size_t s = Index(witness_->moves[0].from), t = Index(witness_->moves[1].from);
    return s != t && Run(s, "u") == s && Run(t, "u") == s && Run(s, "v") == t && Run(t, "v") == t;
  }
  if (key == "c_rasp") return has("uxz") && AreAlikeToCounting(false);
  if (key == "c_rasp_last") return has("uxz") && AreAlikeToCounting(true);
  if (key == "locally_testable") {
    if (!has("ex") || Length('e') == 0 || !Same("ee", "e") || !Same("exe", "x")) return false;
    return Has('y') ? Same("eye", "y") && !Same("xy", "yx") : !Same("xx", "x");
  }
  if (key == "locally_threshold_testable") {
    return has("efpqr") && Length('e') > 0 && Length('f') > 0 && Same("ee", "e") &&
           Same("ff", "f") && Same("epf", "p") && Same("fqe", "q") && Same("erf", "r") &&
           !Same("pqr", "rqp");
  }
  if (key == "dot_depth_one") {
    return has("efxypqrs") && Length('e') > 0 && Length('f') > 0 && Same("ee", "e") &&
           Same("ff", "f") && Same("xx", "x") && Same("yy", "y") && Same("exe", "x") &&
           Same("eye", "y") && Same("pq", "x") && Same("rs", "y") && Same("xpf", "p") &&
           Same("fsy", "s") && !Same("ps", "xy");
  }
  if (key == "strictly_local") {
    return has("xyuzw") && IsLoop('u', "x") && IsLoop('u', "y") && Accepts("xz") && Accepts("yw") &&
           !Accepts("yz");
  }
  if (key == "definite") {
    return has("xyuz") && IsLoop('u', "x") && IsLoop('u', "y") && Accepts("xz") && !Accepts("yz");
  }
  if (key == "reverse_definite") {
    return has("xuzw") && IsLoop('u', "x") && Accepts("xz") && !Accepts("xw");
  }
  if (key == "finite") return has("xuz") && IsLoop('u', "x") && Accepts("xz");
  if (key == "strictly_piecewise") {
    return has("xaz") && Length('a') == 1 && Accepts("xaz") && !Accepts("xz");
  }
  if (key == "group") {
    const auto& moves = witness_->moves;
    return moves.size() == 2 && moves[0].from != moves[1].from && moves[0].to == moves[1].to &&
           moves[0].word == moves[1].word;
  }
  if (key == "commutative") return has("xabz") && Accepts("xabz") != Accepts("xbaz");
  if (key == "solvable") return has("eg") && IsPerfectGroup();
  if (key == "ac0") {
    if (!has("eg") || Length('e') != Length('g') || Length('e') == 0) return false;
    if (!Same("ee", "e") || !Same("eg", "g") || !Same("ge", "g") || Same("g", "e")) return false;
    // Some power of g is e: e's image is permuted.
    const Map g = Action("g"), e = Action("e");
    Map power = g;
    for (std::size_t i = 0; i < 100'000; ++i) {
      if (power == e) return true;
      for (std::size_t& q : power) q = g[q];
    }
  }
  return false;
}

bool WitnessChecker::CheckOrder(std::string_view key, std::size_t k) const {
  if (key == "strictly_local") {
    return Length('t') == k - 2 && Accepts("xtz") && Accepts("ytw") && !Accepts("ytz");
  }
  if (key == "definite")
    return Length('t') + Length('z') == k - 1 && Accepts("xtz") && !Accepts("ytz");
  if (key == "reverse_definite") return Length('t') == k - 1 && Accepts("tz") && !Accepts("tw");
  if (key == "strictly_piecewise") {
    const String& w = words_.at('w');
    if (w.size() != k || AcceptsString(w)) return false;
    for (std::size_t i = 0; i < k; ++i) {
      String shorter = w;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
      if (!AcceptsString(shorter)) return false;
    }
    return true;
  }
  if (key == "locally_testable") {
    const auto is_loop = [&](char x) {
      const String tx = Expand(std::string("t") + x), t = Expand("t");
      return Length(x) > 0 && std::equal(t.rbegin(), t.rend(), tx.rbegin());
    };
    if (Length('t') != k - 2 || !is_loop('x')) return false;
    return Has('y') ? is_loop('y') && !Same("txy", "tyx") : !Same("txx", "tx");
  }
  if (key == "piecewise_testable") {
    return NaiveSubsequences(Expand("u"), k - 1, neutral_) ==
               NaiveSubsequences(Expand("v"), k - 1, neutral_) &&
           Accepts("uz") != Accepts("vz");
  }
  return false;
}

// u and ux lead to states of one component that no potential tells from each other, and z does.
bool WitnessChecker::AreAlikeToCounting(bool at_last) const {
  if (Accepts("uz") == Accepts("uxz")) return false;
  String z = words_.at('z');
  PlainAutomaton automaton = plain_;
  if (at_last) {
    if (z.empty()) return false;
    automaton = plain_.Before(z.back(), alphabet_);
    z.pop_back();
  }
  const std::size_t s = automaton.Run(automaton.start, words_.at('u'));
  const std::size_t t = automaton.Run(s, words_.at('x'));
  const auto blocks = StableBlocks(automaton);
  return s != t && blocks[s] == blocks[t] && automaton.InOneComponent(s, t) &&
         automaton.accepting[automaton.Run(s, z)] != automaton.accepting[automaton.Run(t, z)];
}

// From every pair of states, forwards: words may take both to one of them, but not to either.
bool WitnessChecker::NoPairIsFlipped() const {
  for (std::size_t s = 0; s < n_; ++s) {
    for (std::size_t t = s + 1; t < n_; ++t) {
      std::set<std::pair<std::size_t, std::size_t>> seen{{s, t}};
      std::vector<std::pair<std::size_t, std::size_t>> open{{s, t}};
      while (!open.empty()) {
        const auto [p, q] = open.back();
        open.pop_back();
        for (std::size_t a = 0; a < next_[p].size(); ++a) {
          const std::pair to(next_[p][a], next_[q][a]);
          if (seen.insert(to).second) open.push_back(to);
        }
      }
      if (seen.contains({s, s}) && seen.contains({t, t})) return false;
    }
  }
  return true;
}

bool WitnessChecker::IsPerfectGroup() const {
  const auto times = [](const Map& a, const Map& b) {
    Map product = a;
    for (std::size_t& q : product) q = b[q];
    return product;
  };
  const auto generate = [&](const Map& one, const std::set<Map>& generators) {
    std::vector<Map> list{one};
    std::set<Map> group{one};
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const Map& g : generators) {
        const Map product = times(list[i], g);
        if (group.insert(product).second) list.push_back(product);
      }
    }
    return group;
  };
  if (!Same("ee", "e") || Length('e') == 0) return false;
  const Map one = Action("e");
  std::set<Map> generators;
  for (const auto& [name, word] : words_) {
    const Map g = Action(std::string(1, name));
    if (times(one, g) != g || times(g, one) != g) return false;
    generators.insert(g);
  }
  const std::set<Map> group = generate(one, generators);
  const auto inverse = [&](const Map& g) {
    return *std::find_if(group.begin(), group.end(),
                         [&](const Map& h) { return times(g, h) == one; });
  };
  for (const Map& g : group) {
    if (std::none_of(group.begin(), group.end(),
                     [&](const Map& h) { return times(g, h) == one; })) {
      return false;  // not a group
    }
  }
  std::set<Map> commutators;
  for (const Map& g : group) {
    for (const Map& h : generators)
      commutators.insert(times(times(inverse(g), inverse(h)), times(g, h)));
  }
  return group.size() > 1 && generate(one, commutators) == group;
}

String WitnessChecker::Expand(std::string_view expression) const {
  String expanded;
  for (const char name : expression) {
    const String& word = words_.at(name);
    expanded.insert(expanded.end(), word.begin(), word.end());
  }
  return expanded;
}

std::size_t WitnessChecker::Run(std::size_t q, std::string_view expression) const {
  for (const Symbol a : Expand(expression)) q = next_[q][Index(a)];
  return q;
}

bool WitnessChecker::AcceptsString(const String& w) const {
  std::size_t q = start_;
  for (const Symbol a : w) q = next_[q][Index(a)];
  return accepting_[q] != complement_;
}

bool WitnessChecker::Accepts(std::string_view expression) const {
  return AcceptsString(Expand(expression));
}

WitnessChecker::Map WitnessChecker::Action(std::string_view expression) const {
  Map map(n_);
  for (std::size_t q = 0; q < n_; ++q) map[q] = Run(q, expression);
  return map;
}

bool WitnessChecker::IsLoop(char u, std::string_view access) const {
  const std::size_t p = Run(start_, access);
  return Length(u) > 0 && Run(p, std::string(1, u)) == p;
}

bool CheckRankedPairs(const Dfa& dfa, const classes::RankedPairs& proof) {
  const PlainAutomaton automaton = PlainAutomaton::Of(dfa);
  const std::size_t n = automaton.size();
  std::vector<std::vector<bool>> together(n, std::vector<bool>(n, false));
  bool any = false;
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t t = 0; t < n; ++t) {
      together[s][t] = s != t && automaton.InOneComponent(s, t);
      any = any || together[s][t];
    }
  }
  if (!any) return true;
  if (proof.num_states != n || proof.pairs.size() != n * n) return false;
  // By level and state; levels of different components may have the same number.
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> ranks;
  const auto has_rank = [&](std::uint32_t level, std::size_t state, std::uint32_t rank) {
    return ranks.try_emplace({level, state}, rank).first->second == rank;
  };
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t t = 0; t < n; ++t) {
      if (!together[s][t]) continue;
      const auto& pair = proof.pairs[s * n + t];
      if (pair.level == classes::RankedPairs::kNone || pair.rank_of_s >= pair.rank_of_t)
        return false;
      if (!has_rank(pair.level, s, pair.rank_of_s) || !has_rank(pair.level, t, pair.rank_of_t))
        return false;
      for (std::size_t a = 0; a < automaton.next[s].size(); ++a) {
        const std::size_t to_s = automaton.next[s][a], to_t = automaton.next[t][a];
        if (!together[to_s][to_t] || !automaton.InOneComponent(s, to_s)) continue;
        if (proof.pairs[to_s * n + to_t].level > pair.level) return false;
      }
    }
  }
  return true;
}

}  // namespace flare
