#include "flare/grammars/grammar.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {

std::vector<Grammar::Rule> UsefulRules(const Grammar& grammar, const std::string& where) {
  std::vector<bool> productive(grammar.nonterminals.size(), false), reachable = productive;
  const auto derives = [&](const Grammar::Rule& rule) {
    return std::all_of(rule.body.begin(), rule.body.end(), [&](GrammarSymbol x) {
      return grammar.IsTerminal(x) || productive[grammar.NonterminalIndex(x)];
    });
  };
  UntilNothingChanges(grammar.rules.size(), [&](std::size_t r) {
    const Grammar::Rule& rule = grammar.rules[r];
    if (productive[rule.head] || !derives(rule)) return false;
    return static_cast<bool>(productive[rule.head] = true);
  });
  if (!productive[grammar.start]) {
    throw InputError(where, fmt::format("the language is empty: no string can be derived from {}",
                                        grammar.nonterminals[grammar.start]));
  }
  reachable[grammar.start] = true;
  UntilNothingChanges(grammar.rules.size(), [&](std::size_t r) {
    const Grammar::Rule& rule = grammar.rules[r];
    if (!reachable[rule.head] || !derives(rule)) return false;
    bool changed = false;
    for (const GrammarSymbol x : rule.body) {
      if (grammar.IsTerminal(x) || reachable[grammar.NonterminalIndex(x)]) continue;
      changed = reachable[grammar.NonterminalIndex(x)] = true;
    }
    return changed;
  });
  std::vector<Grammar::Rule> useful;
  for (const Grammar::Rule& rule : grammar.rules) {
    if (reachable[rule.head] && derives(rule)) useful.push_back(rule);
  }
  return useful;
}

namespace {

// Weights are printed with few digits.
constexpr double kSumTolerance = 1e-6;

struct Position {
  std::size_t line, column;  // from 1; columns are characters
};

// A line with its continuations, and where each byte of it is in the file.
struct LogicalLine {
  std::string text;
  std::vector<Position> at;  // one more than bytes
};

std::vector<LogicalLine> LogicalLines(std::string_view text) {
  std::vector<LogicalLine> result;
  bool continues = false;
  std::size_t number = 0;
  for (std::string_view line : Lines(text)) {
    ++number;
    const std::size_t end = line.find_last_not_of(" \t\r");
    line = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
    const bool more = line.ends_with('\\');
    if (more) line.remove_suffix(1);
    if (!continues) result.emplace_back();
    LogicalLine& logical = result.back();
    if (continues) logical.at.pop_back();
    std::size_t column = 0;
    for (const char c : line) {
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++column;
      logical.text += c;
      logical.at.push_back({number, column});
    }
    if (more) {
      // A space keeps apart what stands before and after the break.
      logical.text += ' ';
      logical.at.push_back({number, column + 1});
    }
    logical.at.push_back({number, column + 1});
    continues = more;
  }
  return result;
}

bool IsNameStart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsNamePart(char c) { return IsNameStart(c) || c == '^' || c == '<' || c == '>' || c == '-'; }

// A symbol of a right side, before it is known which names are which numbers.
struct WrittenSymbol {
  bool terminal;
  std::string name;
  Position position;
};

struct Alternative {
  std::string head;
  std::vector<WrittenSymbol> body;
  std::optional<double> weight;
  Position position;
};

// The tokens of one logical line.
class LineReader {
 public:
  LineReader(const LogicalLine& line, const std::string& file) : line_(line), file_(file) {
    SkipSpace();
  }

  bool AtEnd() const { return next_ == line_.text.size(); }
  Position position() const { return line_.at[next_]; }
  char Peek() const { return AtEnd() ? '\0' : line_.text[next_]; }

  // Takes `text` if it comes next.
  bool Take(std::string_view text) {
    if (!std::string_view(line_.text).substr(next_).starts_with(text)) return false;
    next_ += text.size();
    SkipSpace();
    return true;
  }

