#include "flare/grammars/useful.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/base/error.h"

namespace flare {

std::vector<Grammar::Rule> UsefulRules(const Grammar& grammar, const std::string& where) {
  std::vector<bool> productive(grammar.nonterminals.size(), false), reachable = productive;
  const auto derives = [&](const Grammar::Rule& rule) {
    return std::all_of(rule.body.begin(), rule.body.end(), [&](GrammarSymbol x) {
      return grammar.IsTerminal(x) || productive[grammar.NonterminalIndex(x)];
    });
  };
  UntilNothingChanges(grammar.rules.size(), [&](std::size_t r) {
    const Grammar::Rule& rule = grammar.rules[r];
    if (productive[rule.head] || !derives(rule)) return false;
    return static_cast<bool>(productive[rule.head] = true);
  });
  if (!productive[grammar.start]) {
    throw InputError(where, fmt::format("the language is empty: no string can be derived from {}",
                                        grammar.nonterminals[grammar.start]));
  }
  reachable[grammar.start] = true;
  UntilNothingChanges(grammar.rules.size(), [&](std::size_t r) {
    const Grammar::Rule& rule = grammar.rules[r];
    if (!reachable[rule.head] || !derives(rule)) return false;
    bool changed = false;
    for (const GrammarSymbol x : rule.body) {
      if (grammar.IsTerminal(x) || reachable[grammar.NonterminalIndex(x)]) continue;
      changed = reachable[grammar.NonterminalIndex(x)] = true;
    }
    return changed;
  });
  std::vector<Grammar::Rule> useful;
  for (const Grammar::Rule& rule : grammar.rules) {
    if (reachable[rule.head] && derives(rule)) useful.push_back(rule);
  }
  return useful;
}

}  // namespace flare
