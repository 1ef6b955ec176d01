#include "flare/automata/dfa_json.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {

Json DfaToJson(const Dfa& dfa) {
  auto accepting = Json::array();
  auto transitions = Json::array();
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    if (dfa.IsAccepting(StateAt(q))) accepting.push_back(q);
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      transitions.push_back({{"from", q}, {"symbol", dfa.alphabet().Name(a)}, {"to", Index(r)}});
    }
  }
  return {{"states", dfa.num_states()},
          {"start", Index(dfa.start())},
          {"accepting", accepting},
          {"transitions", transitions}};
}

Dfa DfaFromJson(const Json& json, const Alphabet& alphabet, const std::string& where) {
  try {
    const auto num_states = Whole<std::size_t>(json.at("states"));
    // A useful state is the start or the target of a transition: a text that claims more states
    // does not have them.
    if (num_states == 0 || num_states > json.at("transitions").size() + 1) {
      throw InputError(where, fmt::format("automaton: {} states and {} transitions", num_states,
                                          json.at("transitions").size()));
    }
    const auto state = [&](const Json& number) {
      const auto q = Whole<std::size_t>(number);
      if (q >= num_states) throw InputError(where, fmt::format("automaton: no state {}", q));
      return StateAt(q);
    };
    std::vector<bool> accepting(num_states, false);
    for (const auto& q : json.at("accepting")) accepting[Index(state(q))] = true;
    DfaBuilder builder(alphabet);
    for (const bool accepts : accepting) builder.AddState(accepts);
    std::set<std::pair<StateId, Symbol>> seen;
    for (const auto& t : json.at("transitions")) {
      const auto name = t.at("symbol").get<std::string>();
      const auto symbol = alphabet.Find(name);
      if (!symbol) {
        throw InputError(where, fmt::format("automaton: unknown symbol {}", Quoted(name)));
      }
      const StateId from = state(t.at("from"));
      if (!seen.emplace(from, *symbol).second) {
        throw InputError(where, fmt::format("automaton: state {} has two transitions on {}",
                                            Index(from), Quoted(name)));
      }
      builder.AddTransition(from, *symbol, state(t.at("to")));
    }
    return std::move(builder).Build(state(json.at("start")));
  } catch (const Json::exception& error) {
    throw InputError(where, fmt::format("automaton: {}", error.what()));
  }
}

}  // namespace flare
