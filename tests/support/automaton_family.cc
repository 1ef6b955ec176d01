#include "support/automaton_family.h"

#include <fmt/format.h>

#include <sstream>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {

void FamilyWriter::BeginMember(std::size_t num_states, StateId start) {
  Arc(0, first_ + Index(start), kFirstTag + starts_.size(), 0);
  starts_.push_back(first_ + Index(start));
  first_ += num_states;
}

void FamilyWriter::Arc(std::size_t source, std::size_t target, std::size_t label, int weight) {
  text_ += fmt::format("{} {} {} {}\n", source, target, label, weight);
}

void FamilyWriter::Add(const Nfa& nfa) {
  const std::size_t first = first_;
  BeginMember(nfa.states.size(), nfa.start);
  for (std::size_t q = 0; q < nfa.states.size(); ++q) {
    for (const auto& t : nfa.states[q].transitions) {
      Arc(first + q, first + Index(t.target), t.symbol ? LabelOf(*t.symbol) : 0, t.symbol ? 1 : 0);
    }
    if (nfa.states[q].accept_weight) text_ += fmt::format("{}\n", first + q);
  }
}

void FamilyWriter::Add(const Dfa& dfa) {
  const std::size_t first = first_;
  BeginMember(dfa.num_states(), dfa.start());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      Arc(first + q, first + Index(r), LabelOf(a), 1);
    }
    if (dfa.IsAccepting(StateAt(q))) text_ += fmt::format("{}\n", first + q);
  }
}

PrintedAutomaton::PrintedAutomaton(std::string_view text) {
  bool first = true;
  for (const std::string_view line : Lines(text)) {
    std::istringstream fields{std::string(line)};
    std::size_t source = 0, target = 0, label = 0;
    fields >> source;
    if (first) start = source;
    first = false;
    if (fields >> target >> label) {
      const bool is_new = arcs[source].emplace(label, target).second;
      FLARE_CHECK(is_new);  // deterministic
    } else {
      final[source] = true;
    }
  }
}

Dfa PrintedAutomaton::Behind(const std::vector<std::size_t>& path, const Alphabet& alphabet) const {
  DfaBuilder builder(alphabet);
  std::size_t here = start;
  for (const std::size_t label : path) {
    const auto row = arcs.find(here);
    if (row == arcs.end() || !row->second.contains(label)) {
      const StateId only = builder.AddState(false);
      return std::move(builder).Build(only);
    }
    here = row->second.at(label);
  }
  std::map<std::size_t, StateId> names;
  std::vector<std::size_t> order;
  const auto name = [&](std::size_t state) {
    const auto [entry, is_new] = names.try_emplace(state);
    if (is_new) {
      entry->second = builder.AddState(final.contains(state));
      order.push_back(state);
    }
    return entry->second;
  };
  const StateId first = name(here);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto row = arcs.find(order[i]);
    if (row == arcs.end()) continue;
    for (const auto& [label, target] : row->second) {
      builder.AddTransition(StateAt(i), SymbolAt(label - 1), name(target));
    }
  }
  return std::move(builder).Build(first);
}

}  // namespace flare
