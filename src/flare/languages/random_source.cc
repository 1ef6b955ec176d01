// random:states=8,symbols=2,seed=3: the language of a random automaton, uniform over the minimal
// complete DFAs with that many states and symbols, up to the names of states. After these, classes
// as `flare classify --json` calls them, with - or _:
// random:states=4,symbols=2,star-free,!r-trivial is uniform over those that belong to the one and
// not to the other.
//
// A DFA all of whose states can be reached, numbered breadth-first, is the sequence of the targets
// of its transitions, in which each state occurs first after those before it, and before its own
// transitions (Almeida, Moreira, Reis 2007). Such sequences are counted from their ends, and one is
// drawn; every state accepts with probability ½; what is not minimal, or not of the classes, is
// drawn again. So a seed without classes names the first minimal DFA of its stream, and with
// classes the first that belongs to them.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/extended_real.h"
#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/classes/classification.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

constexpr std::size_t kMostRandomStates = 1'000;
constexpr std::size_t kMostRandomSymbols = 26;  // a to z
constexpr std::size_t kMostRandomDraws = 10'000;

// Classes may be rare: two random maps of 8 states are both permutations once in 170,000 draws.
// Classifying a larger automaton takes longer, and few of them are of any class: some seconds for
// all. Where there are few automata, each will have been drawn long before; the chance that one was
// not is e⁻³⁰.
std::size_t MostDrawsForClass(std::size_t transitions, const ExtendedReal& automata) {
  constexpr std::size_t kMost = 500'000, kFewest = 200;  // kMost of up to sixteen transitions
  const std::size_t larger = std::max<std::size_t>(transitions, 16);
  const std::size_t most = std::max(kFewest, kMost * 16 / larger * 16 / larger);
  const ExtendedReal each = ExtendedReal(30) * automata;
  if (ExtendedReal(static_cast<double>(most)) < each) return most;
  return std::max(kFewest, static_cast<std::size_t>(each.ToDouble()));
}

struct RandomSettings {
  std::optional<std::size_t> states, symbols, seed;
  classes::ClassFilter classes = {};
};

// "!r-trivial", as a part of a language's name.
std::string ClassText(const classes::ClassCondition& condition) {
  std::string text = condition.key;
  std::replace(text.begin(), text.end(), '_', '-');
  return condition.holds ? text : "!" + text;
}

// Each condition once, in one order, so that equal languages have equal names.
void AddClass(std::string item, const std::string& where, classes::ClassFilter& classes) {
  std::replace(item.begin(), item.end(), '-', '_');
  const classes::ClassCondition wanted = classes::ParseClassFilter(item, where).front();
  const auto text = [](const classes::ClassCondition& c) { return c.key + (c.holds ? "" : "!"); };
  const auto place =
      std::find_if(classes.begin(), classes.end(),
                   [&](const classes::ClassCondition& c) { return text(c) >= text(wanted); });
  if (place == classes.end() || text(*place) != text(wanted)) classes.insert(place, wanted);
  for (const classes::ClassCondition& other : classes) {
    if (other.key == wanted.key && other.holds != wanted.holds) {
      throw InputError(
          where, fmt::format("no language is {} and {}", ClassText(other), ClassText(wanted)));
    }
  }
}

