#include "flare/automata/regex.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "flare/automata/alphabet.h"
#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

// The tree is walked recursively, so its depth is bounded; so are the counts and the alphabet.
constexpr std::size_t kDeepest = 250;
constexpr std::size_t kLargestCount = 10'000;
constexpr std::size_t kMostSymbols = 100'000;
constexpr std::size_t kMostListed = 300'000;  // symbols in all classes together

constexpr std::string_view kSpecial = "|&~*+?{}()[].<>\\^$";
constexpr std::string_view kSpace = " \t\n\r";

using Kind = RegexNode::Kind;

class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern) {}

  RegexTree Parse() {
    tree_.root = ParseUnion(0);
    if (!AtEnd()) Fail(position_, fmt::format("unexpected {}", Quoted(Peek())));
    return std::move(tree_);
  }

 private:
  // `position` counts bytes; people count characters.
  [[noreturn]] void Fail(std::size_t position, const std::string& what) const {
    std::size_t column = 0;
    for (std::size_t i = 0; i < position && i < pattern_.size(); ++i) {
      if ((static_cast<unsigned char>(pattern_[i]) & 0xC0) != 0x80) ++column;
    }
    std::string hint;
    if (pattern_.size() <= 80 && pattern_.find('\n') == std::string_view::npos) {
      hint = fmt::format("  {}\n  {}^", pattern_, std::string(column, ' '));
    }
    throw InputError("regex", fmt::format("character {}: {}", column + 1, what), hint);
  }

  void SkipSpace() {
    while (position_ < pattern_.size() &&
           kSpace.find(pattern_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }
  bool AtEnd() {
    SkipSpace();
    return position_ == pattern_.size();
  }
  std::string_view Peek() {
    const auto character = Utf8CharacterAt(pattern_, position_);
    if (!character) Fail(position_, "the pattern is not UTF-8");
    return *character;
  }
  bool NextIs(char c) { return !AtEnd() && pattern_[position_] == c; }
  bool Accept(char c) {
    if (!NextIs(c)) return false;
    ++position_;
    return true;
  }

  std::size_t Add(RegexNode node) {
    for (const std::size_t child : node.children) {
      node.depth = std::max(node.depth, tree_.nodes[child].depth + 1);
    }
    if (node.depth > kDeepest) {
      Fail(position_, fmt::format("nested more than {} levels deep", kDeepest));
    }
    tree_.nodes.push_back(std::move(node));
    return tree_.nodes.size() - 1;
  }

  void Mention(const std::string& name) {
    tree_.symbols.insert(name);
    if (tree_.symbols.size() > kMostSymbols) {
      Fail(position_, fmt::format("more than {} symbols", kMostSymbols));
    }
  }

  void List(const std::string& name, RegexNode& node) {
    node.names.insert(name);
    Mention(name);
    if (++num_listed_ > kMostListed) {
      Fail(position_, fmt::format("the classes list more than {} symbols", kMostListed));
    }
  }

  // One or more parts separated by `separator`; a single part stands for itself.
  template <class Part>
  std::size_t ParseSeparated(char separator, Kind kind, Part part) {
    std::vector<std::size_t> parts{part()};
    while (Accept(separator)) parts.push_back(part());
    return parts.size() == 1 ? parts[0] : Add({.kind = kind, .children = std::move(parts)});
  }

  std::size_t ParseUnion(std::size_t depth) {
    if (depth > kDeepest) Fail(position_, fmt::format("nested more than {} levels deep", kDeepest));
    return ParseSeparated('|', Kind::kUnion, [&] {
      return ParseSeparated('&', Kind::kIntersect, [&] { return ParseConcat(depth); });
    });
  }

  std::size_t ParseConcat(std::size_t depth) {
    std::vector<std::size_t> parts;
    while (!AtEnd() && !NextIs('|') && !NextIs('&') && !NextIs(')')) {
      parts.push_back(ParsePrefix(depth));
    }
    return parts.size() == 1 ? parts[0]
                             : Add({.kind = Kind::kConcat, .children = std::move(parts)});
  }

  std::size_t ParsePrefix(std::size_t depth) {
    bool complement = false;
    while (Accept('~')) complement = !complement;
    const std::size_t operand = ParsePostfix(depth);
    return complement ? Add({.kind = Kind::kComplement, .children = {operand}}) : operand;
  }

  std::size_t ParsePostfix(std::size_t depth) {
    std::size_t operand = ParseAtom(depth);
    while (true) {
      RegexNode repeat{.kind = Kind::kRepeat, .children = {operand}};
      if (Accept('*')) {
      } else if (Accept('+')) {
        repeat.least = 1;
      } else if (Accept('?')) {
        repeat.most = 1;
      } else if (NextIs('{')) {
        ParseCounts(repeat);
      } else {
        return operand;
      }
      operand = Add(std::move(repeat));
    }
  }

  void ParseCounts(RegexNode& repeat) {
    const std::size_t open = position_++;
    const auto least = ParseCount();
    if (Accept(',')) {
      repeat.most = ParseCount();
      if (!least && !repeat.most) Fail(open, "'{,}' has no count; write '*'");
    } else {
      if (!least) Fail(open, "expected a count after '{', as in {2}, {2,} or {2,5}");
      repeat.most = least;
    }
    repeat.least = least.value_or(0);
    if (!Accept('}')) Fail(open, "this '{' is not closed by '}'; to mean the symbol, write '\\{'");
    if (repeat.most && *repeat.most < repeat.least) {
      Fail(open, fmt::format("{{{},{}}}: the upper count is below the lower one", repeat.least,
                             *repeat.most));
    }
  }

  std::optional<std::size_t> ParseCount() {
    SkipSpace();
    const std::size_t begin = position_;
    std::size_t value = 0;
    while (position_ < pattern_.size() && pattern_[position_] >= '0' &&
           pattern_[position_] <= '9') {
      value = value * 10 + static_cast<std::size_t>(pattern_[position_++] - '0');
      if (value > kLargestCount) Fail(begin, fmt::format("a count above {}", kLargestCount));
    }
    if (position_ == begin) return std::nullopt;
    return value;
  }

  std::size_t ParseAtom(std::size_t depth) {
    if (AtEnd() || NextIs('|') || NextIs('&') || NextIs(')')) {
      Fail(position_, "expected a symbol or a group after '~'");
    }
    if (NextIs('^') || NextIs('$')) {
      Fail(position_, fmt::format("a pattern matches whole strings, so it has no anchors; to mean "
                                  "the symbol, write '\\{}'",
                                  Peek()));
    }
    const std::size_t begin = position_;
    if (Accept('.')) return Add({.kind = Kind::kSymbols, .negated = true});
    if (Accept('[')) return ParseClass(begin);
    if (Accept('(')) {
      const std::size_t inner = ParseUnion(depth + 1);
      if (!Accept(')')) Fail(begin, "this '(' is not closed");
      return inner;
    }
    if (NextIs('*') || NextIs('+') || NextIs('?') || NextIs('{')) {
      Fail(begin, fmt::format("{} has nothing to repeat; to mean the symbol, write '\\{}'",
                              Quoted(Peek()), Peek()));
    }
    const std::string name = ParseSymbol();
    Mention(name);
    return Add({.kind = Kind::kSymbols, .names = {name}});
  }

  std::size_t ParseClass(std::size_t begin) {
    RegexNode node{.kind = Kind::kSymbols};
    node.negated = Accept('^');
    while (!Accept(']')) {
      if (AtEnd()) Fail(begin, "this '[' is not closed");
      const std::size_t first_at = position_;
      const std::string first = ParseSymbol();
      if (!Accept('-')) {
        List(first, node);
        continue;
      }
      if (AtEnd() || NextIs(']'))
        Fail(position_, "a range needs an end; for the symbol, write '\\-'");
      const std::string last = ParseSymbol();
      AddRange(first, last, first_at, node);
    }
    return Add(std::move(node));
  }

  void AddRange(const std::string& first, const std::string& last, std::size_t at,
                RegexNode& node) {
    const auto single = [](const std::string& name) {
      const auto character = Utf8CharacterAt(name, 0);
      return character && character->size() == name.size();
    };
    if (!single(first) || !single(last)) {
      Fail(at, fmt::format("a range needs single characters, not {} and {}", Quoted(first),
                           Quoted(last)));
    }
    const char32_t low = CodePoint(first), high = CodePoint(last);
    if (high < low) {
      Fail(at,
           fmt::format("the range {}-{} is empty: its ends are the wrong way round", first, last));
    }
    for (char32_t code = low; code <= high; ++code) {
      if (code >= 0xD800 && code < 0xE000) continue;  // surrogates are not characters
      List(ToUtf8(code), node);
    }
  }

  std::string ParseSymbol() {
    SkipSpace();
    const std::size_t begin = position_;
    std::string_view character = Peek();
    position_ += character.size();
    std::string name(character);
    if (character == "<") {
      name = ParseName(begin);
    } else if (character == "\\") {
      if (position_ == pattern_.size()) Fail(begin, "'\\' at the end; write '\\\\' for the symbol");
      name = Peek();
      if (std::isalnum(static_cast<unsigned char>(name[0])) != 0) {
        Fail(begin,
             fmt::format("'\\{0}' has no meaning; the symbol is '{0}', a class is [...]", name));
      }
      position_ += name.size();
    } else if (kSpecial.find(character) != std::string_view::npos) {
      Fail(begin, fmt::format("unexpected {}; to mean the symbol, write '\\{}'", Quoted(character),
                              character));
    }
    try {
      CheckSymbolName(name, "");
    } catch (const InputError& error) {
      Fail(begin, error.what());
    }
    return name;
  }

  // The rest of `<name>`; a backslash takes the next character as it is.
  std::string ParseName(std::size_t begin) {
    std::string name;
    while (position_ < pattern_.size()) {
      std::string_view character = Peek();
      position_ += character.size();
      if (character == ">") return name;
      if (character == "\\" && position_ < pattern_.size()) {
        character = Peek();
        position_ += character.size();
      }
      name += character;
    }
    Fail(begin, "this '<' is not closed by '>'; to mean the symbol, write '\\<'");
  }

  std::string_view pattern_;
  std::size_t position_ = 0;
  std::size_t num_listed_ = 0;
  RegexTree tree_;
};

}  // namespace

