#include "flare/languages/envelope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/grammars/grammar_product.h"
#include "flare/languages/context_free.h"

namespace flare {
namespace {

constexpr std::array<std::size_t, 4> kModuli = {2, 3, 4, 5};
constexpr std::size_t kTwo = 0, kFour = 2;  // the places of 2 and 4 in kModuli
// If there are more symbols, patterns of adjacent symbols become too long to read, and finding them
// takes time and memory quadratic in the number of symbols.
constexpr std::size_t kMostSymbolsOfPairs = 64;

using SymbolSet = std::vector<bool>;
// Bit r is the remainder r.
using Remainders = std::array<unsigned, kModuli.size()>;

// The properties of a language that its automatic envelope keeps.
struct Shape {
  explicit Shape(std::size_t symbols)
      : first(symbols, false),
        last(symbols, false),
        pairs(symbols <= kMostSymbolsOfPairs ? symbols : 0, SymbolSet(symbols, false)) {}

  bool has_empty = false;
  SymbolSet first, last;
  std::vector<SymbolSet> pairs;  // empty if there are too many symbols
  Remainders lengths{};
};

Shape ShapeOf(const Dfa& trim) {
  const std::size_t symbols = trim.alphabet().size();
  Shape shape(symbols);
  shape.has_empty = trim.IsAccepting(trim.start());
  for (const auto& t : trim.TransitionsFrom(trim.start())) shape.first[Index(t.symbol)] = true;
  for (const auto& t : trim.transitions()) {
    if (trim.IsAccepting(t.target)) shape.last[Index(t.symbol)] = true;
    if (shape.pairs.empty()) continue;
    for (const auto& next : trim.TransitionsFrom(t.target)) {
      shape.pairs[Index(t.symbol)][Index(next.symbol)] = true;
    }
  }
  for (std::size_t i = 0; i < kModuli.size(); ++i) {
    // Propagates the remainders of lengths that lead to each state until none is new.
    std::vector<unsigned> remainders(trim.num_states(), 0);
    std::vector<StateId> open{trim.start()};
    remainders[Index(trim.start())] = 1;
    while (!open.empty()) {
      const StateId q = open.back();
      open.pop_back();
      const unsigned here = remainders[Index(q)];
      const unsigned all = (1u << kModuli[i]) - 1;
      const unsigned next = ((here << 1) | (here >> (kModuli[i] - 1))) & all;
      for (const auto& t : trim.TransitionsFrom(q)) {
        if ((next & ~remainders[Index(t.target)]) == 0) continue;
        remainders[Index(t.target)] |= next;
        open.push_back(t.target);
      }
    }
    for (std::size_t q = 0; q < trim.num_states(); ++q) {
      if (trim.IsAccepting(StateAt(q))) shape.lengths[i] |= remainders[q];
    }
  }
  return shape;
}

// The sums of two sets of remainders.
unsigned AddRemainders(unsigned a, unsigned b, std::size_t modulus) {
  unsigned sums = 0;
  for (std::size_t r = 0; r < modulus; ++r) {
    if (((a >> r) & 1) == 0) continue;
    for (std::size_t s = 0; s < modulus; ++s) {
      if (((b >> s) & 1) != 0) sums |= 1u << ((r + s) % modulus);
    }
  }
  return sums;
}

// The shape of every symbol of the grammar, until nothing is added; pairs are of the whole grammar.
Shape ShapeOf(const NormalForm& normal) {
  const std::size_t symbols = normal.alphabet.size();
  const std::size_t count = symbols + normal.num_nonterminals();
  // The sets are those of nonterminals, since a terminal begins and ends with itself.
  std::vector<SymbolSet> first(normal.num_nonterminals(), SymbolSet(symbols, false)), last = first;
  std::vector<Remainders> lengths(count, Remainders{});
  for (std::size_t a = 0; a < symbols; ++a) {
    for (unsigned& remainders : lengths[a]) remainders = 2;
  }
  bool changed = true;
  const auto add_symbol = [&](std::size_t a, SymbolSet& to) {
    if (!to[a]) changed = to[a] = true;
  };
  const auto add_symbols = [&](const std::vector<SymbolSet>& of, std::size_t from, SymbolSet& to) {
    if (from < symbols) return add_symbol(from, to);
    for (std::size_t a = 0; a < symbols; ++a) {
      if (of[from - symbols][a]) add_symbol(a, to);
    }
  };
  const auto add_lengths = [&](const Remainders& from, Remainders& to) {
    for (std::size_t i = 0; i < kModuli.size(); ++i) {
      changed |= (from[i] & ~to[i]) != 0;
      to[i] |= from[i];
    }
  };
  while (changed) {
    changed = false;
    for (std::size_t nonterminal = 0; nonterminal < normal.num_nonterminals(); ++nonterminal) {
      const std::size_t head = symbols + nonterminal;
      for (const auto& rule : normal.terminals_of[nonterminal]) {
        const std::size_t a = Index(rule.terminal);
        add_symbol(a, first[nonterminal]);
        add_symbol(a, last[nonterminal]);
        add_lengths(lengths[a], lengths[head]);
      }
      for (const auto& rule : normal.bodies_of[nonterminal]) {
        const std::size_t left = Index(normal.bodies[rule.body].left);
        const std::size_t right = Index(normal.bodies[rule.body].right);
        add_symbols(first, left, first[nonterminal]);
        add_symbols(last, right, last[nonterminal]);
        Remainders sums;
        for (std::size_t i = 0; i < kModuli.size(); ++i) {
          sums[i] = AddRemainders(lengths[left][i], lengths[right][i], kModuli[i]);
        }
        add_lengths(sums, lengths[head]);
      }
    }
  }
  Shape shape(symbols);
  shape.has_empty = normal.has_empty;
  shape.first = first[0];
  shape.last = last[0];
  shape.lengths = lengths[symbols];
  if (normal.has_empty) {
    for (unsigned& remainders : shape.lengths) remainders |= 1;
  }
  // No symbol of the normal form is useless, so every pair that a body can put together occurs.
  const auto has = [&](const std::vector<SymbolSet>& of, std::size_t symbol, std::size_t a) {
    return symbol < symbols ? symbol == a : bool{of[symbol - symbols][a]};
  };
  for (const auto& body : normal.bodies) {
    for (std::size_t a = 0; a < shape.pairs.size(); ++a) {
      if (!has(last, Index(body.left), a)) continue;
      for (std::size_t b = 0; b < symbols; ++b) {
        if (has(first, Index(body.right), b)) shape.pairs[a][b] = true;
      }
    }
  }
  return shape;
}

// A symbol as patterns write it.
std::string SymbolPattern(const std::string& name) {
  const bool is_character = Utf8CharacterAt(name, 0).value_or("").size() == name.size();
  const std::string_view special = is_character ? "|&~*+?{}()[].<>\\^$-" : ">\\";
  std::string text;
  for (const char c : name) {
    if (special.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return is_character ? text : "<" + text + ">";
}

std::string ClassPattern(const Alphabet& alphabet, const SymbolSet& set) {
  std::string text = "[";
  for (std::size_t a = 0; a < set.size(); ++a) {
    if (set[a]) text += SymbolPattern(alphabet.Name(SymbolAt(a)));
  }
  return text + "]";
}

bool IsAll(const SymbolSet& set) { return std::find(set.begin(), set.end(), false) == set.end(); }

// "(.{3})*.{2}" for the remainder 2 modulo 3; several are alternatives.
std::string LengthPattern(std::size_t modulus, unsigned remainders) {
  std::vector<std::string> alternatives;
  for (std::size_t r = 0; r < modulus; ++r) {
    if (((remainders >> r) & 1) == 0) continue;
    alternatives.push_back(
        fmt::format("(.{{{}}})*{}", modulus, r == 0 ? "" : fmt::format(".{{{}}}", r)));
  }
  return alternatives.size() == 1 ? alternatives[0]
                                  : fmt::format("({})", fmt::join(alternatives, "|"));
}

std::string PatternOf(const Alphabet& alphabet, const Shape& shape) {
  std::vector<std::string> parts;
  if (!IsAll(shape.first)) parts.push_back(ClassPattern(alphabet, shape.first) + ".*");
  if (!IsAll(shape.last)) parts.push_back(".*" + ClassPattern(alphabet, shape.last));
  std::vector<std::string> never;
  for (std::size_t a = 0; a < shape.pairs.size(); ++a) {
    if (IsAll(shape.pairs[a])) continue;
    SymbolSet others = shape.pairs[a];
    others.flip();
    never.push_back(SymbolPattern(alphabet.Name(SymbolAt(a))) + ClassPattern(alphabet, others));
  }
  if (!never.empty()) parts.push_back(fmt::format("~(.*({}).*)", fmt::join(never, "|")));
  // Remainders modulo 4 say at least as much as those modulo 2.
  const unsigned by_two = shape.lengths[kTwo] | (shape.lengths[kTwo] << 2);
  const bool four_says_more = shape.lengths[kFour] != by_two;
  for (std::size_t i = 0; i < kModuli.size(); ++i) {
    const bool is_told = (i == kTwo && four_says_more) || (i == kFour && !four_says_more);
    const unsigned all = (1u << kModuli[i]) - 1;
    if (is_told || shape.lengths[i] == all) continue;
    parts.push_back(LengthPattern(kModuli[i], shape.lengths[i]));
  }
  // The string ε has no first symbol, so the sets only say whether it is in the language.
  const bool empty_fits = IsAll(shape.first) && IsAll(shape.last);
  if (parts.empty()) return shape.has_empty ? ".*" : ".+";
  std::string pattern = fmt::format("{}", fmt::join(parts, " & "));
  if (shape.has_empty && !empty_fits) return fmt::format("()|({})", pattern);
  if (!shape.has_empty && empty_fits) return ".+ & " + pattern;
  return pattern;
}

std::string AutomaticEnvelope(const Language& language) {
  if (const Dfa* dfa = language.dfa()) return PatternOf(dfa->alphabet(), ShapeOf(*dfa));
  if (const auto* grammar = dynamic_cast<const ContextFreeLanguage*>(&language)) {
    return PatternOf(grammar->alphabet(), ShapeOf(grammar->normal_form()));
  }
  return "";
}

bool HasAll(const Dfa& envelope, const NormalForm& grammar) {
  Effort effort("the format of a grammar");
  const Dfa automaton = Complete(Minimize(envelope), effort);
  if (grammar.has_empty && !automaton.IsAccepting(automaton.start())) return false;
  const auto roots = MultiplyByAutomaton(grammar, automaton).roots;
  return std::all_of(roots.begin(), roots.end(), [&](const GrammarProduct::Root& root) {
    return automaton.IsAccepting(root.to);
  });
}

// Does every member have the format? Of languages that are neither regular nor given by a grammar
// that cannot be decided: they are believed.
bool HasAll(const Dfa& envelope, const Language& language) {
  if (const Dfa* dfa = language.dfa()) {
    Effort effort("");
    return IsEmpty(Intersect(*dfa, Complement(envelope, effort), effort));
  }
  const auto* grammar = dynamic_cast<const ContextFreeLanguage*>(&language);
  return grammar == nullptr || HasAll(envelope, grammar->normal_form());
}

}  // namespace

Dfa CompileEnvelope(const std::string& pattern, const Alphabet& alphabet,
                    const std::string& where) {
  try {
    Dfa envelope = CompileRegex(pattern, alphabet.names());
    if (envelope.alphabet() == alphabet) return envelope;
  } catch (const InputError& error) {
    throw InputError(where, error.what(), error.hint());
  }
  throw InputError(where,
                   fmt::format("{} has symbols that the language does not have: its alphabet is {}",
                               Quoted(pattern), fmt::join(alphabet.names(), " ")));
}

void GiveEnvelope(const std::string& pattern, const std::string& where, NamedLanguage& language) {
  const Dfa envelope = CompileEnvelope(pattern, language.language->alphabet(), where);
  try {
    if (!HasAll(envelope, *language.language)) {
      throw InputError(
          "", fmt::format("{} does not have every string of {}", Quoted(pattern), language.name));
    }
  } catch (const InputError& error) {
    throw InputError(where, error.what(), error.hint());
  }
  language.envelope = pattern;
  language.envelope_is_given = true;
}

std::string EnvelopeOf(const NamedLanguage& language) {
  return language.envelope.empty() ? AutomaticEnvelope(*language.language) : language.envelope;
}

std::optional<Dfa> EnvelopeAutomaton(const NamedLanguage& language) {
  const std::string pattern = EnvelopeOf(language);
  if (pattern.empty()) return std::nullopt;
  return CompileRegex(pattern, language.language->alphabet().names());
}

}  // namespace flare