RandomSettings ParseRandomSettings(const std::string& text, const std::string& argument) {
  RandomSettings settings;
  for (std::size_t begin = 0; begin <= argument.size();) {
    const std::size_t end = std::min(argument.find(',', begin), argument.size());
    const std::string item = argument.substr(begin, end - begin);
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string key = item.substr(0, equals);
    begin = end + 1;
    if (equals == item.size() && !item.empty()) {
      AddClass(item, text, settings.classes);
      continue;
    }
    auto* field = key == "states"    ? &settings.states
                  : key == "symbols" ? &settings.symbols
                  : key == "seed"    ? &settings.seed
                                     : nullptr;
    const auto value =
        equals < item.size() ? ParseNumber<std::size_t>(item.substr(equals + 1)) : std::nullopt;
    if (field == nullptr || *field || !value) {
      throw InputError(text, fmt::format("{} is not one of states=N, symbols=N, seed=N, each once, "
                                         "or the name of a class",
                                         Quoted(item)));
    }
    *field = value;
  }
  const auto check = [&](const char* key, std::optional<std::size_t> value, std::size_t most) {
    if (value && 1 <= *value && *value <= most) return;
    throw InputError(text, fmt::format("{} must be a number from 1 to {}", key, most),
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
  // ways_(j, m): the ways to continue from position j when states 0..m have occurred.
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

  // Returns the number of automata.
  const ExtendedReal& count() { return Ways(0, 0); }

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

// Does a DFA belong to the classes? Most that do not show it by a few elements of their monoid,
// which may be huge; so more are looked at only while the answer is open. Throws InputError if it
// stays open: to pass over what cannot be decided would favour the automata that can.
bool Belongs(const Dfa& dfa, const classes::ClassFilter& classes, const std::string& where) {
  for (const std::size_t limit :
       {std::size_t{32}, std::size_t{2'000}, classes::MonoidLimits::kDefaultElements}) {
    const auto classification = classes::Classify(dfa, {.max_elements = limit});
    if (const auto belongs = classes::Satisfies(classification, classes)) return *belongs;
  }
  throw InputError(where,
                   fmt::format("a drawn automaton has a monoid of more than {} elements, by "
                               "which its class is not decided",
                               classes::MonoidLimits::kDefaultElements),
                   "fewer states, or another seed");
}

std::string RandomDefinition(const RandomSettings& settings, std::size_t drawn) {
  std::string text =
      fmt::format("a random automaton of {} over {}", Counted(*settings.states, "state"),
                  Counted(*settings.symbols, "symbol"));
  if (settings.classes.empty()) return text;
  std::string classes;
  for (const auto& condition : settings.classes) {
    classes += (classes.empty() ? "" : ", ") + ClassText(condition);
  }
  return fmt::format("{}, the first of {} that is {}", text, Counted(drawn, "draw"), classes);
}

NamedLanguage RandomLanguage(const std::string& text, const std::string& argument) {
  const RandomSettings settings = ParseRandomSettings(text, argument);
  const std::size_t states = *settings.states, symbols = *settings.symbols;
  std::vector<std::string> names;
  for (std::size_t a = 0; a < symbols; ++a) names.emplace_back(1, static_cast<char>('a' + a));
  const Alphabet alphabet(names);
  std::string identity =
      fmt::format("random:states={},symbols={},seed={}", states, symbols, *settings.seed);
  for (const auto& condition : settings.classes) identity += "," + ClassText(condition);
  const bool any = settings.classes.empty();
  Rng rng = Rng::For(*settings.seed, fmt::format("random-dfa/{}/{}", states, symbols));
  TargetSequences sequences(states, symbols);
  ExtendedReal automata = sequences.count();
  for (std::size_t q = 0; q < states; ++q) automata *= ExtendedReal(2);  // accepting or not
  const std::size_t most = any ? kMostRandomDraws : MostDrawsForClass(states * symbols, automata);
  std::size_t drawn = 0;  // minimal automata so far
  for (std::size_t draw = 0; draw < most; ++draw) {
    const auto dfa = MinimalDfa(sequences.Draw(rng), states, alphabet, rng);
    if (!dfa) continue;
    ++drawn;
    if (!any && !Belongs(*dfa, settings.classes, text)) continue;
    return {.name = text,
            .language_class = LanguageClass::kRegular,
            .definition = RandomDefinition(settings, drawn),
            .identity = identity,
            .language = std::make_unique<RegularLanguage>(*dfa)};
  }
  throw InputError(text,
                   any ? fmt::format("none of {} random automata is minimal", most)
                       : fmt::format("none of {} random automata, {} of them minimal, is of these "
                                     "classes",
                                     most, drawn));
}

}  // namespace

NamedLanguage ParseRandomSource(const std::string& text, const std::string& argument,
                                const ResolveOptions&) {
  return RandomLanguage(text, argument);
}

// The settings in its name define the language.
Json SaveRandom(const NamedLanguage&) { return Json::object(); }

NamedLanguage LoadRandom(const SavedLanguage& saved, const std::string&) {
  return RandomLanguage(saved.text, saved.text.substr(saved.text.find(':') + 1));
}

}  // namespace flare
