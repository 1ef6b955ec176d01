// The syntactic monoid of a regular language: the maps of states to states that words induce on its
// minimal complete DFA, with both Cayley graphs.
//
// Elements are numbered in shortlex order of their first words; 0 is the identity, the class of ε.
// Froidure and Pin's algorithm ("Algorithms for computing finite semigroups", 1997): a product
// u·a = b·(s·a), where u = b·s, is read off the graphs unless s·a is a first word itself, so that
// about |M| + (number of rewriting rules) maps are computed, each at the cost of |Q|.

#ifndef FLARE_CLASSES_MONOID_H_
#define FLARE_CLASSES_MONOID_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flare/classes/syntactic_automaton.h"

namespace flare::classes {

using Element = std::uint32_t;
constexpr Element kIdentity = 0;

struct MonoidLimits {
  static constexpr std::size_t kDefaultElements = 1'000'000;
  std::size_t max_elements = kDefaultElements;
  std::size_t max_bytes = std::size_t{1} << 30;
};

class Monoid {
 public:
  // A map is kept as 16-bit numbers.
  static constexpr std::size_t kMostStates = 65'536;

  Monoid(const SyntacticAutomaton& automaton, const MonoidLimits& limits);

  // Empty if all elements were found; else the limit that was met. Then there are only the first
  // elements, and neither graph nor product may be asked for.
  const std::string& limit() const { return limit_; }
  bool complete() const { return limit_.empty(); }

  std::size_t size() const { return nodes_.size(); }
  std::size_t num_letters() const { return num_letters_; }
  // Returns the state to which x leads from each state.
  std::span<const std::uint16_t> Action(Element x) const {
    return {actions_.data() + x * stride_, degree_};
  }
  std::size_t Length(Element x) const { return nodes_[x].length; }
  // The first word of x in shortlex order.
  Word WordOf(Element x) const;
  bool IsIdempotent(Element x) const;

  Element Right(Element x, Letter a) const { return right_[x * num_letters_ + a]; }  // x·a
  Element Left(Element x, Letter a) const { return left_[x * num_letters_ + a]; }    // a·x
  std::span<const Element> right() const { return right_; }
  std::span<const Element> left() const { return left_; }
  Element Product(Element x, Element y) const;
  // The element of a word.
  Element Of(const Word& w) const;

  // Is the identity the class of a word that is not empty? Exactly if some letter permutes the
  // states. If not, S = M ∖ {1} is the image of Σ⁺.
  bool identity_is_a_word() const { return identity_is_a_word_; }

 private:
  struct Node {
    Element prefix;  // without the last letter
    Element suffix;  // without the first
    Letter first;
    Letter last;
    std::uint32_t length;
  };
  void Enumerate(const SyntacticAutomaton& automaton, const MonoidLimits& limits);
  // Computes u·a as a map and looks it up; adds it if it is new.
  Element Multiply(Element u, Letter a);
  std::uint64_t Hash(const std::uint16_t* action) const;
  // The place of the map in the table, or where it belongs.
  std::size_t Find(const std::uint16_t* action, std::uint64_t hash) const;
  void GrowTable();
  std::size_t BytesPerElement() const;

  std::size_t degree_;
  std::size_t stride_;  // degree, rounded up to whole 64-bit words
  std::size_t num_letters_;
  std::string limit_;
  bool identity_is_a_word_ = false;
  std::vector<std::uint16_t> letters_;  // (letters, |Q|): what each does
  std::vector<std::uint16_t> actions_;  // (|M|, stride)
  std::vector<Node> nodes_;
  std::vector<Element> right_, left_;  // (|M|, letters)
  std::vector<Element> table_;         // open addressing; kEmpty is free
  mutable std::vector<std::uint16_t> scratch_;
};

}  // namespace flare::classes

#endif  // FLARE_CLASSES_MONOID_H_
