// combine:EXPRESSION: regular languages in braces, combined.
//
//   expression = term { "|" term }
//   term       = factor { ( "&" | "-" ) factor }
//   factor     = "~" factor | "reverse" factor | "(" expression ")" | "{" LANGUAGE "}"
//
// White space between these is skipped. Braces inside a LANGUAGE are in pairs or behind a
// backslash, as patterns have them.

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/combine.h"
#include "flare/languages/regular_source.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

constexpr const char* kPrefix = "combine:";
constexpr std::size_t kDeepest = 250;  // as patterns

const Dfa& AutomatonOf(const NamedLanguage& language) {
  const Dfa* dfa = language.language->dfa();
  if (dfa != nullptr) return *dfa;
  throw InputError(language.name, fmt::format("is {}: only regular languages can be combined",
                                              LongName(language.language_class)));
}

// The strings of either; trim. Requires: equal alphabets. By De Morgan: intersection and complement
// are all that has to be right.
Dfa Unite(const Dfa& a, const Dfa& b, Effort& effort) {
  return Complement(Intersect(Complement(a, effort), Complement(b, effort), effort), effort);
}

// Each string from its last symbol to its first; trim.
Dfa Reverse(const Dfa& dfa, Effort& effort) {
  effort.SpendAutomaton(dfa.alphabet().size());
  effort.Spend(1 + dfa.num_states() + dfa.num_transitions());
  Nfa reversed(dfa.alphabet());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) reversed.AddState(StateAt(q) == dfa.start());
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      reversed.AddTransition(r, a, true, StateAt(q));
    }
  }
  reversed.start = reversed.AddState(false);
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    if (dfa.IsAccepting(StateAt(q))) {
      reversed.AddTransition(reversed.start, std::nullopt, true, StateAt(q));
    }
  }
  return Determinize(reversed, effort);
}

// Accepts the same strings over a larger alphabet. Requires: it has all symbols of the DFA's own.
Dfa OverAlphabet(const Dfa& dfa, const Alphabet& alphabet) {
  DfaBuilder b(alphabet);
  for (std::size_t q = 0; q < dfa.num_states(); ++q) b.AddState(dfa.IsAccepting(StateAt(q)));
  for (std::size_t q = 0; q < dfa.num_states(); ++q) {
    for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
      b.AddTransition(StateAt(q), dfa.alphabet().Name(a), r);
    }
  }
  return std::move(b).Build(dfa.start());
}

Dfa Apply(char operation, const Dfa& l, const Dfa& m, Effort& effort) {
  switch (operation) {
    case '&':
      return Minimize(Intersect(l, m, effort));
    case '-':
      return Minimize(Intersect(l, Complement(m, effort), effort));
    case '|':
      return Minimize(Unite(l, m, effort));
    default:
      throw InputError("combine", fmt::format("unknown operation '{}'", operation));
  }
}

Alphabet UnionOf(std::vector<std::string> names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return Alphabet(std::move(names));
}

std::string Braced(const NamedLanguage& language) { return "{" + language.name + "}"; }

// A text of braces, operators and parentheses, read twice: first for its languages, whose symbols
// are the alphabet of all of it, then for its meaning.
class SetExpression {
 public:
  SetExpression(const std::string& text, std::string_view argument)
      : text_(text), rest_(argument), whole_(argument) {}

  std::map<std::string, NamedLanguage> Languages() {
    std::map<std::string, NamedLanguage> languages;
    languages_ = &languages;
    Whole();
    return languages;
  }

  Dfa Meaning(const std::map<std::string, Dfa>& automata, Effort& effort) {
    automata_ = &automata;
    effort_ = &effort;
    rest_ = whole_;
    return *Whole();
  }

 private:
  // The first pass, which only checks the text, computes nothing.
  using Value = std::optional<Dfa>;

  [[noreturn]] void Refuse(const std::string& what) const {
    throw InputError(fmt::format("{}:{}", text_, text_.size() - rest_.size() + 1), what,
                     "expected languages in braces with &, |, -, ~ and reverse, as "
                     "'combine:{parity} & ~{even-pairs}'");
  }

