#include "flare/automata/regex.h"

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
    std::map<std::size_t, Dfa> dfas;  // of complements and intersections
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
