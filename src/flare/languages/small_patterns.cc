// Short patterns of small languages (small_languages.h).

#include <algorithm>
#include <array>
#include <bitset>
#include <numeric>
#include <utility>

#include "flare/automata/alphabet.h"
#include "flare/languages/small_languages.h"

namespace flare {
namespace {

// A pattern as a tree. Only the functions below make one, so that equal parts are written alike:
// no concatenation in a concatenation, no union in a union, no ε besides a whole.
struct Expression {
  enum class Kind { kNothing, kEmptyString, kLetters, kConcat, kUnion, kStar, kPlus, kOptional };

  Kind kind = Kind::kNothing;
  unsigned letters = 0;                // kLetters: bit 0 is a, bit 1 is b
  std::vector<Expression> parts = {};  // one of kStar, kPlus and kOptional

  bool operator==(const Expression&) const = default;
};
using Kind = Expression::Kind;

Expression Nothing() { return {}; }
Expression EmptyString() { return {.kind = Kind::kEmptyString}; }
Expression Letters(unsigned letters) {
  return letters == 0 ? Nothing() : Expression{.kind = Kind::kLetters, .letters = letters};
}

bool IsNullable(const Expression& e) {
  switch (e.kind) {
    case Kind::kEmptyString:
    case Kind::kStar:
    case Kind::kOptional:
      return true;
    case Kind::kNothing:
    case Kind::kLetters:
      return false;
    case Kind::kPlus:
      return IsNullable(e.parts[0]);
    case Kind::kConcat:
      return std::all_of(e.parts.begin(), e.parts.end(), IsNullable);
    case Kind::kUnion:
      return std::any_of(e.parts.begin(), e.parts.end(), IsNullable);
  }
  __builtin_unreachable();
}

Expression Union(std::vector<Expression> alternatives);

Expression Star(Expression e) {
  if (e.kind == Kind::kNothing || e.kind == Kind::kEmptyString) return EmptyString();
  if (e.kind == Kind::kStar) return e;
  if (e.kind == Kind::kPlus || e.kind == Kind::kOptional) return Star(std::move(e.parts[0]));
  if (e.kind == Kind::kUnion) {
    // (x*|y)* is (x|y)*.
    bool changed = false;
    for (Expression& part : e.parts) {
      if (part.kind != Kind::kStar && part.kind != Kind::kPlus) continue;
      Expression inner = std::move(part.parts[0]);
      part = std::move(inner);
      changed = true;
    }
    if (changed) return Star(Union(std::move(e.parts)));
  }
  return {.kind = Kind::kStar, .parts = {std::move(e)}};
}

Expression Plus(Expression e) {
  if (IsNullable(e)) return Star(std::move(e));
  if (e.kind == Kind::kPlus || e.kind == Kind::kNothing) return e;
  return {.kind = Kind::kPlus, .parts = {std::move(e)}};
}

Expression Optional(Expression e) {
  if (IsNullable(e)) return e;
  if (e.kind == Kind::kNothing) return EmptyString();
  if (e.kind == Kind::kPlus) return Star(std::move(e.parts[0]));
  return {.kind = Kind::kOptional, .parts = {std::move(e)}};
}

// Replaces two neighbours of a concatenation by one where that is the same: xx* and x*x are x+.
bool Absorb(Expression& left, const Expression& right) {
  const auto repeats = [](const Expression& e, const Expression& x) {
    return (e.kind == Kind::kStar || e.kind == Kind::kPlus) && e.parts[0] == x;
  };
  if (right.kind == Kind::kStar && right.parts[0] == left) {
    left = Plus(right.parts[0]);
    return true;
  }
  if (left.kind == Kind::kStar && left.parts[0] == right) {
    left = Plus(right);
    return true;
  }
  if (left.kind == Kind::kStar &&
      (repeats(right, left.parts[0]) ||
       (right.kind == Kind::kOptional && right.parts[0] == left.parts[0]))) {
    if (right.kind == Kind::kPlus) left.kind = Kind::kPlus;
    return true;
  }
  if (right.kind == Kind::kStar && (left.kind == Kind::kPlus || left.kind == Kind::kOptional) &&
      left.parts[0] == right.parts[0]) {
    if (left.kind == Kind::kOptional) left.kind = Kind::kStar;
    return true;
  }
  return false;
}

Expression Concat(std::vector<Expression> factors) {
  std::vector<Expression> parts;
  const auto add = [&](Expression e) {
    if (!parts.empty() && Absorb(parts.back(), e)) return;
    parts.push_back(std::move(e));
  };
  for (Expression& factor : factors) {
    if (factor.kind == Kind::kNothing) return Nothing();
    if (factor.kind == Kind::kEmptyString) continue;
    if (factor.kind == Kind::kConcat) {
      for (Expression& part : factor.parts) add(std::move(part));
    } else {
      add(std::move(factor));
    }
  }
  if (parts.empty()) return EmptyString();
  if (parts.size() == 1) return std::move(parts[0]);
  return {.kind = Kind::kConcat, .parts = std::move(parts)};
}

std::vector<Expression> FactorsOf(const Expression& e) {
  return e.kind == Kind::kConcat ? e.parts : std::vector<Expression>{e};
}

// xy|xz becomes x(y|z), and yx|zx becomes (y|z)x; true if one was found.
bool FactorOut(std::vector<Expression>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      const auto left = FactorsOf(parts[i]), right = FactorsOf(parts[j]);
      const auto shorter = static_cast<std::ptrdiff_t>(std::min(left.size(), right.size()));
      const auto first = std::mismatch(left.begin(), left.begin() + shorter, right.begin()).first;
      const auto same = first - left.begin();
      if (same > 0) {
        std::vector<Expression> product(left.begin(), first);
        product.push_back(
            Union({Concat({first, left.end()}), Concat({right.begin() + same, right.end()})}));
        parts[i] = Concat(std::move(product));
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
      const auto last = std::mismatch(left.rbegin(), left.rbegin() + shorter, right.rbegin()).first;
      const auto tail = last - left.rbegin();
      if (tail > 0) {
        std::vector<Expression> product{Union({Concat({left.begin(), left.end() - tail}),
                                               Concat({right.begin(), right.end() - tail})})};
        product.insert(product.end(), left.end() - tail, left.end());
        parts[i] = Concat(std::move(product));
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
    }
  }
  return false;
}

Expression Union(std::vector<Expression> alternatives) {
  std::vector<Expression> parts;
  unsigned letters = 0;
  bool has_empty_string = false;
  const auto add = [&](Expression e) {
    if (e.kind == Kind::kOptional) {
      has_empty_string = true;
      Expression inner = std::move(e.parts[0]);
      e = std::move(inner);
    }
    if (e.kind == Kind::kLetters) {
      letters |= e.letters;
    } else if (e.kind == Kind::kEmptyString) {
      has_empty_string = true;
    } else if (e.kind != Kind::kNothing &&
               std::find(parts.begin(), parts.end(), e) == parts.end()) {
      parts.push_back(std::move(e));
    }
  };
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    Expression& e = alternatives[i];
    Expression inner;
    Expression* of = &e;
    if (e.kind == Kind::kOptional && e.parts[0].kind == Kind::kUnion) {
      has_empty_string = true;
      inner = std::move(e.parts[0]);
      of = &inner;
    }
    if (of->kind == Kind::kUnion) {
      for (Expression& part : of->parts) add(std::move(part));
    } else {
      add(std::move(*of));
    }
  }
  if (letters != 0) parts.insert(parts.begin(), Letters(letters));
  while (FactorOut(parts)) {
  }
  Expression result = Nothing();
  if (parts.size() == 1) result = std::move(parts[0]);
  if (parts.size() > 1) result = {.kind = Kind::kUnion, .parts = std::move(parts)};
  return has_empty_string ? Optional(std::move(result)) : result;
}

// ---- As text

enum Precedence { kOfUnion, kOfConcat, kOfRepeat };

void Write(const Expression& e, Precedence around, std::string& text) {
  const auto in_brackets = [&](Precedence own, auto write) {
    if (own < around) text += '(';
    write();
    if (own < around) text += ')';
  };
  switch (e.kind) {
    case Kind::kNothing:
      text += "[]";
      return;
    case Kind::kEmptyString:
      text += "()";
      return;
    case Kind::kLetters:
      text += e.letters == 1 ? "a" : e.letters == 2 ? "b" : ".";
      return;
    case Kind::kConcat:
      return in_brackets(kOfConcat, [&] {
        for (const Expression& part : e.parts) Write(part, kOfConcat, text);
      });
    case Kind::kUnion:
      return in_brackets(kOfUnion, [&] {
        for (std::size_t i = 0; i < e.parts.size(); ++i) {
          if (i > 0) text += '|';
          Write(e.parts[i], kOfUnion, text);
        }
      });
    case Kind::kStar:
    case Kind::kPlus:
    case Kind::kOptional:
      Write(e.parts[0], kOfRepeat, text);
      text += e.kind == Kind::kStar ? '*' : e.kind == Kind::kPlus ? '+' : '?';
      return;
  }
}

std::string TextOf(const Expression& e) {
  std::string text;
  Write(e, kOfUnion, text);
  return text;
}

// ---- Equality with a DFA

constexpr std::size_t kMostPositions = 128;
using Positions = std::bitset<kMostPositions>;

// Glushkov's automaton: a state per letter that the pattern mentions.
class PositionAutomaton {
 public:
  // Requires: at most kMostPositions letters.
  explicit PositionAutomaton(const Expression& e) {
    const Ends ends = Add(e);
    first_ = ends.first;
    last_ = ends.last;
    nullable_ = ends.nullable;
  }

