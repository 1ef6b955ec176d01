// The compiler of C-RASP programs. A formula here is text; "true" and "false" are simplified away.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/classes/counting.h"

namespace flare::classes {
namespace {

using Formula = std::string;
using Potential = ComponentPotentials::Potential;

bool IsSimple(const Formula& formula) { return formula.find(' ') == std::string::npos; }

Formula Joined(std::vector<Formula> parts, const std::string& word, const Formula& unit,
               const Formula& zero) {
  if (std::find(parts.begin(), parts.end(), zero) != parts.end()) return zero;
  std::erase(parts, unit);
  if (parts.empty()) return unit;
  if (parts.size() == 1) return parts[0];
  for (Formula& part : parts) {
    if (!IsSimple(part)) part = "(" + part + ")";
  }
  return fmt::format("{}", fmt::join(parts, word));
}

Formula And(std::vector<Formula> parts) {
  return Joined(std::move(parts), " and ", "true", "false");
}
Formula Or(std::vector<Formula> parts) { return Joined(std::move(parts), " or ", "false", "true"); }

// The definitions of a program; the same text is defined once.
class Definitions {
 public:
  // The name of a formula; a name or a constant is its own.
  Formula Name(char prefix, const Formula& formula) {
    if (IsSimple(formula)) return formula;
    const auto [entry, is_new] = names_.try_emplace(formula);
    if (is_new) {
      entry->second = fmt::format("{}{}", prefix, ++numbers_[prefix]);
      lines_.push_back({entry->second, formula});
    }
    return entry->second;
  }

  // The definitions that `accept` needs, directly or not.
  std::string Program(const Formula& accept) const {
    std::set<std::string> needed;
    const auto need = [&](const Formula& formula) {
      std::string name;
      for (const char c : formula + " ") {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
          name += c;
        } else {
          needed.insert(std::exchange(name, ""));
        }
      }
    };
    need(accept);
    std::vector<std::string> kept;
    for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
      if (!needed.contains(line->first)) continue;
      need(line->second);
      kept.push_back(fmt::format("{} := {}\n", line->first, line->second));
    }
    std::reverse(kept.begin(), kept.end());
    return fmt::format("{}accept := {}\n", fmt::join(kept, ""), accept);
  }

 private:
  std::map<Formula, std::string> names_;
  std::map<char, std::size_t> numbers_;
  std::vector<std::pair<std::string, Formula>> lines_;
};

// Formulas that say, at every position and at the end mark, in which state the automaton is before
// it.
class StateCompiler {
 public:
  StateCompiler(const SyntacticAutomaton& automaton,
                const std::vector<ComponentPotentials>& components, Definitions& definitions)
      : automaton_(automaton),
        definitions_(definitions),
        scc_(StrongComponents(automaton.table(), automaton.num_states(), automaton.num_letters())),
        states_(automaton.num_states(), "false") {
    std::map<std::uint32_t, const ComponentPotentials*> large;
    for (const auto& component : components) large[scc_.of[component.states[0]]] = &component;
    std::vector<std::vector<State>> members(scc_.size.size());
    for (State q = 0; q < automaton.num_states(); ++q) members[scc_.of[q]].push_back(q);
    // No edge leads to a component of a higher number.
    for (std::size_t c = members.size(); c-- > 0;) {
      const auto found = large.find(static_cast<std::uint32_t>(c));
      Compile(members[c], found == large.end() ? nullptr : found->second);
    }
  }

  // The state is one of those that accept.
  Formula Accepting() const {
    return AnyOf([&](State q) { return automaton_.IsAccepting(q); });
  }
  // It will be after this letter.
  Formula AcceptingAfter(Letter a) const {
    return AnyOf([&](State q) { return automaton_.IsAccepting(automaton_.Next(q, a)); });
  }

  static Formula IsLetter(const SyntacticAutomaton& automaton, Letter a) {
    std::vector<Formula> symbols;
    for (const Symbol symbol : automaton.SymbolsOf(a)) {
      std::string name;
      for (const char c : automaton.alphabet().Name(symbol)) {
        if (c == '"' || c == '\\') name += '\\';
        name += c;
      }
      symbols.push_back(fmt::format("Q(\"{}\")", name));
    }
    return Or(std::move(symbols));
  }

 private:
  template <class Condition>
  Formula AnyOf(Condition condition) const {
    std::vector<Formula> formulas;
    for (State q = 0; q < automaton_.num_states(); ++q) {
      if (condition(q)) formulas.push_back(states_[q]);
    }
    return Or(std::move(formulas));
  }

  // The next symbol takes q to a state that meets the condition.
  template <class Condition>
  Formula Leads(State q, Condition condition) const {
    std::vector<Formula> letters;
    bool all = true;
    for (Letter a = 0; a < automaton_.num_letters(); ++a) {
      if (condition(automaton_.Next(q, a))) {
        letters.push_back(IsLetter(automaton_, a));
      } else {
        all = false;
      }
    }
    // Every position that is counted has a symbol.
    return all ? "true" : Or(std::move(letters));
  }

