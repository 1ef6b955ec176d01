#include "flare/grammars/normal_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "flare/base/error.h"
#include "flare/grammars/grammar.h"
#include "flare/grammars/weight_sums.h"

namespace flare {
namespace {

// Below this, products of weights would leave the range of double.
constexpr double kLeastWeight = 1e-290;

// Rules with at most two symbols. Binarizing comes before ε is removed: a body of k symbols that
// may vanish would otherwise become 2^k.
class BinaryGrammar {
 public:
  BinaryGrammar(const Grammar& grammar, const std::vector<Grammar::Rule>& rules)
      : num_terminals_(grammar.alphabet.size()), rules_of_(grammar.nonterminals.size()) {
    for (const Grammar::Rule& rule : rules) {
      std::vector<GrammarSymbol> body = rule.body;
      while (body.size() > 2) {
        const GrammarSymbol rest = TailOf(body[body.size() - 2], body.back());
        body.pop_back();
        body.back() = rest;
      }
      rules_of_[rule.head].push_back({rule.weight, std::move(body)});
    }
  }

  struct Rule {
    double weight;
    std::vector<GrammarSymbol> body;
  };
  std::size_t size() const { return rules_of_.size(); }
  const std::vector<Rule>& RulesOf(std::size_t nonterminal) const { return rules_of_[nonterminal]; }
  bool IsTerminal(GrammarSymbol x) const { return Index(x) < num_terminals_; }
  std::size_t NonterminalIndex(GrammarSymbol x) const { return Index(x) - num_terminals_; }
  GrammarSymbol Nonterminal(std::size_t index) const {
    return GrammarSymbolAt(num_terminals_ + index);
  }

 private:
  // A nonterminal for two symbols at the end of a body; equal ends share it.
  GrammarSymbol TailOf(GrammarSymbol left, GrammarSymbol right) {
    const auto [tail, is_new] = tails_.try_emplace({left, right}, rules_of_.size());
    if (is_new) rules_of_.push_back({{1.0, {left, right}}});
    return Nonterminal(tail->second);
  }

  std::size_t num_terminals_;
  std::vector<std::vector<Rule>> rules_of_;
  std::map<std::pair<GrammarSymbol, GrammarSymbol>, std::size_t> tails_;
};

// The weight with which each nonterminal derives ε, and whether it derives anything else.
struct Emptiness {
  Emptiness(const BinaryGrammar& grammar, const std::string& where)
      : nullable(grammar.size(), false), lives(grammar.size(), false) {
    UntilNothingChanges(grammar.size(), [&](std::size_t a) {
      const bool before = nullable[a];
      for (const auto& rule : grammar.RulesOf(a)) {
        if (std::all_of(rule.body.begin(), rule.body.end(),
                        [&](GrammarSymbol x) { return IsNullable(grammar, x); })) {
          nullable[a] = true;
        }
      }
      return nullable[a] != before;
    });
    UntilNothingChanges(grammar.size(), [&](std::size_t a) {
      if (lives[a]) return false;
      for (const auto& rule : grammar.RulesOf(a)) {
        for (const GrammarSymbol x : rule.body) {
          if (Lives(grammar, x)) lives[a] = true;
        }
      }
      return static_cast<bool>(lives[a]);
    });
    std::vector<std::vector<Monomial>> equations(grammar.size());
    for (std::size_t a = 0; a < grammar.size(); ++a) {
      for (const auto& [rule_weight, body] : grammar.RulesOf(a)) {
        Monomial monomial{rule_weight, {}};
        bool vanishes = true;
        for (const GrammarSymbol x : body) {
          vanishes = vanishes && IsNullable(grammar, x);
          if (vanishes) monomial.factors.push_back(grammar.NonterminalIndex(x));
        }
        if (vanishes) equations[a].push_back(std::move(monomial));
      }
    }
    weight = LeastSolution(equations, where);
  }

  bool IsNullable(const BinaryGrammar& grammar, GrammarSymbol x) const {
    return !grammar.IsTerminal(x) && nullable[grammar.NonterminalIndex(x)];
  }
  // Every symbol of a useful grammar derives something, so it lives unless that is ε alone.
  bool Lives(const BinaryGrammar& grammar, GrammarSymbol x) const {
    return grammar.IsTerminal(x) || lives[grammar.NonterminalIndex(x)];
  }

  std::vector<bool> nullable, lives;
  std::vector<double> weight;
};

// The rules without ε of one nonterminal.
struct DirectRules {
  std::map<NormalForm::Body, double> bodies;
  std::map<Symbol, double> terminals;
};

class Normalizer {
 public:
  Normalizer(const Grammar& grammar, const std::string& where)
      : where_(where),
        binary_(grammar, UsefulRules(grammar, where)),
        emptiness_(binary_, where),
        normal_(grammar.alphabet) {
    RemoveEpsilon();
    star_ = Star(units_, where);
    normal_.has_empty = emptiness_.nullable[grammar.start];
    if (normal_.has_empty) normal_.empty_weight = Checked(emptiness_.weight[grammar.start]);
    Number(grammar.start);
    Link();
  }

  NormalForm Take() { return std::move(normal_); }