  std::string TakeName(const std::string& expected) {
    if (AtEnd() || !IsNameStart(Peek())) Expected(expected);
    const std::size_t begin = next_;
    // NLTK's names may have '-' and '>', but "A->b" is a rule.
    while (!AtEnd() && IsNamePart(Peek()) &&
           !std::string_view(line_.text).substr(next_).starts_with("->")) {
      const auto character = Utf8CharacterAt(line_.text, next_);
      if (!character) Expected("UTF-8");
      next_ += character->size();
    }
    std::string name = line_.text.substr(begin, next_ - begin);
    SkipSpace();
    return name;
  }

  std::string TakeTerminal() {
    const Position begin = position();
    const char quote = Peek();
    const std::size_t end = line_.text.find(quote, next_ + 1);
    if (end == std::string::npos) {
      Fail(begin,
           fmt::format("the terminal {} has no closing quote", Quoted(line_.text.substr(next_))));
    }
    std::string name = line_.text.substr(next_ + 1, end - next_ - 1);
    if (name.empty()) Fail(begin, "a terminal without a name", "ε is an empty alternative");
    CheckSymbolName(name, Where(begin));
    next_ = end + 1;
    SkipSpace();
    return name;
  }

  double TakeWeight() {
    const Position begin = position();
    const std::size_t end = line_.text.find(']', next_);
    const std::string text = line_.text.substr(next_ + 1, end - next_ - 1);
    const auto value = ParseNumber<double>(text);
    if (end == std::string::npos || !value || !(*value > 0 && *value <= 1)) {
      Fail(begin, fmt::format("{} is not a probability above 0, as [0.25]",
                              Quoted(line_.text.substr(next_, end - next_ + 1))));
    }
    next_ = end + 1;
    SkipSpace();
    return *value;
  }

  [[noreturn]] void Expected(const std::string& what) const {
    Fail(position(), AtEnd() ? fmt::format("the line ends, expected {}", what)
                             : fmt::format("{} is not {}", Quoted(line_.text.substr(next_)), what));
  }
  [[noreturn]] void Fail(Position at, const std::string& what, const std::string& hint = "") const {
    throw InputError(Where(at), what, hint);
  }

 private:
  std::string Where(Position at) const {
    return fmt::format("{}:{}", FileLine(file_, at.line), at.column);
  }
  void SkipSpace() {
    while (!AtEnd() && (Peek() == ' ' || Peek() == '\t')) ++next_;
  }

  const LogicalLine& line_;
  const std::string& file_;
  std::size_t next_ = 0;
};

class GrammarReader {
 public:
  explicit GrammarReader(const std::string& file) : file_(file) {}

  Grammar Read(std::string_view text, const std::vector<std::string>& extra_symbols) {
    for (const LogicalLine& line : LogicalLines(text)) ReadLine(line);
    if (alternatives_.empty()) throw InputError(file_, "no rules: a grammar has at least one");
    return Build(extra_symbols);
  }

 private:
  void ReadLine(const LogicalLine& line) {
    LineReader reader(line, file_);
    if (reader.AtEnd() || reader.Peek() == '#') return;
    if (reader.Peek() == '%') return ReadDirective(reader);
    const Position begin = reader.position();
    const std::string head = reader.TakeName("the nonterminal on the left of ->");
    if (!reader.Take("->")) reader.Expected(fmt::format("-> after {}", head));
    AddAlternative(reader, head, begin);
    while (!reader.AtEnd()) {
      Alternative& last = alternatives_.back();
      if (reader.Peek() == '|') {
        reader.Take("|");
        AddAlternative(reader, head, reader.position());
      } else if (last.weight) {
        reader.Expected("| or the end of the line, after a weight");
      } else if (reader.Peek() == '[') {
        last.weight = reader.TakeWeight();
      } else {
        AddSymbol(reader, last);
      }
    }
  }

  void ReadDirective(LineReader& reader) {
    const Position begin = reader.position();
    if (!reader.Take("%start")) reader.Expected("%start, the only directive");
    if (start_) reader.Fail(begin, fmt::format("a second %start; the first was {}", *start_));
    start_position_ = reader.position();
    start_ = reader.TakeName("a nonterminal");
    if (!reader.AtEnd()) reader.Expected("the end of the line");
  }