  void Compile(const std::vector<State>& members, const ComponentPotentials* potentials) {
    const std::uint32_t c = scc_.of[members[0]];
    std::vector<std::vector<Formula>> alternatives(members.size());
    for (std::size_t r = 0; r < members.size(); ++r) {
      const Formula entered = Entered(members[r]);
      if (entered == "false") continue;
      const std::vector<Formula> candidates = potentials == nullptr
                                                  ? std::vector<Formula>{"true"}
                                                  : Candidates(*potentials, r, entered);
      // The candidates are right until the run leaves, so the first time that it seems to leave is.
      std::vector<Formula> leaving;
      for (std::size_t i = 0; i < members.size(); ++i) {
        leaving.push_back(
            And({candidates[i], Leads(members[i], [&](State t) { return scc_.of[t] != c; })}));
      }
      const Formula leaves = And({entered, Or(std::move(leaving))});
      const Formula inside =
          leaves == "false" ? "true" : definitions_.Name('n', fmt::format("#[{}] = 0", leaves));
      for (std::size_t i = 0; i < members.size(); ++i) {
        alternatives[i].push_back(And({entered, inside, candidates[i]}));
      }
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      states_[members[i]] = definitions_.Name('s', Or(std::move(alternatives[i])));
    }
  }

  // The run has come to r from another component, or begun there.
  Formula Entered(State r) {
    if (r == automaton_.start()) return "true";
    std::vector<Formula> ways;
    for (State q = 0; q < automaton_.num_states(); ++q) {
      if (scc_.of[q] == scc_.of[r]) continue;
      ways.push_back(And({states_[q], Leads(q, [&](State t) { return t == r; })}));
    }
    const Formula way = Or(std::move(ways));
    return way == "false" ? way : definitions_.Name('n', fmt::format("#[{}] >= 1", way));
  }

  // For each state of the component: the run, which entered at place r, is there if it has not
  // left.
  std::vector<Formula> Candidates(const ComponentPotentials& component, std::size_t r,
                                  const Formula& entered) {
    const std::size_t size = component.states.size();
    std::vector<std::size_t> blocks(size, 0);
    std::vector<Formula> formulas{"true"};  // by block
    for (const std::vector<Potential>& round : component.rounds) {
      std::vector<Formula> sums;
      for (const Potential& p : round) {
        sums.push_back(definitions_.Name('t', Sum(component, p, blocks, formulas, entered)));
      }
      std::map<std::vector<std::int64_t>, std::size_t> names;
      std::vector<std::size_t> next_blocks;
      std::vector<Formula> next_formulas;
      for (std::size_t i = 0; i < size; ++i) {
        std::vector<std::int64_t> values{static_cast<std::int64_t>(blocks[i])};
        std::vector<Formula> tests{formulas[blocks[i]]};
        for (std::size_t j = 0; j < round.size(); ++j) {
          values.push_back(round[j][i] - round[j][r]);
          tests.push_back(definitions_.Name('c', fmt::format("{} = {}", sums[j], values.back())));
        }
        const auto [name, is_new] = names.try_emplace(values, names.size());
        if (is_new) next_formulas.push_back(definitions_.Name('k', And(std::move(tests))));
        next_blocks.push_back(name->second);
      }
      blocks = std::move(next_blocks);
      formulas = std::move(next_formulas);
    }
    FLARE_CHECK(formulas.size() == size);
    std::vector<Formula> candidates;
    for (std::size_t i = 0; i < size; ++i) candidates.push_back(formulas[blocks[i]]);
    return candidates;
  }

  // The count of labels since the component was entered, weighted by the steps of the potential.
  Formula Sum(const ComponentPotentials& component, const Potential& p,
              const std::vector<std::size_t>& blocks, const std::vector<Formula>& formulas,
              const Formula& entered) const {
    std::map<State, std::size_t> places;
    for (std::size_t i = 0; i < p.size(); ++i) places[component.states[i]] = i;
    // The letters by step and block.
    std::map<std::int64_t, std::map<std::size_t, std::set<Letter>>> labels;
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (Letter a = 0; a < automaton_.num_letters(); ++a) {
        const auto to = places.find(automaton_.Next(component.states[i], a));
        if (to == places.end() || p[to->second] == p[i]) continue;
        labels[p[to->second] - p[i]][blocks[i]].insert(a);
      }
    }
    Formula sum;
    for (auto step = labels.rbegin(); step != labels.rend(); ++step) {
      std::vector<Formula> counted;
      for (const auto& [block, letters] : step->second) {
        std::vector<Formula> any;
        for (const Letter a : letters) any.push_back(IsLetter(automaton_, a));
        counted.push_back(And({formulas[block], Or(std::move(any))}));
      }
      const std::int64_t weight = step->first;
      sum += sum.empty() ? (weight < 0 ? "- " : "") : (weight < 0 ? " - " : " + ");
      if (weight != 1 && weight != -1) sum += fmt::format("{} ", weight < 0 ? -weight : weight);
      sum += fmt::format("#[{}]", And({entered, Or(std::move(counted))}));
    }
    return sum;
  }

  const SyntacticAutomaton& automaton_;
  Definitions& definitions_;
  Components scc_;
  std::vector<Formula> states_;
};

}  // namespace

std::string CountingProgram(const SyntacticAutomaton& automaton, const CountingProof& proof,
                            ReadOut read_out) {
  FLARE_CHECK(!proof.alike && !proof.parts.empty());
  Definitions definitions;
  std::vector<Formula> ways;
  for (const CountingProof::Part& part : proof.parts) {
    const StateCompiler compiler(part.automaton, part.components, definitions);
    if (part.symbol) {
      FLARE_CHECK(read_out == ReadOut::kLast);
      const Letter a = automaton.LetterOf(*part.symbol);
      ways.push_back(And({StateCompiler::IsLetter(automaton, a), compiler.Accepting()}));
    } else if (read_out == ReadOut::kEos) {
      ways.push_back(compiler.Accepting());
    } else {
      for (Letter a = 0; a < automaton.num_letters(); ++a) {
        ways.push_back(And({StateCompiler::IsLetter(automaton, a), compiler.AcceptingAfter(a)}));
      }
    }
  }
  return definitions.Program(Or(std::move(ways)));
}

}  // namespace flare::classes
