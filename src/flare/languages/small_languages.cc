#include "flare/languages/small_languages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/languages/catalog.h"
#include "flare/languages/families.h"

namespace flare {
namespace {

constexpr std::size_t kLetters = 2;

// A complete DFA of at most four states whose start is state 0.
struct Automaton {
  std::size_t states = 0;
  std::array<std::uint8_t, kLetters * kMostSmallStates> targets{};  // δ(q, a) at 2q + a
  unsigned accepting = 0;                                           // bit q

  bool IsAccepting(std::size_t q) const { return ((accepting >> q) & 1) != 0; }
};

// The word of the definition as a number, two bits per target and one per mark, so that numbers are
// ordered as words are.
using Word = std::uint32_t;

Word WordOf(const Automaton& automaton) {
  Word word = 0;
  for (std::size_t j = 0; j < kLetters * automaton.states; ++j) {
    word = word << 2 | automaton.targets[j];
  }
  for (std::size_t q = 0; q < automaton.states; ++q) {
    word = word << 1 | (automaton.IsAccepting(q) ? 0u : 1u);
  }
  return word;
}

Automaton AutomatonOf(Word word, std::size_t states) {
  Automaton automaton{.states = states};
  for (std::size_t q = states; q-- > 0; word >>= 1) {
    if ((word & 1) == 0) automaton.accepting |= 1u << q;
  }
  for (std::size_t j = kLetters * states; j-- > 0; word >>= 2) {
    automaton.targets[j] = static_cast<std::uint8_t>(word & 3);
  }
  return automaton;
}

// Are all states distinguished? Requires: all are reachable.
bool IsMinimal(const Automaton& automaton) {
  std::array<unsigned, kMostSmallStates> block{};
  for (std::size_t q = 0; q < automaton.states; ++q) block[q] = automaton.IsAccepting(q) ? 1 : 0;
  for (std::size_t blocks = 1, before = 0; blocks != before;) {
    // Two states stay together if they and their successors were together.
    std::array<unsigned, kMostSmallStates> signature{};
    for (std::size_t q = 0; q < automaton.states; ++q) {
      signature[q] = block[q] << 4 | block[automaton.targets[2 * q]] << 2 |
                     block[automaton.targets[2 * q + 1]];
    }
    before = blocks;
    blocks = 0;
    for (std::size_t q = 0; q < automaton.states; ++q) {
      std::size_t p = 0;
      while (signature[p] != signature[q]) ++p;
      block[q] = p < q ? block[p] : static_cast<unsigned>(blocks++);
    }
    if (blocks == automaton.states) return true;
  }
  return false;
}

// Appends the words of all minimal DFAs that begin with the targets so far; `seen` is the largest.
void AddWords(Automaton& automaton, std::size_t place, std::size_t seen, std::vector<Word>& words) {
  const std::size_t states = automaton.states;
  if (place == kLetters * states) {
    for (unsigned marks = 0; marks < 1u << states; ++marks) {
      automaton.accepting = marks;
      if (IsMinimal(automaton)) words.push_back(WordOf(automaton));
    }
    return;
  }
  if (place / kLetters > seen) return;  // the state was not reached before its own transitions
  for (std::size_t target = 0; target <= std::min(seen + 1, states - 1); ++target) {
    automaton.targets[place] = static_cast<std::uint8_t>(target);
    AddWords(automaton, place + 1, std::max(seen, target), words);
  }
}

std::vector<Word> MakeWords(std::size_t states) {
  Automaton automaton{.states = states};
  std::vector<Word> words;
  AddWords(automaton, 0, 0, words);
  // A place that was passed over for lack of states leaves gaps, no word of another length.
  std::sort(words.begin(), words.end());
  return words;
}

// All words of that many states, in order.
const std::vector<Word>& WordsOf(std::size_t states) {
  FLARE_CHECK(states >= 1 && states <= kMostSmallStates);
  static const std::vector<Word> one = MakeWords(1), two = MakeWords(2), three = MakeWords(3);
  if (states == 1) return one;
  if (states == 2) return two;
  if (states == 3) return three;
  static const std::vector<Word> four = MakeWords(4);  // takes the longest, and is often not needed
  return four;
}

Automaton AutomatonOf(const SmallLanguage& language) {
  const auto& words = WordsOf(language.states);
  FLARE_CHECK(language.index >= 1 && language.index <= words.size());
  return AutomatonOf(words[language.index - 1], language.states);
}

// Requires: all states are reachable and distinguished.
SmallLanguage Rank(const Automaton& automaton) {
  // Number the states breadth-first.
  std::array<std::size_t, kMostSmallStates> order{}, number{};
  number.fill(kMostSmallStates);
  std::size_t found = 1;
  number[0] = 0;
  Automaton canonical{.states = automaton.states};
  for (std::size_t i = 0; i < found; ++i) {
    for (std::size_t a = 0; a < kLetters; ++a) {
      const std::size_t target = automaton.targets[kLetters * order[i] + a];
      if (number[target] == kMostSmallStates) {
        number[target] = found;
        order[found++] = target;
      }
      canonical.targets[kLetters * i + a] = static_cast<std::uint8_t>(number[target]);
    }
    if (automaton.IsAccepting(order[i])) canonical.accepting |= 1u << i;
  }
  const auto& words = WordsOf(automaton.states);
  const auto place = std::lower_bound(words.begin(), words.end(), WordOf(canonical));
  FLARE_CHECK(place != words.end() && *place == WordOf(canonical));
  return {automaton.states, static_cast<std::size_t>(place - words.begin()) + 1};
}

Automaton ComplementOf(Automaton automaton) {
  automaton.accepting ^= (1u << automaton.states) - 1;
  return automaton;
}

Automaton WithLettersExchanged(Automaton automaton) {
  for (std::size_t q = 0; q < automaton.states; ++q) {
    std::swap(automaton.targets[kLetters * q], automaton.targets[kLetters * q + 1]);
  }
  return automaton;
}

// Is the language finite? That is: no state on a cycle leads to an accepting one.
bool IsFinite(const Automaton& automaton) {
  const std::size_t n = automaton.states;
  std::array<std::array<bool, kMostSmallStates>, kMostSmallStates> reaches{};
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t a = 0; a < kLetters; ++a) reaches[q][automaton.targets[2 * q + a]] = true;
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = 0; q < n; ++q) reaches[p][q] |= reaches[p][via] && reaches[via][q];
    }
  }
  for (std::size_t p = 0; p < n; ++p) {
    if (!reaches[p][p]) continue;
    for (std::size_t q = 0; q < n; ++q) {
      if ((p == q || reaches[p][q]) && automaton.IsAccepting(q)) return false;
    }
  }
  return true;
}