  // Is the language of the pattern that of the complete DFA? Both are run side by side on all
  // strings; `most_pairs` bounds how many pairs of states are met before the answer is no.
  bool HasLanguageOf(const Dfa& dfa, std::size_t most_pairs) const {
    struct Pair {
      Positions positions;
      StateId q;
    };
    if (nullable_ != dfa.IsAccepting(dfa.start())) return false;
    std::vector<Pair> pairs;
    const auto is_right = [&](const Positions& positions, StateId q) {
      return (positions & last_).any() == dfa.IsAccepting(q);
    };
    const auto add = [&](const Positions& positions, StateId q) {
      const bool known = std::any_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
        return pair.q == q && pair.positions == positions;
      });
      if (!known) pairs.push_back({positions, q});
      return known || is_right(positions, q);
    };
    for (const auto& [a, q] : dfa.TransitionsFrom(dfa.start())) {
      if (!add(first_ & reading_[Index(a)], q)) return false;
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (pairs.size() > most_pairs) return false;
      Positions next;
      for (std::size_t p = 0; p < follow_.size(); ++p) {
        if (pairs[i].positions[p]) next |= follow_[p];
      }
      for (const auto& [a, q] : dfa.TransitionsFrom(pairs[i].q)) {
        if (!add(next & reading_[Index(a)], q)) return false;
      }
    }
    return true;
  }

 private:
  struct Ends {
    Positions first, last;
    bool nullable = false;
  };

  void Connect(const Positions& from, const Positions& to) {
    for (std::size_t p = 0; p < follow_.size(); ++p) {
      if (from[p]) follow_[p] |= to;
    }
  }

  Ends Add(const Expression& e) {
    switch (e.kind) {
      case Kind::kNothing:
        return {};
      case Kind::kEmptyString:
        return {{}, {}, true};
      case Kind::kLetters: {
        const std::size_t p = follow_.size();
        follow_.emplace_back();
        for (std::size_t a = 0; a < reading_.size(); ++a) reading_[a][p] = ((e.letters >> a) & 1);
        Ends ends;
        ends.first[p] = ends.last[p] = true;
        return ends;
      }
      case Kind::kConcat: {
        Ends ends{{}, {}, true};
        for (const Expression& part : e.parts) {
          const Ends next = Add(part);
          Connect(ends.last, next.first);
          if (ends.nullable) ends.first |= next.first;
          ends.last = next.nullable ? ends.last | next.last : next.last;
          ends.nullable = ends.nullable && next.nullable;
        }
        return ends;
      }
      case Kind::kUnion: {
        Ends ends;
        for (const Expression& part : e.parts) {
          const Ends other = Add(part);
          ends.first |= other.first;
          ends.last |= other.last;
          ends.nullable = ends.nullable || other.nullable;
        }
        return ends;
      }
      case Kind::kStar:
      case Kind::kPlus:
      case Kind::kOptional: {
        Ends ends = Add(e.parts[0]);
        if (e.kind != Kind::kOptional) Connect(ends.last, ends.first);
        ends.nullable = ends.nullable || e.kind != Kind::kPlus;
        return ends;
      }
    }
    __builtin_unreachable();
  }

  std::vector<Positions> follow_;
  std::array<Positions, 2> reading_;  // the positions of each letter
  Positions first_, last_;
  bool nullable_ = false;
};