  char Next() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool Take(char c) {
    if (Next() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Value Whole() {
    Value value = Union(0);
    if (Next() != '\0' || !rest_.empty()) {
      Refuse(fmt::format("unexpected {}", Quoted(std::string(rest_))));
    }
    return value;
  }

  Value Union(std::size_t depth) {
    Value value = Intersection(depth);
    while (Take('|')) value = Both('|', std::move(value), Intersection(depth));
    return value;
  }

  Value Intersection(std::size_t depth) {
    Value value = Factor(depth);
    while (true) {
      if (Take('&')) {
        value = Both('&', std::move(value), Factor(depth));
      } else if (Take('-')) {
        value = Both('-', std::move(value), Factor(depth));
      } else {
        return value;
      }
    }
  }

  Value Both(char operation, const Value& l, const Value& m) const {
    if (!l) return {};
    return Apply(operation, *l, *m, *effort_);
  }

  Value Factor(std::size_t depth) {
    if (depth > kDeepest) Refuse(fmt::format("nests more than {} levels deep", kDeepest));
    constexpr std::string_view kReverse = "reverse";
    if (Take('~')) {
      const Value of = Factor(depth + 1);
      if (!of) return {};
      return Minimize(Complement(*of, *effort_));
    }
    Next();
    if (rest_.starts_with(kReverse)) {
      rest_.remove_prefix(kReverse.size());
      const Value of = Factor(depth + 1);
      if (!of) return {};
      return Minimize(Reverse(*of, *effort_));
    }
    if (Take('(')) {
      Value value = Union(depth + 1);
      if (!Take(')')) Refuse("a parenthesis is not closed");
      return value;
    }
    if (!Take('{')) Refuse(rest_.empty() ? "a language is missing" : "expected a language");
    const std::string name = InBraces();
    if (automata_ != nullptr) return automata_->at(name);
    if (!languages_->contains(name)) languages_->emplace(name, ResolveLanguage(name));
    return {};
  }

  // Up to the brace that closes the one that was taken.
  std::string InBraces() {
    std::size_t open = 1;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '{') {
        ++open;
      } else if (rest_[i] == '}' && --open == 0) {
        std::string name(rest_.substr(0, i));
        if (name.empty()) Refuse("the braces are empty");
        rest_.remove_prefix(i + 1);
        return name;
      }
    }
    Refuse("a brace is not closed");
  }

  const std::string& text_;
  std::string_view rest_;
  const std::string_view whole_;
  std::map<std::string, NamedLanguage>* languages_ = nullptr;
  const std::map<std::string, Dfa>* automata_ = nullptr;
  Effort* effort_ = nullptr;
};

NamedLanguage Made(const Dfa& dfa, const std::string& expression, const std::string& definition) {
  return FromAutomaton(dfa, kPrefix + expression, definition, kPrefix + expression);
}

}  // namespace

NamedLanguage ParseCombineSource(const std::string& text, const std::string& argument,
                                 const ResolveOptions& options) {
  SetExpression expression(text, argument);
  const auto languages = expression.Languages();
  std::vector<std::string> names = options.extra_symbols;
  std::string definition = "the strings of " + argument;
  for (const auto& [name, language] : languages) {
    const auto& symbols = AutomatonOf(language).alphabet().names();
    names.insert(names.end(), symbols.begin(), symbols.end());
  }
  const Alphabet alphabet(names);
  std::map<std::string, Dfa> automata;
  for (const auto& [name, language] : languages) {
    automata.emplace(name, OverAlphabet(AutomatonOf(language), alphabet));
  }
  Effort effort(text);
  return FromAutomaton(expression.Meaning(automata, effort), text, definition, text);
}

NamedLanguage Combined(const NamedLanguage& l, char operation, const NamedLanguage& m) {
  const Dfa &a = AutomatonOf(l), &b = AutomatonOf(m);
  const Alphabet alphabet = UnionOf(a.alphabet().names(), b.alphabet().names());
  const std::string expression = fmt::format("{} {} {}", Braced(l), operation, Braced(m));
  Effort effort(kPrefix + expression);
  return Made(Apply(operation, OverAlphabet(a, alphabet), OverAlphabet(b, alphabet), effort),
              expression, "the strings of " + expression);
}

NamedLanguage ComplementOf(const NamedLanguage& l) {
  const std::string expression = "~" + Braced(l);
  Effort effort(kPrefix + expression);
  return Made(Complement(AutomatonOf(l), effort), expression,
              fmt::format("the strings that are not in {}", l.name));
}

NamedLanguage ReversalOf(const NamedLanguage& l) {
  const std::string expression = "reverse " + Braced(l);
  Effort effort(kPrefix + expression);
  return Made(Reverse(AutomatonOf(l), effort), expression,
              fmt::format("the strings of {}, read backwards", l.name));
}

}  // namespace flare
