#include "support/naive_counting.h"

#include <gmpxx.h>

#include <algorithm>
#include <deque>
#include <set>
#include <stdexcept>
#include <utility>

#include "flare/automata/operations.h"
#include "flare/base/text.h"

namespace flare {

CountingInterpreter::CountingInterpreter(const std::string& program, const Alphabet& alphabet)
    : alphabet_(alphabet) {
  for (const std::string_view line : Lines(program)) {
    if (line.starts_with("# ")) continue;
    const std::size_t at = line.find(" := ");
    if (at == std::string_view::npos)
      throw std::runtime_error("no definition: " + std::string(line));
    rest_ = line.substr(at + 4);
    std::size_t node = 0;
    if (AtSum()) {
      node = ParseSum();
      if (!rest_.empty()) node = ParseComparison(node);
    } else {
      node = ParseOr();
    }
    if (!rest_.empty()) throw std::runtime_error("unread: " + std::string(rest_));
    if (!names_.emplace(line.substr(0, at), node).second) throw std::runtime_error("defined twice");
  }
  accept_ = names_.at("accept");
}

std::size_t CountingInterpreter::Add(Node node) {
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

bool CountingInterpreter::Take(std::string_view token) {
  if (!rest_.starts_with(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
}

void CountingInterpreter::Expect(std::string_view token) {
  if (!Take(token))
    throw std::runtime_error("expected " + std::string(token) + " at " + std::string(rest_));
}

std::int64_t CountingInterpreter::ParseNumber() {
  const bool negative = Take("-");
  std::size_t digits = 0;
  while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') ++digits;
  const std::int64_t number = std::stoll(std::string(rest_.substr(0, digits)));
  rest_.remove_prefix(digits);
  return negative ? -number : number;
}

std::size_t CountingInterpreter::ParseOr() {
  Node node{Kind::kOr};
  do node.operands.push_back(ParseAnd());
  while (Take(" or "));
  return Add(std::move(node));
}

std::size_t CountingInterpreter::ParseAnd() {
  Node node{Kind::kAnd};
  do node.operands.push_back(ParseUnary());
  while (Take(" and "));
  return Add(std::move(node));
}

std::size_t CountingInterpreter::ParseUnary() {
  if (Take("not ")) return Add({Kind::kNot, 0, {ParseUnary()}});
  if (Take("(")) {
    const std::size_t inner = ParseOr();
    Expect(")");
    return inner;
  }
  if (Take("Q(\"")) {
    std::string name;
    while (!Take("\"")) {
      (void)Take("\\");
      name += rest_.front();
      rest_.remove_prefix(1);
    }
    Expect(")");
    return Add({Kind::kSymbol, static_cast<std::int64_t>(Index(alphabet_.At(name)))});
  }
  if (AtSum()) return ParseComparison(ParseSum());
  if (Take("true")) return Add({Kind::kConstant, 1});
  if (Take("false")) return Add({Kind::kConstant, 0});
  const std::size_t end = std::min(rest_.find_first_of(" )]"), rest_.size());
  const std::size_t node = names_.at(std::string(rest_.substr(0, end)));
  rest_.remove_prefix(end);
  return node;
}

// A sum begins with a count, a number, a minus, or the name of a sum.
bool CountingInterpreter::AtSum() const {
  if (rest_.empty()) return false;
  const char c = rest_.front();
  if (c == '#' || c == '-' || (c >= '0' && c <= '9')) return true;
  const std::size_t end = std::min(rest_.find_first_of(" )]"), rest_.size());
  const auto found = names_.find(rest_.substr(0, end));
  return found != names_.end() && nodes_[found->second].kind == Kind::kSum;
}

std::size_t CountingInterpreter::ParseSum() {
  Node node{Kind::kSum};
  std::int64_t sign = Take("- ") ? -1 : 1;
  while (true) {
    std::int64_t weight = 1;
    if (rest_.front() >= '0' && rest_.front() <= '9') {
      weight = ParseNumber();
      Expect(" ");
    }
    if (Take("#[")) {
      const std::size_t counted = ParseOr();
      node.operands.push_back(Add({Kind::kCount, 0, {counted}}));
      Expect("]");
    } else {
      const std::size_t end = std::min(rest_.find_first_of(" )]"), rest_.size());
      node.operands.push_back(names_.at(std::string(rest_.substr(0, end))));
      rest_.remove_prefix(end);
    }
    node.weights.push_back(sign * weight);
    if (Take(" + ")) {
      sign = 1;
    } else if (Take(" - ")) {
      sign = -1;
    } else {
      return Add(std::move(node));
    }
  }
}

std::size_t CountingInterpreter::ParseComparison(std::size_t sum) {
  const bool equals = Take(" = ");
  if (!equals) Expect(" >= ");
  const std::int64_t number = ParseNumber();
  return Add({equals ? Kind::kEquals : Kind::kAtLeast, number, {sum}});
}

bool CountingInterpreter::Run(const String& w, bool with_end_mark) const {
  std::vector<std::int64_t> values(nodes_.size(), 0), counts(nodes_.size(), 0);
  const std::size_t positions = w.size() + (with_end_mark ? 1 : 0);
  if (positions == 0) throw std::runtime_error("the empty string has no last symbol");
  for (std::size_t position = 0; position < positions; ++position) {
    const std::int64_t symbol =
        position < w.size() ? static_cast<std::int64_t>(Index(w[position])) : -1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      const auto operand = [&](std::size_t j) { return values[node.operands[j]]; };
      switch (node.kind) {
        case Kind::kConstant:
          values[i] = node.number;
          break;
        case Kind::kSymbol:
          values[i] = symbol == node.number ? 1 : 0;
          break;
        case Kind::kNot:
          values[i] = operand(0) != 0 ? 0 : 1;
          break;
        case Kind::kAnd:
          values[i] = 1;
          for (std::size_t j = 0; j < node.operands.size(); ++j) values[i] &= operand(j);
          break;
        case Kind::kOr:
          values[i] = 0;
          for (std::size_t j = 0; j < node.operands.size(); ++j) values[i] |= operand(j);
          break;
        case Kind::kCount:
          values[i] = counts[i];
          break;
        case Kind::kSum:
          values[i] = 0;
          for (std::size_t j = 0; j < node.operands.size(); ++j) {
            values[i] += node.weights[j] * operand(j);
          }
          break;
        case Kind::kEquals:
          values[i] = operand(0) == node.number ? 1 : 0;
          break;
        case Kind::kAtLeast:
          values[i] = operand(0) >= node.number ? 1 : 0;
          break;
      }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind == Kind::kCount) counts[i] += values[nodes_[i].operands[0]];
    }
  }
  return values[accept_] != 0;
}

PlainAutomaton PlainAutomaton::Of(const Dfa& dfa) {
  const Dfa minimal = Minimize(dfa);
  const std::size_t live = IsEmpty(minimal) ? 0 : minimal.num_states();
  const std::size_t width = minimal.alphabet().size();
  const bool complete = live > 0 && minimal.num_transitions() == live * width;
  const std::size_t n = live + (complete ? 0 : 1);
  PlainAutomaton plain{{n, std::vector<std::size_t>(width, live)},
                       std::vector<bool>(n, false),
                       live == 0 ? 0 : Index(minimal.start())};
  for (std::size_t q = 0; q < live; ++q) {
    plain.accepting[q] = minimal.IsAccepting(StateAt(q));
    for (const auto& [a, r] : minimal.TransitionsFrom(StateAt(q))) {
      plain.next[q][Index(a)] = Index(r);
    }
  }
  return plain;
}

PlainAutomaton PlainAutomaton::Before(Symbol a, const Alphabet& alphabet) const {
  DfaBuilder builder(alphabet);
  for (std::size_t q = 0; q < size(); ++q) builder.AddState(accepting[next[q][Index(a)]]);
  for (std::size_t q = 0; q < size(); ++q) {
    for (std::size_t b = 0; b < alphabet.size(); ++b) {
      builder.AddTransition(StateAt(q), SymbolAt(b), StateAt(next[q][b]));
    }
  }
  return Of(std::move(builder).Build(StateAt(start)));
}

std::size_t PlainAutomaton::Run(std::size_t q, StringView w) const {
  for (const Symbol a : w) q = next[q][Index(a)];
  return q;
}

bool PlainAutomaton::Reaches(std::size_t p, std::size_t q) const {
  std::vector<bool> seen(size(), false);
  std::deque<std::size_t> open{p};
  seen[p] = true;
  while (!open.empty()) {
    const std::size_t r = open.front();
    open.pop_front();
    if (r == q) return true;
    for (const std::size_t t : next[r]) {
      if (!seen[t]) open.push_back(t);
      seen[t] = true;
    }
  }
  return false;
}

std::vector<std::size_t> StableBlocks(const PlainAutomaton& automaton) {
  const std::size_t n = automaton.size();
  std::vector<std::size_t> blocks(n);
  for (std::size_t q = 0; q < n; ++q) {
    blocks[q] = q;
    for (std::size_t r = 0; r < q && blocks[q] == q; ++r) {
      if (automaton.InOneComponent(q, r)) blocks[q] = blocks[r];
    }
  }
  const std::vector<std::size_t> components = blocks;
  while (true) {
    // Potentials are solutions of: the first state of a component has 0, and edges of one label the
    // same step. A column for each state.
    std::vector<std::vector<mpq_class>> rows;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<mpq_class>> first;
    for (std::size_t q = 0; q < n; ++q) {
      if (components[q] == q) {
        rows.emplace_back(n);
        rows.back()[q] = 1;
      }
      for (std::size_t a = 0; a < automaton.next[q].size(); ++a) {
        const std::size_t t = automaton.next[q][a];
        if (components[t] != components[q]) continue;
        std::vector<mpq_class> step(n);
        step[t] += 1;
        step[q] -= 1;
        const auto [entry, is_new] = first.try_emplace({blocks[q], a}, step);
        if (is_new) continue;
        for (std::size_t i = 0; i < n; ++i) step[i] -= entry->second[i];
        rows.push_back(step);
      }
    }
    std::vector<std::size_t> pivots;
    for (std::size_t column = 0; column < n; ++column) {
      const std::size_t rank = pivots.size();
      std::size_t i = rank;
      while (i < rows.size() && rows[i][column] == 0) ++i;
      if (i == rows.size()) continue;
      std::swap(rows[i], rows[rank]);
      const mpq_class pivot = rows[rank][column];
      for (mpq_class& x : rows[rank]) x /= pivot;
      for (std::size_t j = 0; j < rows.size(); ++j) {
        if (j == rank || rows[j][column] == 0) continue;
        const mpq_class factor = rows[j][column];
        for (std::size_t k = 0; k < n; ++k) rows[j][k] -= factor * rows[rank][k];
      }
      pivots.push_back(column);
    }
    // A state's values under the solutions that are 1 at one free column.
    std::map<std::pair<std::size_t, std::vector<mpq_class>>, std::size_t> names;
    std::vector<std::size_t> refined(n);
    for (std::size_t q = 0; q < n; ++q) {
      std::vector<mpq_class> values;
      const auto pivot = std::find(pivots.begin(), pivots.end(), q);
      for (std::size_t column = 0; column < n; ++column) {
        if (std::find(pivots.begin(), pivots.end(), column) != pivots.end()) continue;
        if (pivot == pivots.end()) {
          values.emplace_back(column == q ? 1 : 0);
        } else {
          values.push_back(-rows[static_cast<std::size_t>(pivot - pivots.begin())][column]);
        }
      }
      refined[q] = names.try_emplace({components[q], values}, q).first->second;
    }
    if (refined == blocks) return blocks;
    blocks = refined;
  }
}

bool IsInCRasp(const PlainAutomaton& automaton) {
  const auto blocks = StableBlocks(automaton);
  return std::set<std::size_t>(blocks.begin(), blocks.end()).size() == automaton.size();
}

namespace {

// Every potential makes the same step along edges of one label, and together they end with blocks
// of one state, unless the component is the one that is not separated.
bool CheckPotentials(const PlainAutomaton& automaton,
                     const classes::ComponentPotentials& component) {
  const std::size_t size = component.states.size();
  std::map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < size; ++i) places[component.states[i]] = i;
  std::vector<std::vector<std::int64_t>> blocks(size);  // the values so far name a block
  for (const auto& round : component.rounds) {
    for (const auto& potential : round) {
      if (potential.size() != size) return false;
      std::map<std::pair<std::vector<std::int64_t>, std::size_t>, std::int64_t> steps;
      for (std::size_t i = 0; i < size; ++i) {
        const auto& row = automaton.next[component.states[i]];
        for (std::size_t a = 0; a < row.size(); ++a) {
          const auto to = places.find(row[a]);
          if (to == places.end()) continue;
          const std::int64_t step = potential[to->second] - potential[i];
          if (steps.try_emplace({blocks[i], a}, step).first->second != step) return false;
        }
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (const auto& potential : round) blocks[i].push_back(potential[i]);
    }
  }
  return !component.separates_all ||
         std::set<std::vector<std::int64_t>>(blocks.begin(), blocks.end()).size() == size;
}

}  // namespace

bool CheckCountingProof(const Dfa& dfa, const classes::CountingProof& proof, bool holds,
                        classes::ReadOut read_out) {
  const PlainAutomaton automaton = PlainAutomaton::Of(dfa);
  const Alphabet& alphabet = dfa.alphabet();
  std::set<std::vector<std::size_t>> shown;  // what the symbols do that the parts are about
  const auto column = [&](Symbol a) {
    std::vector<std::size_t> targets;
    for (const auto& row : automaton.next) targets.push_back(row[Index(a)]);
    return targets;
  };
  for (const auto& part : proof.parts) {
    if (part.symbol && read_out != classes::ReadOut::kLast) return false;
    if (part.symbol) shown.insert(column(*part.symbol));
    const PlainAutomaton plain = part.symbol ? automaton.Before(*part.symbol, alphabet) : automaton;
    std::set<std::size_t> separated;
    for (std::size_t i = 0; i < part.components.size(); ++i) {
      const auto& component = part.components[i];
      if (!CheckPotentials(plain, component)) return false;
      if (component.separates_all) {
        separated.insert(component.states.begin(), component.states.end());
      } else if (holds || i + 1 != part.components.size()) {
        return false;
      }
    }
    if (holds) {
      for (std::size_t p = 0; p < plain.size(); ++p) {
        for (std::size_t q = 0; q < p; ++q) {
          if (plain.InOneComponent(p, q) && !(separated.contains(p) && separated.contains(q))) {
            return false;
          }
        }
      }
    } else {
      if (!proof.alike || proof.parts.size() != 1) return false;
      const auto [s, t] = *proof.alike;
      const auto& last = part.components.back().states;
      if (s == t || std::find(last.begin(), last.end(), s) == last.end() ||
          std::find(last.begin(), last.end(), t) == last.end()) {
        return false;
      }
      const auto blocks = StableBlocks(plain);
      if (blocks[s] != blocks[t]) return false;
    }
  }
  if (!holds) return !proof.parts.empty();
  if (proof.alike) return false;
  // One part for the whole language, or one for every symbol.
  if (proof.parts.size() == 1 && !proof.parts[0].symbol) return true;
  for (std::size_t a = 0; a < alphabet.size(); ++a) {
    if (!shown.contains(column(SymbolAt(a)))) return false;
  }
  return true;
}

}  // namespace flare