  void AddAlternative(const LineReader& reader, const std::string& head, Position position) {
    if (alternatives_.size() == kMostGrammarRules) {
      reader.Fail(position, fmt::format("more than {} rules", kMostGrammarRules));
    }
    alternatives_.push_back({head, {}, std::nullopt, position});
    nonterminals_.try_emplace(head, nonterminals_.size());
  }

  void AddSymbol(LineReader& reader, Alternative& alternative) {
    const Position begin = reader.position();
    if (++num_symbols_ > kMostGrammarSymbols) {
      reader.Fail(begin, fmt::format("more than {} symbols in the rules", kMostGrammarSymbols));
    }
    const bool terminal = reader.Peek() == '\'' || reader.Peek() == '"';
    std::string name = terminal
                           ? reader.TakeTerminal()
                           : reader.TakeName("a nonterminal, a quoted terminal, | or a weight");
    alternative.body.push_back({terminal, std::move(name), begin});
  }

  std::string Where(Position at) const {
    return fmt::format("{}:{}", FileLine(file_, at.line), at.column);
  }

  std::size_t Find(const std::string& name, Position at) const {
    const auto found = nonterminals_.find(name);
    if (found != nonterminals_.end()) return found->second;
    if (name == "ε" || name == "λ" || name == "epsilon") {
      throw InputError(Where(at), fmt::format("{} is not a symbol", name),
                       "an alternative without symbols is the empty string: S -> 'a' S |");
    }
    throw InputError(Where(at), fmt::format("the nonterminal {} has no rules", Quoted(name)),
                     fmt::format("a terminal is quoted: '{}'", name));
  }

  // Symbols that nobody quoted are nonterminals without rules.
  void CheckHasRules() const {
    for (const Alternative& alternative : alternatives_) {
      for (const WrittenSymbol& symbol : alternative.body) {
        if (!symbol.terminal) Find(symbol.name, symbol.position);
      }
    }
  }

  Grammar Build(const std::vector<std::string>& extra_symbols) const {
    std::vector<std::string> names = extra_symbols;
    for (const Alternative& alternative : alternatives_) {
      for (const WrittenSymbol& symbol : alternative.body) {
        if (symbol.terminal) names.push_back(symbol.name);
      }
    }
    Grammar grammar{Alphabet(std::move(names))};
    if (grammar.alphabet.size() == 0) {
      CheckHasRules();
      throw InputError(file_, "the grammar has no terminals", "name symbols with --alphabet");
    }
    grammar.nonterminals.resize(nonterminals_.size());
    for (const auto& [name, index] : nonterminals_) grammar.nonterminals[index] = name;
    grammar.start = start_ ? Find(*start_, start_position_)
                           : nonterminals_.find(alternatives_.front().head)->second;
    for (const Alternative& alternative : alternatives_) {
      Grammar::Rule rule{nonterminals_.find(alternative.head)->second, {}, 0};
      for (const WrittenSymbol& symbol : alternative.body) {
        rule.body.push_back(symbol.terminal
                                ? Terminal(grammar.alphabet.At(symbol.name))
                                : grammar.Nonterminal(Find(symbol.name, symbol.position)));
      }
      grammar.rules.push_back(std::move(rule));
    }
    SetWeights(grammar);
    return grammar;
  }

  void SetWeights(Grammar& grammar) const {
    struct Sum {
      std::size_t alternatives = 0, weighted = 0;
      double weight = 0;
    };
    std::vector<Sum> sums(grammar.nonterminals.size());
    for (std::size_t r = 0; r < alternatives_.size(); ++r) {
      Sum& sum = sums[grammar.rules[r].head];
      const auto& weight = alternatives_[r].weight;
      if (sum.alternatives > 0 && (sum.weighted > 0) != weight.has_value()) {
        throw InputError(
            Where(alternatives_[r].position),
            fmt::format("{} has alternatives with weights and without", alternatives_[r].head));
      }
      ++sum.alternatives;
      sum.weighted += weight ? 1 : 0;
      sum.weight += weight.value_or(0);
    }
    for (std::size_t r = 0; r < alternatives_.size(); ++r) {
      const Sum& sum = sums[grammar.rules[r].head];
      if (sum.weighted > 0 && std::abs(sum.weight - 1) > kSumTolerance) {
        throw InputError(Where(alternatives_[r].position),
                         fmt::format("the weights of {} add up to {:.9g}, not 1",
                                     alternatives_[r].head, sum.weight));
      }
      grammar.rules[r].weight =
          alternatives_[r].weight.value_or(1.0 / static_cast<double>(sum.alternatives));
    }
    for (const Sum& sum : sums) grammar.has_weights.push_back(sum.weighted > 0);
  }

