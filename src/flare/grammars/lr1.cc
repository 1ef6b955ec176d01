#include "flare/grammars/lr1.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "flare/grammars/useful.h"

namespace flare {
namespace {

// Items of all states; about a second.
constexpr std::size_t kMostLrItems = 200'000;

// A set of terminals and the end of the string, which has the number |Σ|.
using Lookahead = std::vector<bool>;

// Adds `more` to `set`; true if that changed it.
bool Unite(const Lookahead& more, Lookahead& set) {
  bool changed = false;
  for (std::size_t a = 0; a < set.size(); ++a) {
    if (!more[a] || set[a]) continue;
    changed = set[a] = true;
  }
  return changed;
}

bool Intersect(const Lookahead& a, const Lookahead& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] && b[i]) return true;
  }
  return false;
}

// A rule with a dot in its body, and what may follow the rule.
struct LrItem {
  std::size_t rule, dot;
  auto operator<=>(const LrItem&) const = default;
};
using LrState = std::map<LrItem, Lookahead>;

class LrAutomaton {
 public:
  explicit LrAutomaton(const Grammar& grammar)
      : grammar_(grammar), rules_(UsefulRules(grammar, "")) {
    // S′ → S, so that the start is reduced once.
    rules_.push_back({grammar.nonterminals.size(), {grammar.Nonterminal(grammar.start)}, 1});
    rules_of_.resize(grammar.nonterminals.size() + 1);
    for (std::size_t r = 0; r < rules_.size(); ++r) rules_of_[rules_[r].head].push_back(r);
    FindFirst();
  }

  bool HasNoConflicts() {
    Lookahead end = Nothing();
    end.back() = true;
    std::map<LrState, bool> known;  // kernels
    std::vector<LrState> open;
    const auto add = [&](LrState kernel) {
      if (known.try_emplace(kernel, true).second) open.push_back(std::move(kernel));
    };
    add({{{rules_.size() - 1, 0}, end}});
    std::size_t items = 0;
    while (!open.empty()) {
      LrState state = std::move(open.back());
      open.pop_back();
      Close(state);
      items += state.size();
      if (items > kMostLrItems || HasConflict(state)) return false;
      std::map<GrammarSymbol, LrState> next;
      for (const auto& [item, lookahead] : state) {
        if (!IsComplete(item)) next[AfterDot(item)][{item.rule, item.dot + 1}] = lookahead;
      }
      for (auto& [symbol, kernel] : next) add(std::move(kernel));
    }
    return true;
  }

 private:
  Lookahead Nothing() const { return Lookahead(grammar_.alphabet.size() + 1, false); }
  bool IsComplete(const LrItem& item) const { return item.dot == rules_[item.rule].body.size(); }
  GrammarSymbol AfterDot(const LrItem& item) const { return rules_[item.rule].body[item.dot]; }

  // What the strings of a body from `begin` on begin with, or `follow` where they may be empty.
  Lookahead FirstOf(const std::vector<GrammarSymbol>& body, std::size_t begin,
                    const Lookahead& follow) const {
    Lookahead first = Nothing();
    for (std::size_t i = begin; i < body.size(); ++i) {
      if (grammar_.IsTerminal(body[i])) {
        first[Index(body[i])] = true;
        return first;
      }
      const std::size_t a = grammar_.NonterminalIndex(body[i]);
      Unite(first_[a], first);
      if (!nullable_[a]) return first;
    }
    Unite(follow, first);
    return first;
  }

  void FindFirst() {
    first_.assign(rules_of_.size(), Nothing());
    nullable_.assign(rules_of_.size(), false);
    // The mark of the end stands for "may be empty" here.
    Lookahead empty = Nothing();
    empty.back() = true;
    UntilNothingChanges(rules_.size(), [&](std::size_t r) {
      Lookahead first = FirstOf(rules_[r].body, 0, empty);
      const bool vanishes = first.back();
      first.back() = false;
      bool changed = Unite(first, first_[rules_[r].head]);
      if (vanishes && !nullable_[rules_[r].head]) changed = nullable_[rules_[r].head] = true;
      return changed;
    });
  }

  // Adds B → •γ for every item A → α•Bβ.
  void Close(LrState& state) const {
    std::vector<LrItem> open;
    for (const auto& [item, lookahead] : state) open.push_back(item);
    while (!open.empty()) {
      const LrItem item = open.back();
      open.pop_back();
      if (IsComplete(item) || grammar_.IsTerminal(AfterDot(item))) continue;
      const Lookahead follow = FirstOf(rules_[item.rule].body, item.dot + 1, state.at(item));
      for (const std::size_t r : rules_of_[grammar_.NonterminalIndex(AfterDot(item))]) {
        const auto [added, is_new] = state.try_emplace({r, 0}, Nothing());
        if (Unite(follow, added->second) || is_new) open.push_back({r, 0});
      }
    }
  }

  bool HasConflict(const LrState& state) const {
    Lookahead taken = Nothing();
    for (const auto& [item, lookahead] : state) {
      if (!IsComplete(item) && grammar_.IsTerminal(AfterDot(item))) {
        taken[Index(AfterDot(item))] = true;
      }
    }
    for (const auto& [item, lookahead] : state) {
      if (!IsComplete(item)) continue;
      if (Intersect(lookahead, taken)) return true;
      Unite(lookahead, taken);
    }
    return false;
  }

  const Grammar& grammar_;
  std::vector<Grammar::Rule> rules_;
  std::vector<std::vector<std::size_t>> rules_of_;
  std::vector<Lookahead> first_;
  std::vector<bool> nullable_;
};

}  // namespace

bool IsLr1(const Grammar& grammar) { return LrAutomaton(grammar).HasNoConflicts(); }

}  // namespace flare
