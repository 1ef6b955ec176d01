// The classes of regular languages by their defining equations, for all elements of a monoid that
// is made by multiplying maps until nothing new appears. Small monoids only.

#ifndef FLARE_TESTS_SUPPORT_NAIVE_CLASSES_H_
#define FLARE_TESTS_SUPPORT_NAIVE_CLASSES_H_

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "flare/automata/dfa.h"
#include "support/naive_counting.h"

namespace flare {

class NaiveClasses {
 public:
  // Requires: a minimal trim DFA of a language that is not empty. Stops at `most` elements.
  NaiveClasses(const Dfa& minimal, std::size_t most);

  bool complete() const { return complete_; }
  std::size_t size() const { return elements_.size(); }

  // Nothing for a class that is not asked here, or would take too long.
  std::optional<bool> Holds(std::string_view key) const;

 private:
  using Map = std::vector<std::size_t>;
  using Element = std::size_t;

  Element Times(Element x, Element y) const { return table_[x * size() + y]; }
  Element Times(Element x, Element y, Element z) const { return Times(Times(x, y), z); }
  Element Omega(Element x) const { return omega_[x]; }  // the idempotent power
  bool Aperiodic() const;
  // S = the elements that are words; its idempotents; eSf.
  std::vector<Element> Idempotents() const;
  std::vector<Element> Between(Element e, Element f) const;
  bool QuasiAperiodic() const;
  bool StrictlyPiecewise(bool complement) const;
  bool StrictlyLocal(bool complement) const;
  bool Finite(bool complement) const;

  Alphabet alphabet_;
  PlainAutomaton plain_;
  std::size_t n_, start_, width_;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<bool> accepting_;
  bool complete_ = true;
  std::vector<Map> elements_;
  std::vector<Element> letters_;  // by symbol
  std::vector<Element> table_;
  std::vector<Element> omega_;
  std::vector<bool> is_word_;  // of a word that is not empty
};

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_NAIVE_CLASSES_H_