  const std::string& file_;
  std::vector<Alternative> alternatives_;
  std::map<std::string, std::size_t> nonterminals_;
  std::size_t num_symbols_ = 0;
  std::optional<std::string> start_;
  Position start_position_{};
};

std::string FormatBody(const Grammar& grammar, const Grammar::Rule& rule) {
  std::vector<std::string> parts;
  for (const GrammarSymbol x : rule.body) {
    if (grammar.IsTerminal(x)) {
      const std::string& name = grammar.alphabet.Name(SymbolAt(Index(x)));
      const char quote = name.find('\'') == std::string::npos ? '\'' : '"';
      parts.push_back(fmt::format("{}{}{}", quote, name, quote));
    } else {
      parts.push_back(grammar.nonterminals[grammar.NonterminalIndex(x)]);
    }
  }
  if (grammar.has_weights[rule.head]) parts.push_back(fmt::format("[{}]", rule.weight));
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace

Grammar ParseGrammar(std::string_view text, const std::string& file,
                     const std::vector<std::string>& extra_symbols) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw InputError(file + ":1:1", "begins with a byte order mark, which is invisible",
                     "save the file as UTF-8 without one");
  }
  return GrammarReader(file).Read(text, extra_symbols);
}

std::vector<std::string> FormatGrammar(const Grammar& grammar) {
  std::vector<std::vector<std::string>> bodies(grammar.nonterminals.size());
  for (const Grammar::Rule& rule : grammar.rules) {
    bodies[rule.head].push_back(FormatBody(grammar, rule));
  }
  std::vector<std::string> lines;
  const auto add = [&](std::size_t head) {
    lines.push_back(
        fmt::format("{} -> {}", grammar.nonterminals[head], fmt::join(bodies[head], " | ")));
  };
  add(grammar.start);
  for (std::size_t head = 0; head < bodies.size(); ++head) {
    if (head != grammar.start) add(head);
  }
  return lines;
}

namespace {

// Items of all states; about a second.
constexpr std::size_t kMostLrItems = 200'000;

// A set of terminals and the end of the string, which has the number |Σ|.
using Lookahead = std::vector<bool>;

// Adds `more` to `set`; true if that changed it.
bool Unite(const Lookahead& more, Lookahead& set) {
  bool changed = false;
  for (std::size_t a = 0; a < set.size(); ++a) {
    if (!more[a] || set[a]) continue;
    changed = set[a] = true;
  }
  return changed;
}

bool Intersect(const Lookahead& a, const Lookahead& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] && b[i]) return true;
  }
  return false;
}

// A rule with a dot in its body, and what may follow the rule.
struct LrItem {
  std::size_t rule, dot;
  auto operator<=>(const LrItem&) const = default;
};
using LrState = std::map<LrItem, Lookahead>;

class LrAutomaton {
 public:
  explicit LrAutomaton(const Grammar& grammar)
      : grammar_(grammar), rules_(UsefulRules(grammar, "")) {
    // S′ → S, so that the start is reduced once.
    rules_.push_back({grammar.nonterminals.size(), {grammar.Nonterminal(grammar.start)}, 1});
    rules_of_.resize(grammar.nonterminals.size() + 1);
    for (std::size_t r = 0; r < rules_.size(); ++r) rules_of_[rules_[r].head].push_back(r);
    FindFirst();
  }