 private:
  // A → X Y becomes A → X Y, and A → X or A → Y where the other vanishes.
  void RemoveEpsilon() {
    direct_.resize(binary_.size());
    units_.resize(binary_.size());
    for (std::size_t a = 0; a < binary_.size(); ++a) {
      for (const auto& [weight, body] : binary_.RulesOf(a)) {
        if (body.size() == 1) AddSingle(a, body[0], weight);
        if (body.size() != 2) continue;
        const GrammarSymbol left = body[0], right = body[1];
        if (emptiness_.Lives(binary_, left) && emptiness_.Lives(binary_, right)) {
          direct_[a].bodies[{left, right}] += weight;
        }
        if (emptiness_.IsNullable(binary_, right)) AddSingle(a, left, weight * WeightOf(right));
        if (emptiness_.IsNullable(binary_, left)) AddSingle(a, right, weight * WeightOf(left));
      }
    }
  }
  double WeightOf(GrammarSymbol nullable) const {
    return emptiness_.weight[binary_.NonterminalIndex(nullable)];
  }
  void AddSingle(std::size_t a, GrammarSymbol x, double weight) {
    if (!emptiness_.Lives(binary_, x)) return;
    if (binary_.IsTerminal(x)) {
      direct_[a].terminals[SymbolAt(Index(x))] += weight;
    } else {
      units_[a][binary_.NonterminalIndex(x)] += weight;
    }
  }

  // The rules of A and of all that chains of unit rules lead to.
  DirectRules Close(std::size_t a) const {
    DirectRules closed;
    for (const auto& [b, chains] : star_[a]) {
      for (const auto& [body, weight] : direct_[b].bodies) closed.bodies[body] += chains * weight;
      for (const auto& [symbol, weight] : direct_[b].terminals) {
        closed.terminals[symbol] += chains * weight;
      }
    }
    return closed;
  }

  double Checked(double weight) const {
    if (weight >= kLeastWeight) return weight;
    throw InputError(where_,
                     fmt::format("its weights are too small: a product is below {}", kLeastWeight));
  }

  // Breadth-first from the start, so that only what is reached by bodies is left.
  void Number(std::size_t start) {
    std::map<std::size_t, std::size_t> numbers{{start, 0}};
    std::vector<std::size_t> order{start};
    std::map<NormalForm::Body, std::uint32_t> bodies;
    const auto renumber = [&](GrammarSymbol x) {
      if (binary_.IsTerminal(x)) return x;
      const auto [number, is_new] =
          numbers.try_emplace(binary_.NonterminalIndex(x), numbers.size());
      if (is_new) order.push_back(number->first);
      return normal_.Nonterminal(number->second);
    };
    for (std::size_t next = 0; next < order.size(); ++next) {
      const DirectRules closed = Close(order[next]);
      auto& body_rules = normal_.bodies_of.emplace_back();
      auto& terminal_rules = normal_.terminals_of.emplace_back();
      for (const auto& [body, weight] : closed.bodies) {
        const NormalForm::Body renumbered{renumber(body.left), renumber(body.right)};
        const auto [known, is_new] =
            bodies.try_emplace(renumbered, static_cast<std::uint32_t>(normal_.bodies.size()));
        if (is_new) normal_.bodies.push_back(renumbered);
        body_rules.push_back({known->second, Checked(weight)});
      }
      for (const auto& [symbol, weight] : closed.terminals) {
        terminal_rules.push_back({symbol, Checked(weight)});
      }
      normal_.num_rules += body_rules.size() + terminal_rules.size();
      if (normal_.num_rules > NormalForm::kMostRules) {
        throw InputError(where_, fmt::format("the grammar is too large: more than {} rules without "
                                             "ε and unit rules",
                                             NormalForm::kMostRules));
      }
    }
  }

  // Indexes the rules by their right sides.
  void Link() {
    normal_.heads_of_body.resize(normal_.bodies.size());
    normal_.heads_of_terminal.resize(normal_.alphabet.size());
    for (std::uint32_t a = 0; a < normal_.num_nonterminals(); ++a) {
      for (const auto& [body, weight] : normal_.bodies_of[a]) {
        normal_.heads_of_body[body].push_back({a, weight});
      }
      for (const auto& [symbol, weight] : normal_.terminals_of[a]) {
        normal_.heads_of_terminal[Index(symbol)].push_back({a, weight});
      }
    }
    normal_.left_of.resize(normal_.alphabet.size() + normal_.num_nonterminals());
    normal_.right_of.resize(normal_.left_of.size());
    for (std::uint32_t b = 0; b < normal_.bodies.size(); ++b) {
      normal_.left_of[Index(normal_.bodies[b].left)].push_back(b);
      normal_.right_of[Index(normal_.bodies[b].right)].push_back(b);
    }
  }

  const std::string& where_;
  BinaryGrammar binary_;
  Emptiness emptiness_;
  std::vector<DirectRules> direct_;
  SparseRows units_, star_;
  NormalForm normal_;
};

}  // namespace

NormalForm Normalize(const Grammar& grammar, const std::string& where) {
  return Normalizer(grammar, where).Take();
}

std::string Describe(const NormalForm& normal) {
  std::string text = fmt::format("{}\n{}\n", fmt::join(normal.alphabet.names(), " "),
                                 normal.has_empty ? normal.empty_weight : 0.0);
  for (std::size_t a = 0; a < normal.num_nonterminals(); ++a) {
    for (const auto& [body, weight] : normal.bodies_of[a]) {
      text += fmt::format("{} {} {} {}\n", a, Index(normal.bodies[body].left),
                          Index(normal.bodies[body].right), weight);
    }
    for (const auto& [symbol, weight] : normal.terminals_of[a]) {
      text += fmt::format("{} {} {}\n", a, Index(symbol), weight);
    }
  }
  return text;
}

}  // namespace flare