std::size_t CountLetters(const Expression& e) {
  std::size_t count = e.kind == Kind::kLetters ? 1 : 0;
  for (const Expression& part : e.parts) count += CountLetters(part);
  return count;
}

bool HasLanguageOf(const Expression& e, const Dfa& dfa) {
  constexpr std::size_t kMostPairs = 200;
  if (CountLetters(e) > kMostPositions) return false;
  return PositionAutomaton(e).HasLanguageOf(dfa, kMostPairs);
}

// ---- Shorter patterns

// The expression made again by the functions above, which see what a change has made possible.
Expression Remade(const Expression& e) {
  std::vector<Expression> parts;
  for (const Expression& part : e.parts) parts.push_back(Remade(part));
  switch (e.kind) {
    case Kind::kConcat:
      return Concat(std::move(parts));
    case Kind::kUnion:
      return Union(std::move(parts));
    case Kind::kStar:
      return Star(std::move(parts[0]));
    case Kind::kPlus:
      return Plus(std::move(parts[0]));
    case Kind::kOptional:
      return Optional(std::move(parts[0]));
    default:
      return e;
  }
}

// What may stand for one node of a tree.
std::vector<Expression> ReplacementsOf(const Expression& e) {
  std::vector<Expression> replacements;
  if (e.kind == Kind::kLetters) {
    if (e.letters != 3) replacements.push_back(Letters(3));
    return replacements;
  }
  if (e.kind != Kind::kEmptyString) replacements.push_back(EmptyString());
  if (!(e == Star(Letters(3)))) replacements.push_back(Star(Letters(3)));
  for (std::size_t i = 0; i < e.parts.size(); ++i) replacements.push_back(e.parts[i]);
  if (e.kind == Kind::kConcat || e.kind == Kind::kUnion) {
    for (std::size_t i = 0; e.parts.size() > 2 && i < e.parts.size(); ++i) {
      Expression without = e;
      without.parts.erase(without.parts.begin() + static_cast<std::ptrdiff_t>(i));
      replacements.push_back(std::move(without));
    }
  }
  if (e.kind == Kind::kPlus || e.kind == Kind::kOptional) replacements.push_back(Star(e.parts[0]));
  if (e.kind == Kind::kStar) {
    replacements.push_back(Optional(e.parts[0]));
    replacements.push_back(Plus(e.parts[0]));
  }
  return replacements;
}

