// random:states=8,symbols=2,seed=3: the language of a random automaton, uniform over the minimal
// complete DFAs with so many states and symbols, up to the names of states.
//
// A DFA all of whose states can be reached, numbered breadth-first, is the sequence of the targets
// of its transitions, in which each state occurs first after those before it, and before its own
// transitions (Almeida, Moreira, Reis 2007). Such sequences are counted from their ends, and one is
// drawn; every state accepts with probability ½; what is not minimal is drawn again.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/extended_real.h"
#include "flare/automata/minimize.h"
#include "flare/automata/trim.h"
#include "flare/base/error.h"
#include "flare/base/number.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

constexpr std::size_t kMostRandomStates = 1'000;
constexpr std::size_t kMostRandomSymbols = 26;  // a to z
constexpr std::size_t kMostRandomDraws = 10'000;

struct RandomSettings {
  std::optional<std::size_t> states, symbols, seed;
};

RandomSettings ParseRandomSettings(const std::string& text, const std::string& argument) {
  RandomSettings settings;
  for (std::size_t begin = 0; begin <= argument.size();) {
    const std::size_t end = std::min(argument.find(',', begin), argument.size());
    const std::string item = argument.substr(begin, end - begin);
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string key = item.substr(0, equals);
    auto* field = key == "states"    ? &settings.states
                  : key == "symbols" ? &settings.symbols
                  : key == "seed"    ? &settings.seed
                                     : nullptr;
    const auto value =
        equals < item.size() ? ParseNumber<std::size_t>(item.substr(equals + 1)) : std::nullopt;
    if (field == nullptr || *field || !value) {
      throw InputError(text, fmt::format("{} is not one of states=N, symbols=N, seed=N, each once",
                                         Quoted(item)));
    }
    *field = value;
    begin = end + 1;
  }
  const auto check = [&](const char* key, std::optional<std::size_t> value, std::size_t most) {
    if (value && 1 <= *value && *value <= most) return;
    throw InputError(text, fmt::format("{} is to be a number from 1 to {}", key, most),
                     "as random:states=8,symbols=2,seed=3");
  };
  check("states", settings.states, kMostRandomStates);
  check("symbols", settings.symbols, kMostRandomSymbols);
  if (!settings.seed) settings.seed = 0;
  return settings;
}

// Draws the targets of the transitions of accessible DFAs.
class TargetSequences {
 public:
  // ways_(j, m): the ways to go on from position j when states 0..m have occurred.
  TargetSequences(std::size_t states, std::size_t symbols)
      : states_(states), symbols_(symbols), ways_((states * symbols + 1) * states) {
    const std::size_t length = states * symbols;
    Ways(length, states - 1) = ExtendedReal(1);
    for (std::size_t j = length; j-- > 0;) {
      // The transitions of a state come after the state.
      for (std::size_t m = j / symbols; m < states; ++m) {
        Ways(j, m) = ExtendedReal(static_cast<double>(m + 1)) * Ways(j + 1, m);
        if (m + 1 < states) Ways(j, m) += Ways(j + 1, m + 1);
      }
    }
  }

  std::vector<std::size_t> Draw(Rng& rng) {
    std::vector<std::size_t> targets;
    std::size_t m = 0;
    for (std::size_t j = 0; j < states_ * symbols_; ++j) {
      const ExtendedReal target = ExtendedReal(rng.Uniform()) * Ways(j, m);
      if (m + 1 < states_ && target < Ways(j + 1, m + 1)) {
        targets.push_back(++m);
      } else {
        targets.push_back(rng.UniformInt(m + 1));
      }
    }
    return targets;
  }

 private:
  ExtendedReal& Ways(std::size_t j, std::size_t m) { return ways_[j * states_ + m]; }

  std::size_t states_, symbols_;
  std::vector<ExtendedReal> ways_;
};

// The minimal trim DFA if the complete one is minimal.
std::optional<Dfa> MinimalDfa(const std::vector<std::size_t>& targets, std::size_t states,
                              const Alphabet& alphabet, Rng& rng) {
  DfaBuilder b(alphabet);
  for (std::size_t q = 0; q < states; ++q) b.AddState(rng.Bit());
  for (std::size_t q = 0; q < states; ++q) {
    for (std::size_t a = 0; a < alphabet.size(); ++a) {
      b.AddTransition(StateAt(q), SymbolAt(a), StateAt(targets[q * alphabet.size() + a]));
    }
  }
  const Dfa minimal = Minimize(std::move(b).Build(StateAt(0)));
  if (IsEmpty(minimal)) return std::nullopt;
  const bool has_sink = minimal.num_transitions() < minimal.num_states() * alphabet.size();
  if (minimal.num_states() + (has_sink ? 1 : 0) != states) return std::nullopt;
  return minimal;
}

NamedLanguage RandomLanguage(const std::string& text, const std::string& argument) {
  const RandomSettings settings = ParseRandomSettings(text, argument);
  const std::size_t states = *settings.states, symbols = *settings.symbols;
  std::vector<std::string> names;
  for (std::size_t a = 0; a < symbols; ++a) names.emplace_back(1, static_cast<char>('a' + a));
  const Alphabet alphabet(names);
  const std::string identity =
      fmt::format("random:states={},symbols={},seed={}", states, symbols, *settings.seed);
  Rng rng = Rng::For(*settings.seed, fmt::format("random-dfa/{}/{}", states, symbols));
  TargetSequences sequences(states, symbols);
  for (std::size_t draw = 0; draw < kMostRandomDraws; ++draw) {
    const auto dfa = MinimalDfa(sequences.Draw(rng), states, alphabet, rng);
    if (!dfa) continue;
    return {.name = text,
            .language_class = LanguageClass::kRegular,
            .definition = fmt::format("a random automaton of {} over {}", Counted(states, "state"),
                                      Counted(symbols, "symbol")),
            .identity = identity,
            .language = std::make_unique<RegularLanguage>(*dfa)};
  }
  throw InputError(text, fmt::format("none of {} random automata is minimal", kMostRandomDraws));
}

}  // namespace

NamedLanguage ParseRandomSource(const std::string& text, const std::string& argument,
                                const ResolveOptions&) {
  return RandomLanguage(text, argument);
}

// Its settings are its name.
Json SaveRandom(const NamedLanguage&) { return Json::object(); }

NamedLanguage LoadRandom(const SavedLanguage& saved, const std::string&) {
  return RandomLanguage(saved.text, saved.text.substr(saved.text.find(':') + 1));
}

}  // namespace flare
