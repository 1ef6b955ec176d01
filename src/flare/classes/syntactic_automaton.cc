#include "flare/classes/syntactic_automaton.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "flare/automata/operations.h"
#include "flare/base/error.h"

namespace flare::classes {
namespace {

// Breadth first from `start`, letters in order, until `is_goal`: the word to the first goal met.
template <class Next, class IsGoal>
std::optional<Word> ShortestWord(std::size_t num_letters, std::size_t start, Next next,
                                 IsGoal is_goal) {
  struct Arrival {
    std::size_t from;
    Letter letter;
  };
  std::unordered_set<std::size_t> seen{start};
  std::vector<std::size_t> order{start};
  std::vector<Arrival> arrivals{{0, 0}};  // by place in `order`
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (is_goal(order[i])) {
      Word word;
      for (std::size_t j = i; j != 0; j = arrivals[j].from) word.push_back(arrivals[j].letter);
      std::reverse(word.begin(), word.end());
      return word;
    }
    for (Letter a = 0; a < num_letters; ++a) {
      const std::size_t to = next(order[i], a);
      if (!seen.insert(to).second) continue;
      order.push_back(to);
      arrivals.push_back({i, a});
    }
  }
  return std::nullopt;
}

}  // namespace

SyntacticAutomaton::SyntacticAutomaton(const Dfa& dfa) : alphabet_(dfa.alphabet()) {
  const Dfa trim = Minimize(dfa);
  const std::size_t width = alphabet_.size();
  const std::size_t live = IsEmpty(trim) ? 0 : trim.num_states();
  const bool needs_sink = trim.num_transitions() < live * width || live == 0;
  const std::size_t n = live + (needs_sink ? 1 : 0);
  if (n * width > kLargestTable) {
    throw InputError("",
                     fmt::format("its minimal complete automaton has {} states over {} symbols; "
                                 "at most {} transitions are looked at",
                                 n, width, kLargestTable));
  }
  const auto sink = static_cast<State>(live);
  start_ = static_cast<State>(Index(trim.start()));
  accepting_.assign(n, 0);
  std::vector<std::vector<State>> columns(width, std::vector<State>(n, sink));
  for (std::size_t q = 0; q < live; ++q) {
    accepting_[q] = trim.IsAccepting(StateAt(q)) ? 1 : 0;
    for (const auto& [a, r] : trim.TransitionsFrom(StateAt(q))) {
      columns[Index(a)][q] = static_cast<State>(Index(r));
    }
  }
  std::map<std::vector<State>, Letter> letters;
  for (std::size_t a = 0; a < width; ++a) {
    const auto [entry, is_new] =
        letters.try_emplace(columns[a], static_cast<Letter>(symbols_.size()));
    if (is_new) {
      symbols_.push_back(SymbolAt(a));
      alike_.emplace_back();
    }
    alike_[entry->second].push_back(SymbolAt(a));
  }
  next_.resize(n * num_letters());
  for (Letter a = 0; a < num_letters(); ++a) {
    for (std::size_t q = 0; q < n; ++q)
      next_[q * num_letters() + a] = columns[Index(symbols_[a])][q];
  }
  FindSinkAndNeutral();
}

void SyntacticAutomaton::FindSinkAndNeutral() {
  const auto live = CanReach(true);
  const auto dead = std::find(live.begin(), live.end(), 0);
  sink_.reset();
  if (dead != live.end()) sink_ = static_cast<State>(dead - live.begin());
  neutral_.assign(num_letters(), 1);
  for (State q = 0; q < num_states(); ++q) {
    for (Letter a = 0; a < num_letters(); ++a) {
      if (Next(q, a) != q) neutral_[a] = 0;
    }
  }
}

State SyntacticAutomaton::Run(State q, const Word& w) const {
  for (const Letter a : w) q = Next(q, a);
  return q;
}

String SyntacticAutomaton::Spell(const Word& w) const {
  String spelt;
  for (const Letter a : w) spelt.push_back(symbols_[a]);
  return spelt;
}

Letter SyntacticAutomaton::LetterOf(Symbol a) const {
  const auto found = std::find_if(alike_.begin(), alike_.end(), [&](const auto& symbols) {
    return std::find(symbols.begin(), symbols.end(), a) != symbols.end();
  });
  FLARE_CHECK(found != alike_.end());
  return static_cast<Letter>(found - alike_.begin());
}