RegexTree ParseRegex(std::string_view pattern) { return Parser(pattern).Parse(); }

namespace {

using Kind = RegexNode::Kind;

// A part of an NFA that is entered at one state and left at another.
struct Fragment {
  StateId entry, exit;
};

// Thompson's construction: one fragment per node. Complement and intersection have no such
// fragment; their operands become DFAs first, and the result is put back in as a fragment.
class Compiler {
 public:
  // What is shared by all automata of a pattern, by node: a node that is copied ({m,n} copies its
  // operand, so nested counts multiply) is looked at once.
  struct Shared {
    Effort effort{"regex"};
    std::map<std::size_t, Dfa> dfas;  // by node, of complements and intersections
    std::map<std::size_t, std::vector<Symbol>> symbols;
  };

  Compiler(const RegexTree& tree, const Alphabet& alphabet, Shared& shared)
      : tree_(tree), shared_(shared), nfa_(alphabet) {
    shared_.effort.SpendAutomaton(alphabet.size());
  }

  Dfa Compile(std::size_t node) && {
    const Fragment whole = Build(node);
    nfa_.start = whole.entry;
    nfa_.at(whole.exit).accept_weight = true;
    return Minimize(Determinize(nfa_, shared_.effort));
  }

 private:
  StateId NewState() {
    shared_.effort.CheckSize(nfa_.states.size() + num_transitions_ + 1);
    shared_.effort.Spend(1);
    return nfa_.AddState(false);
  }
  void Arc(StateId q, std::optional<Symbol> a, StateId r) {
    shared_.effort.CheckSize(nfa_.states.size() + ++num_transitions_);
    shared_.effort.Spend(1);
    nfa_.AddTransition(q, a, true, r);
  }
  void Silent(StateId q, StateId r) { Arc(q, {}, r); }
  Fragment NewFragment() {
    const StateId entry = NewState();
    return {entry, NewState()};
  }
  Dfa ToDfa(std::size_t node) const {
    return Compiler(tree_, nfa_.alphabet, shared_).Compile(node);
  }