// Calls use(whole) for every tree that differs from the root in one node; stops when it returns
// true.
template <class Use>
bool ForEachChange(Expression& root, Expression& node, Use use) {
  for (Expression& replacement : ReplacementsOf(node)) {
    std::swap(node, replacement);
    const bool is_enough = use(Remade(root));
    std::swap(node, replacement);
    if (is_enough) return true;
  }
  for (Expression& part : node.parts) {
    if (ForEachChange(root, part, use)) return true;
  }
  return false;
}

// Returns how hard a text is to read: its length, then how many stars it has and how few dots, as
// "." is wider than "a".
std::size_t CostOf(const std::string& text) {
  const auto count = [&](char c) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
  };
  return 2 * text.size() * (text.size() + 1) + count('*') + text.size() - count('.');
}

// Changes one node at a time as long as that becomes easier to read and the language stays.
Expression Shortened(Expression e, const Dfa& dfa) {
  std::size_t cost = CostOf(TextOf(e));
  for (bool changed = true; changed;) {
    Expression better;
    changed = ForEachChange(e, e, [&](Expression other) {
      const std::size_t other_cost = CostOf(TextOf(other));
      if (other_cost >= cost || !HasLanguageOf(other, dfa)) return false;
      cost = other_cost;
      better = std::move(other);
      return true;
    });
    if (changed) e = std::move(better);
  }
  return e;
}