bool SyntacticAutomaton::HasNeutral() const {
  return std::find(neutral_.begin(), neutral_.end(), 1) != neutral_.end();
}

std::vector<Symbol> SyntacticAutomaton::Tier() const {
  std::vector<Symbol> tier;
  for (Letter a = 0; a < num_letters(); ++a) {
    if (!IsNeutral(a)) tier.insert(tier.end(), alike_[a].begin(), alike_[a].end());
  }
  std::sort(tier.begin(), tier.end());
  return tier;
}

SyntacticAutomaton SyntacticAutomaton::OnTier() const {
  SyntacticAutomaton tier(alphabet_, start_);
  tier.accepting_ = accepting_;
  std::vector<Letter> kept;
  for (Letter a = 0; a < num_letters(); ++a) {
    if (IsNeutral(a)) continue;
    kept.push_back(a);
    tier.symbols_.push_back(symbols_[a]);
    tier.alike_.push_back(alike_[a]);
  }
  for (State q = 0; q < num_states(); ++q) {
    for (const Letter a : kept) tier.next_.push_back(Next(q, a));
  }
  tier.FindSinkAndNeutral();
  return tier;
}

SyntacticAutomaton SyntacticAutomaton::Complement() const {
  SyntacticAutomaton complement = *this;
  for (auto& accepts : complement.accepting_) accepts = accepts != 0 ? 0 : 1;
  complement.FindSinkAndNeutral();
  return complement;
}

SyntacticAutomaton SyntacticAutomaton::Before(Letter a) const {
  DfaBuilder builder(alphabet_);
  for (State q = 0; q < num_states(); ++q) builder.AddState(IsAccepting(Next(q, a)));
  for (State q = 0; q < num_states(); ++q) {
    for (Letter b = 0; b < num_letters(); ++b) {
      for (const Symbol symbol : alike_[b]) {
        builder.AddTransition(StateAt(q), symbol, StateAt(Next(q, b)));
      }
    }
  }
  return SyntacticAutomaton(std::move(builder).Build(StateAt(start_)));
}

std::vector<std::uint8_t> SyntacticAutomaton::CanReach(bool accepting) const {
  const std::size_t n = num_states();
  std::vector<std::size_t> first(n + 1, 0);
  for (const State r : next_) ++first[r + 1];
  for (std::size_t q = 0; q < n; ++q) first[q + 1] += first[q];
  std::vector<State> sources(next_.size());
  std::vector<std::size_t> place(first.begin(), first.end() - 1);
  for (State q = 0; q < n; ++q) {
    for (Letter a = 0; a < num_letters(); ++a) sources[place[Next(q, a)]++] = q;
  }
  std::vector<std::uint8_t> reaches(n, 0);
  std::vector<State> stack;
  const auto visit = [&](State q) {
    if (reaches[q] != 0) return;
    reaches[q] = 1;
    stack.push_back(q);
  };
  for (State q = 0; q < n; ++q) {
    if (IsAccepting(q) == accepting) visit(q);
  }
  while (!stack.empty()) {
    const State r = stack.back();
    stack.pop_back();
    for (std::size_t i = first[r]; i < first[r + 1]; ++i) visit(sources[i]);
  }
  return reaches;
}

std::optional<Word> SyntacticAutomaton::Path(State p, State q) const {
  return ShortestWord(
      num_letters(), p, [&](std::size_t r, Letter a) { return Next(static_cast<State>(r), a); },
      [&](std::size_t r) { return r == q; });
}

std::optional<Word> SyntacticAutomaton::PathToOutcome(State p, bool accepting) const {
  return ShortestWord(
      num_letters(), p, [&](std::size_t r, Letter a) { return Next(static_cast<State>(r), a); },
      [&](std::size_t r) { return IsAccepting(static_cast<State>(r)) == accepting; });
}

Word SyntacticAutomaton::Separate(State p, State q) const {
  const std::size_t n = num_states();
  const auto word = ShortestWord(
      num_letters(), p * n + q,
      [&](std::size_t pair, Letter a) {
        return Next(static_cast<State>(pair / n), a) * n + Next(static_cast<State>(pair % n), a);
      },
      [&](std::size_t pair) {
        return IsAccepting(static_cast<State>(pair / n)) !=
               IsAccepting(static_cast<State>(pair % n));
      });
  FLARE_CHECK(word.has_value());
  return *word;
}

}  // namespace flare::classes