// Languages that people know by names and that are not in the catalogue; x and y are the letters,
// in either order.
struct PatternName {
  const char* name;
  const char* pattern;
};
constexpr PatternName kPatternNames[] = {
    {"everything", ".*"},
    {"empty string", "()"},
    {"x", "a"},
    {"x or empty string", "a?"},
    {"length 1", "."},
    {"length at most 1", ".?"},
    {"at most one x", "b*a?b*"},
    {"exactly one x", "b*ab*"},
    {"x before y", "a*b*"},
    {"contains xx", ".*aa.*"},
    {"contains xy", ".*ab.*"},
    {"ends in xx", ".*aa"},
    {"ends in xy", ".*ab"},
    {"begins with xx", "aa.*"},
    {"begins with xy", "ab.*"},
    {"last but one is x", ".*a."},
    {"length divisible by 3", "(...)*"},
    {"length divisible by 4", "(....)*"},
    {"dyck-1-1", "(ab)*"},
    {"dyck-1-2", "(a(ab)*b)*"},
};

// Names by representative; the first name of a language stays.
class CommonNames {
 public:
  CommonNames() {
    for (const CatalogEntry& entry : Catalog()) {
      if (entry.language_class != LanguageClass::kRegular) continue;
      const auto language = entry.make();
      // The set-reset flip-flop over two letters, as the theory of semigroups has it.
      Add(entry.name == "last" ? "last (flip-flop)" : entry.name, *language->dfa());
    }
    for (const char* name : {"mod-3", "mod-4", "blocks-1", "blocks-2", "blocks-3"}) {
      Add(name, *FindInFamilies(name)->language->dfa());
    }
    for (const PatternName& known : kPatternNames) {
      Add(known.name, CompileRegex(known.pattern, {"a", "b"}));
    }
  }

  std::string Find(const SmallLanguage& language) const {
    const auto [representative, exchanges_letters, complements] = RepresentativeOf(language);
    const auto found = names_.find(representative);
    if (found == names_.end()) return "";
    // An orbit that has a language and its complement has both under one name.
    const bool is_own =
        found->second.complements == complements || IsComplementARenaming(representative);
    return (is_own ? "" : "not ") + found->second.name;
  }

