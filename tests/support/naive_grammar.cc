#include "support/naive_grammar.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace flare::naive {
namespace {

String Concatenation(const String& a, const String& b) {
  String both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

// The least sets that the rules ask for, of what keep() leaves of a string; nothing: not kept.
template <class Keep>
std::set<String> LeastFixedPoint(const Grammar& grammar, Keep keep) {
  std::vector<std::set<String>> strings(grammar.nonterminals.size());
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Grammar::Rule& rule : grammar.rules) {
      std::set<String> derived = {String{}};
      for (const GrammarSymbol x : rule.body) {
        const std::set<String> next = grammar.IsTerminal(x) ? std::set<String>{{SymbolAt(Index(x))}}
                                                            : strings[grammar.NonterminalIndex(x)];
        std::set<String> longer;
        for (const String& u : derived) {
          for (const String& v : next) {
            if (const auto kept = keep(Concatenation(u, v))) longer.insert(*kept);
          }
        }
        derived = longer;
      }
      for (const String& w : derived) changed |= strings[rule.head].insert(w).second;
    }
  }
  return strings[grammar.start];
}

}  // namespace

std::set<String> StringsOf(const Grammar& grammar, std::size_t longest) {
  return LeastFixedPoint(grammar, [longest](const String& w) {
    return w.size() <= longest ? std::optional<String>(w) : std::nullopt;
  });
}

// What follows the first `longest` symbols changes nothing in them.
std::set<String> PrefixesOf(const Grammar& grammar, std::size_t longest) {
  return LeastFixedPoint(grammar, [longest](String w) {
    w.resize(std::min(w.size(), longest));
    return std::optional<String>(w);
  });
}

std::map<String, double> WeightsOf(const Grammar& grammar, std::size_t longest, int depth) {
  std::vector<std::map<String, double>> weights(grammar.nonterminals.size());
  for (int level = 0; level < depth; ++level) {
    std::vector<std::map<String, double>> next(weights.size());
    for (const Grammar::Rule& rule : grammar.rules) {
      std::map<String, double> derived = {{String{}, rule.weight}};
      for (const GrammarSymbol x : rule.body) {
        const std::map<String, double> part =
            grammar.IsTerminal(x) ? std::map<String, double>{{{SymbolAt(Index(x))}, 1.0}}
                                  : weights[grammar.NonterminalIndex(x)];
        std::map<String, double> longer;
        for (const auto& [u, p] : derived) {
          for (const auto& [v, q] : part) {
            if (u.size() + v.size() <= longest) longer[Concatenation(u, v)] += p * q;
          }
        }
        derived = longer;
      }
      for (const auto& [w, p] : derived) next[rule.head][w] += p;
    }
    weights = next;
  }
  return weights[grammar.start];
}

std::string RandomGrammarText(Rng& rng) {
  const std::size_t nonterminals = 1 + rng.UniformInt(4);
  const auto name = [](std::size_t a) { return std::string(1, static_cast<char>('A' + a)); };
  std::string text;
  for (std::size_t a = 0; a < nonterminals; ++a) {
    text += name(a) + " ->";
    const std::size_t alternatives = 1 + rng.UniformInt(4);
    const bool weighted = rng.Bit();
    for (std::size_t i = 0; i < alternatives; ++i) {
      if (i > 0) text += " |";
      const std::size_t length = rng.UniformInt(5);
      for (std::size_t k = 0; k < length; ++k) {
        text += rng.UniformInt(2) == 0 ? (rng.Bit() ? " 'a'" : " 'b'")
                                       : " " + name(rng.UniformInt(nonterminals));
      }
      const double weight = i + 1 < alternatives ? std::ldexp(1.0, -static_cast<int>(i) - 1)
                                                 : std::ldexp(1.0, -static_cast<int>(i));
      if (weighted) text += " [" + std::to_string(weight) + "]";
    }
    text += "\n";
  }
  return text;
}

std::size_t Levenshtein(StringView a, StringView b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
      } else {
        d[i][j] = std::min(
            {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace flare::naive