// The language by removing the states in this order.
Expression Eliminate(const Dfa& dfa, const std::vector<std::size_t>& order) {
  const std::size_t n = dfa.num_states(), start = n, end = n + 1;
  std::vector<std::vector<Expression>> way(n + 2, std::vector<Expression>(n + 2));
  way[start][Index(dfa.start())] = EmptyString();
  for (std::size_t q = 0; q < n; ++q) {
    if (dfa.IsAccepting(StateAt(q))) way[q][end] = EmptyString();
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      way[q][Index(r)] = Union({std::move(way[q][Index(r)]), Letters(1u << Index(a))});
    }
  }
  std::vector<bool> gone(n + 2, false);
  for (const std::size_t q : order) {
    gone[q] = true;
    const Expression loop = Star(way[q][q]);
    for (std::size_t from = 0; from < n + 2; ++from) {
      if (gone[from] || way[from][q].kind == Kind::kNothing) continue;
      for (std::size_t to = 0; to < n + 2; ++to) {
        if (gone[to] || way[q][to].kind == Kind::kNothing) continue;
        way[from][to] = Union({std::move(way[from][to]), Concat({way[from][q], loop, way[q][to]})});
      }
    }
  }
  return way[start][end];
}

// The shortest that is found for the language of a complete DFA.
std::string ShortestOf(const Dfa& dfa) {
  constexpr std::size_t kMostCandidates = 3;  // the shortest of all orders are worked on
  std::vector<std::size_t> order(dfa.num_states());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::pair<std::string, Expression>> found;
  do {
    Expression e = Eliminate(dfa, order);
    std::string text = TextOf(e);
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const auto& other) { return other.first == text; });
    if (!known) found.emplace_back(std::move(text), std::move(e));
  } while (std::next_permutation(order.begin(), order.end()));
  const auto is_easier = [](const std::string& x, const std::string& y) {
    return std::pair(CostOf(x), x) < std::pair(CostOf(y), y);
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& x, const auto& y) { return is_easier(x.first, y.first); });
  std::string best = found[0].first;
  for (std::size_t i = 0; i < std::min(found.size(), kMostCandidates); ++i) {
    std::string text = TextOf(Shortened(std::move(found[i].second), dfa));
    if (is_easier(text, best)) best = std::move(text);
  }
  return best;
}

}  // namespace

std::string PatternOf(const SmallLanguage& language) {
  const Dfa dfa = MakeSmallDfa(language);
  DfaBuilder complement(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    complement.AddState(!dfa.IsAccepting(StateAt(q)));
  }
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      complement.AddTransition(StateAt(q), a, r);
    }
  }
  const std::string pattern = ShortestOf(dfa);
  const std::string others = ShortestOf(std::move(complement).Build(dfa.start()));
  constexpr std::size_t kBrackets = 3;  // "~()"
  return others.size() + kBrackets < pattern.size() ? "~(" + others + ")" : pattern;
}

}  // namespace flare