  // The DFA of a complement or intersection.
  const Dfa& Cached(std::size_t index) {
    const auto found = shared_.dfas.find(index);
    if (found != shared_.dfas.end()) return found->second;
    const RegexNode& node = tree_.nodes[index];
    Dfa dfa = ToDfa(node.children[0]);
    if (node.kind == Kind::kComplement) dfa = Complement(dfa, shared_.effort);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      dfa = Minimize(Intersect(dfa, ToDfa(node.children[i]), shared_.effort));
    }
    return shared_.dfas.emplace(index, std::move(dfa)).first->second;
  }

  Fragment Build(std::size_t index) {
    const RegexNode& node = tree_.nodes[index];
    switch (node.kind) {
      case Kind::kSymbols:
        return Symbols(index);
      case Kind::kConcat:
        return Concat(node);
      case Kind::kUnion:
        return Union(node);
      case Kind::kRepeat:
        return Repeat(node);
      case Kind::kComplement:
      case Kind::kIntersect:
        return Embed(Cached(index));
    }
    __builtin_unreachable();
  }

  Fragment Symbols(std::size_t index) {
    const Fragment f = NewFragment();
    const auto [entry, is_new] = shared_.symbols.try_emplace(index);
    if (is_new) {
      const RegexNode& node = tree_.nodes[index];
      for (std::size_t a = 0; a < nfa_.alphabet.size(); ++a) {
        const bool listed = node.names.contains(nfa_.alphabet.Name(SymbolAt(a)));
        if (listed != node.negated) entry->second.push_back(SymbolAt(a));
      }
      shared_.effort.Spend(nfa_.alphabet.size());
    }
    for (const Symbol a : entry->second) Arc(f.entry, a, f.exit);
    return f;
  }

