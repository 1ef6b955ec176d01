#include "support/random_automata.h"

#include <string>
#include <utility>

namespace flare {

Alphabet Letters(std::size_t size) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size; ++i) names.emplace_back(1, static_cast<char>('a' + i));
  return Alphabet(names);
}

Dfa RandomDfa(std::size_t num_states, const Alphabet& alphabet, double density, Rng& rng) {
  DfaBuilder b(alphabet);
  for (std::size_t q = 0; q < num_states; ++q) b.AddState(rng.UniformInt(std::uint64_t{3}) == 0);
  for (std::size_t q = 0; q < num_states; ++q) {
    for (std::size_t a = 0; a < alphabet.size(); ++a) {
      if (rng.Uniform() >= density) continue;
      b.AddTransition(StateAt(q), SymbolAt(a), StateAt(rng.UniformInt(num_states)));
    }
  }
  return std::move(b).Build(StateAt(rng.UniformInt(num_states)));
}

Nfa RandomNfa(std::size_t num_states, const Alphabet& alphabet, std::size_t num_transitions,
              Rng& rng) {
  Nfa nfa(alphabet);
  for (std::size_t q = 0; q < num_states; ++q) nfa.AddState(rng.UniformInt(std::uint64_t{3}) == 0);
  for (std::size_t i = 0; i < num_transitions; ++i) {
    std::optional<Symbol> symbol;
    if (rng.UniformInt(std::uint64_t{4}) != 0) symbol = SymbolAt(rng.UniformInt(alphabet.size()));
    const StateId source = StateAt(rng.UniformInt(num_states));
    nfa.AddTransition(source, symbol, true, StateAt(rng.UniformInt(num_states)));
  }
  nfa.start = StateAt(rng.UniformInt(num_states));
  return nfa;
}

String RandomString(std::size_t length, std::size_t alphabet_size, Rng& rng) {
  String w(length);
  for (Symbol& a : w) a = SymbolAt(rng.UniformInt(alphabet_size));
  return w;
}

std::vector<String> AllStrings(std::size_t alphabet_size, std::size_t longest) {
  std::vector<String> all{{}};
  std::size_t begin = 0;
  for (std::size_t length = 1; length <= longest; ++length) {
    const std::size_t end = all.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t a = 0; a < alphabet_size; ++a) {
        String longer = all[i];
        longer.push_back(SymbolAt(a));
        all.push_back(std::move(longer));
      }
    }
    begin = end;
  }
  return all;
}

bool NaiveAccepts(const Nfa& nfa, StringView w) {
  std::vector<bool> here(nfa.states.size(), false);
  here[Index(nfa.start)] = true;
  const auto close = [&] {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t q = 0; q < here.size(); ++q) {
        if (!here[q]) continue;
        for (const auto& t : nfa.states[q].transitions) {
          if (!t.symbol && !here[Index(t.target)]) {
            here[Index(t.target)] = true;
            changed = true;
          }
        }
      }
    }
  };
  close();
  for (const Symbol a : w) {
    std::vector<bool> next(here.size(), false);
    for (std::size_t q = 0; q < here.size(); ++q) {
      if (!here[q]) continue;
      for (const auto& t : nfa.states[q].transitions) {
        if (t.symbol == a) next[Index(t.target)] = true;
      }
    }
    here = next;
    close();
  }
  for (std::size_t q = 0; q < here.size(); ++q) {
    if (here[q] && nfa.states[q].accept_weight) return true;
  }
  return false;
}

}  // namespace flare
