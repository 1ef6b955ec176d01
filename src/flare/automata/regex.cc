#include "flare/automata/regex.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "flare/automata/boolean_operations.h"
#include "flare/automata/determinize.h"
#include "flare/automata/minimize.h"
#include "flare/automata/regex_syntax.h"
#include "flare/base/error.h"

namespace flare {
namespace {

// {m,n} copies its operand, so nested counts multiply; `.` is a transition per symbol.
constexpr std::size_t kMostNfaStates = 1'000'000;
constexpr std::size_t kMostNfaTransitions = 20'000'000;

using Kind = RegexNode::Kind;

// A part of an NFA that is entered at one state and left at another.
struct Fragment {
  StateId entry, exit;
};

// Thompson's construction: one fragment per node. Complement and intersection have no such
// fragment; their operands become DFAs first, and the result is put back in as a fragment.
class Compiler {
 public:
  // The DFAs of complements and intersections by node: a node that is copied is compiled once.
  using Cache = std::map<std::size_t, Dfa>;

  Compiler(const RegexTree& tree, const Alphabet& alphabet, Cache& cache)
      : tree_(tree), cache_(cache), nfa_(alphabet) {}

  Dfa Compile(std::size_t node) && {
    const Fragment whole = Build(node);
    nfa_.start = whole.entry;
    nfa_.at(whole.exit).accept_weight = true;
    return Minimize(Determinize(nfa_, "regex"));
  }

 private:
  StateId NewState() {
    if (nfa_.states.size() >= kMostNfaStates) {
      throw InputError("regex",
                       fmt::format("the pattern is too large: over {} states", kMostNfaStates));
    }
    return nfa_.AddState(false);
  }
  void Arc(StateId q, std::optional<Symbol> a, StateId r) {
    if (++num_transitions_ > kMostNfaTransitions) {
      throw InputError("regex", fmt::format("the pattern is too large: over {} transitions",
                                            kMostNfaTransitions));
    }
    nfa_.AddTransition(q, a, true, r);
  }
  void Silent(StateId q, StateId r) { Arc(q, {}, r); }
  Fragment NewFragment() {
    const StateId entry = NewState();
    return {entry, NewState()};
  }
  Dfa ToDfa(std::size_t node) const { return Compiler(tree_, nfa_.alphabet, cache_).Compile(node); }

  // The DFA of a complement or intersection.
  const Dfa& Cached(std::size_t index) {
    const auto found = cache_.find(index);
    if (found != cache_.end()) return found->second;
    const RegexNode& node = tree_.nodes[index];
    Dfa dfa = ToDfa(node.children[0]);
    if (node.kind == Kind::kComplement) dfa = Complement(dfa);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      dfa = Minimize(Intersect(dfa, ToDfa(node.children[i]), "regex"));
    }
    return cache_.emplace(index, std::move(dfa)).first->second;
  }

  Fragment Build(std::size_t index) {
    const RegexNode& node = tree_.nodes[index];
    switch (node.kind) {
      case Kind::kSymbols:
        return Symbols(node);
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

  Fragment Symbols(const RegexNode& node) {
    const Fragment f = NewFragment();
    for (std::size_t a = 0; a < nfa_.alphabet.size(); ++a) {
      const bool listed = node.names.count(nfa_.alphabet.Name(SymbolAt(a))) != 0;
      if (listed != node.negated) Arc(f.entry, SymbolAt(a), f.exit);
    }
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
  Cache& cache_;
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
  Compiler::Cache cache;
  return Compiler(tree, alphabet, cache).Compile(tree.root);
}

}  // namespace flare