  bool HasNoConflicts() {
    Lookahead end = Nothing();
    end.back() = true;
    std::set<LrState> known_kernels;
    std::vector<LrState> open;
    const auto add = [&](LrState kernel) {
      if (known_kernels.insert(kernel).second) open.push_back(std::move(kernel));
    };
    add({{{rules_.size() - 1, 0}, end}});
    std::size_t items = 0;
    while (!open.empty()) {
      LrState state = std::move(open.back());
      open.pop_back();
      Close(state);
      items += state.size();
      if (items > kMostLrItems || HasConflict(state)) return false;
      std::map<GrammarSymbol, LrState> next;
      for (const auto& [item, lookahead] : state) {
        if (!IsComplete(item)) next[AfterDot(item)][{item.rule, item.dot + 1}] = lookahead;
      }
      for (auto& [symbol, kernel] : next) add(std::move(kernel));
    }
    return true;
  }

 private:
  Lookahead Nothing() const { return Lookahead(grammar_.alphabet.size() + 1, false); }
  bool IsComplete(const LrItem& item) const { return item.dot == rules_[item.rule].body.size(); }
  GrammarSymbol AfterDot(const LrItem& item) const { return rules_[item.rule].body[item.dot]; }

  // Returns the first symbols of the strings of a body from `begin` on, and `follow` if one is
  // empty.
  Lookahead FirstOf(const std::vector<GrammarSymbol>& body, std::size_t begin,
                    const Lookahead& follow) const {
    Lookahead first = Nothing();
    for (std::size_t i = begin; i < body.size(); ++i) {
      if (grammar_.IsTerminal(body[i])) {
        first[Index(body[i])] = true;
        return first;
      }
      const std::size_t a = grammar_.NonterminalIndex(body[i]);
      Unite(first_[a], first);
      if (!nullable_[a]) return first;
    }
    Unite(follow, first);
    return first;
  }

  void FindFirst() {
    first_.assign(rules_of_.size(), Nothing());
    nullable_.assign(rules_of_.size(), false);
    // The mark of the end stands for "may be empty" here.
    Lookahead empty = Nothing();
    empty.back() = true;
    UntilNothingChanges(rules_.size(), [&](std::size_t r) {
      Lookahead first = FirstOf(rules_[r].body, 0, empty);
      const bool vanishes = first.back();
      first.back() = false;
      bool changed = Unite(first, first_[rules_[r].head]);
      if (vanishes && !nullable_[rules_[r].head]) changed = nullable_[rules_[r].head] = true;
      return changed;
    });
  }

  // Adds B → •γ for every item A → α•Bβ.
  void Close(LrState& state) const {
    std::vector<LrItem> open;
    for (const auto& [item, lookahead] : state) open.push_back(item);
    while (!open.empty()) {
      const LrItem item = open.back();
      open.pop_back();
      if (IsComplete(item) || grammar_.IsTerminal(AfterDot(item))) continue;
      const Lookahead follow = FirstOf(rules_[item.rule].body, item.dot + 1, state.at(item));
      for (const std::size_t r : rules_of_[grammar_.NonterminalIndex(AfterDot(item))]) {
        const auto [added, is_new] = state.try_emplace({r, 0}, Nothing());
        if (Unite(follow, added->second) || is_new) open.push_back({r, 0});
      }
    }
  }

  bool HasConflict(const LrState& state) const {
    Lookahead taken = Nothing();
    for (const auto& [item, lookahead] : state) {
      if (!IsComplete(item) && grammar_.IsTerminal(AfterDot(item))) {
        taken[Index(AfterDot(item))] = true;
      }
    }
    for (const auto& [item, lookahead] : state) {
      if (!IsComplete(item)) continue;
      if (Intersect(lookahead, taken)) return true;
      Unite(lookahead, taken);
    }
    return false;
  }

  const Grammar& grammar_;
  std::vector<Grammar::Rule> rules_;
  std::vector<std::vector<std::size_t>> rules_of_;
  std::vector<Lookahead> first_;
  std::vector<bool> nullable_;
};

}  // namespace

bool IsLr1(const Grammar& grammar) { return LrAutomaton(grammar).HasNoConflicts(); }

}  // namespace flare