  Fragment Concat(const RegexNode& node) {
    const StateId entry = NewState();
    StateId exit = entry;
    for (const std::size_t child : node.children) {
      const Fragment part = Build(child);
      Silent(exit, part.entry);
      exit = part.exit;
    }
    return {entry, exit};
  }

  Fragment Union(const RegexNode& node) {
    const Fragment f = NewFragment();
    for (const std::size_t child : node.children) {
      const Fragment part = Build(child);
      Silent(f.entry, part.entry);
      Silent(part.exit, f.exit);
    }
    return f;
  }

  Fragment Repeat(const RegexNode& node) {
    const std::size_t operand = node.children[0];
    const StateId entry = NewState();
    StateId here = entry;
    for (std::size_t i = 0; i < node.least; ++i) {
      const Fragment part = Build(operand);
      Silent(here, part.entry);
      here = part.exit;
    }
    const StateId exit = NewState();
    if (!node.most) {
      // A state of its own to come back to, so that what stands before cannot be entered again.
      const StateId loop = NewState();
      Silent(here, loop);
      const Fragment part = Build(operand);
      Silent(loop, part.entry);
      Silent(part.exit, loop);
      Silent(loop, exit);
      return {entry, exit};
    }
    for (std::size_t i = node.least; i < *node.most; ++i) {
      Silent(here, exit);
      const Fragment part = Build(operand);
      Silent(here, part.entry);
      here = part.exit;
    }
    Silent(here, exit);
    return {entry, exit};
  }

  Fragment Embed(const Dfa& dfa) {
    const Fragment f = NewFragment();
    std::vector<StateId> copy;
    for (std::size_t q = 0; q < dfa.num_states(); ++q) copy.push_back(NewState());
    Silent(f.entry, copy[Index(dfa.start())]);
    for (std::size_t q = 0; q < dfa.num_states(); ++q) {
      if (dfa.IsAccepting(StateAt(q))) Silent(copy[q], f.exit);
      for (const auto& [a, r] : dfa.TransitionsFrom(StateAt(q))) {
        Arc(copy[q], a, copy[Index(r)]);
      }
    }
    return f;
  }

  const RegexTree& tree_;
  Shared& shared_;
  Nfa nfa_;
  std::size_t num_transitions_ = 0;
};

}  // namespace

Dfa CompileRegex(std::string_view pattern, const std::vector<std::string>& extra_symbols) {
  const RegexTree tree = ParseRegex(pattern);
  std::vector<std::string> names(tree.symbols.begin(), tree.symbols.end());
  names.insert(names.end(), extra_symbols.begin(), extra_symbols.end());
  const Alphabet alphabet(std::move(names));
  if (alphabet.size() == 0) {
    throw InputError("regex", "the pattern mentions no symbol, so its alphabet is empty",
                     "name the symbols with --alphabet");
  }
  Compiler::Shared shared;
  return Compiler(tree, alphabet, shared).Compile(tree.root);
}

}  // namespace flare