 private:
  struct Known {
    std::string name;
    bool complements;
  };

  static bool IsComplementARenaming(const SmallLanguage& language) {
    const Automaton automaton = AutomatonOf(language);
    return Rank(WithLettersExchanged(automaton)) == Rank(ComplementOf(automaton));
  }

  void Add(const std::string& name, const Dfa& dfa) {
    const auto language = FindSmall(dfa);
    if (!language) return;
    const SmallRelation relation = RepresentativeOf(*language);
    names_.try_emplace(relation.representative, Known{name, relation.complements});
  }

  std::map<SmallLanguage, Known> names_;
};

}  // namespace

std::string SmallLanguage::Text() const { return fmt::format("small:{}:{}", states, index); }

std::size_t CountSmallLanguages(std::size_t states) { return WordsOf(states).size(); }

Dfa MakeSmallDfa(const SmallLanguage& language) {
  const Automaton automaton = AutomatonOf(language);
  DfaBuilder b(Alphabet({"a", "b"}));
  for (std::size_t q = 0; q < automaton.states; ++q) b.AddState(automaton.IsAccepting(q));
  for (std::size_t q = 0; q < automaton.states; ++q) {
    for (std::size_t a = 0; a < kLetters; ++a) {
      b.AddTransition(StateAt(q), SymbolAt(a), StateAt(automaton.targets[kLetters * q + a]));
    }
  }
  return std::move(b).Build(StateAt(0));
}

std::optional<SmallLanguage> FindSmall(const Dfa& dfa) {
  if (dfa.alphabet().size() != kLetters) return std::nullopt;
  const Dfa minimal = Minimize(dfa);
  const std::size_t trim_states = minimal.num_states();
  if (trim_states > kMostSmallStates) return std::nullopt;
  Automaton automaton{.states = trim_states};
  if (!IsEmpty(minimal)) {
    const bool has_sink = minimal.num_transitions() < trim_states * kLetters;
    automaton.states += has_sink ? 1 : 0;
  }
  if (automaton.states > kMostSmallStates) return std::nullopt;
  const std::size_t sink = automaton.states - 1;
  automaton.targets.fill(static_cast<std::uint8_t>(sink));
  for (std::size_t q = 0; q < trim_states; ++q) {
    if (minimal.IsAccepting(StateAt(q))) automaton.accepting |= 1u << q;
    for (const auto& [a, target] : minimal.TransitionsFrom(StateAt(q))) {
      automaton.targets[kLetters * q + Index(a)] = static_cast<std::uint8_t>(Index(target));
    }
  }
  return Rank(automaton);
}

SmallRelation RepresentativeOf(const SmallLanguage& language) {
  const Automaton automaton = AutomatonOf(language);
  SmallRelation best{language};
  for (const bool complements : {false, true}) {
    for (const bool exchanges : {false, true}) {
      const Automaton changed = complements ? ComplementOf(automaton) : automaton;
      const SmallLanguage other = Rank(exchanges ? WithLettersExchanged(changed) : changed);
      if (other < best.representative) best = {other, exchanges, complements};
    }
  }
  return best;
}

std::vector<SmallLanguage> SmallRepresentatives(std::size_t states) {
  std::vector<SmallLanguage> representatives;
  for (std::size_t i = 1; i <= CountSmallLanguages(states); ++i) {
    if (RepresentativeOf({states, i}).representative.index == i) {
      representatives.push_back({states, i});
    }
  }
  return representatives;
}

bool IsFiniteOrCofinite(const SmallLanguage& language) {
  const Automaton automaton = AutomatonOf(language);
  return IsFinite(automaton) || IsFinite(ComplementOf(automaton));
}

std::vector<SmallLanguage> Atlas(std::size_t most_states) {
  std::vector<SmallLanguage> atlas;
  for (std::size_t states = 1; states <= most_states; ++states) {
    for (const SmallLanguage& language : SmallRepresentatives(states)) {
      if (!IsFiniteOrCofinite(language)) atlas.push_back(language);
    }
  }
  return atlas;
}

std::string CommonNameOf(const SmallLanguage& language) {
  static const CommonNames names;
  return names.Find(language);
}

}  // namespace flare
