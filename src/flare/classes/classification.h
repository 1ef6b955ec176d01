// Where a regular language stands: every class that is decided in this folder, with witnesses.
//
//   const Classification c = Classify(dfa);
//   c.At("star_free").holds;

#ifndef FLARE_CLASSES_CLASSIFICATION_H_
#define FLARE_CLASSES_CLASSIFICATION_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/classes/circuits.h"
#include "flare/classes/counting.h"
#include "flare/classes/monoid.h"
#include "flare/classes/property.h"

namespace flare::classes {

struct NamedProperty {
  std::string key;  // "star_free"
  Property property;
};

// A group inside the monoid, as a person would describe it.
struct GroupSummary {
  std::size_t order;
  bool abelian;
  std::vector<std::size_t> derived_series;
  bool operator==(const GroupSummary&) const = default;
};

struct MonoidSummary {
  std::string limit = {};  // empty if the monoid was completed
  std::size_t size = 0;    // or how many elements were found
  // These are known of a complete monoid only.
  std::size_t idempotents = 0;
  std::size_t r_classes = 0, l_classes = 0, d_classes = 0, h_classes = 0;
  std::size_t regular_d_classes = 0;
  // The maximal subgroups that are not trivial, one for each regular D-class, alike ones once.
  std::vector<GroupSummary> groups = {};
};

struct Classification {
  Alphabet alphabet;
  std::size_t num_states = 0;  // of the minimal complete DFA
  std::optional<StateId> sink = {};
  std::vector<Symbol> tier = {};  // the symbols that are not neutral
  MonoidSummary monoid = {};
  // The lengths, of at least 2 and each once, of the circles in which single symbols take states.
  std::vector<std::size_t> symbol_circles = {};
  std::vector<NamedProperty> properties = {};  // in the order of PropertyKeys()
  CircuitClass circuit_class = CircuitClass::kUnknown;
  // Why `c_rasp` and `c_rasp_last` hold or do not, where that was decided by potentials.
  std::optional<CountingProof> c_rasp_proof = {}, c_rasp_last_proof = {};

  // Requires: a key of PropertyKeys().
  const Property& At(std::string_view key) const;
};

// Any DFA, even of the empty language.
Classification Classify(const Dfa& dfa, const MonoidLimits& limits = {});

// star_free, r_trivial, …, ac0, r_g, …, tier_…, co_….
std::span<const std::string_view> PropertyKeys();

// "strictly local" for "strictly_local".
std::string PropertyTitle(std::string_view key);

// The first class is a part of the second, and no other listed class lies between.
struct Inclusion {
  std::string_view part;
  std::string_view whole;
};
std::span<const Inclusion> Inclusions();

// The classes that the language belongs to, without those that follow from others: each as
// "strictly local (k = 2)" or "star-free". Those that CircuitClassTitle and CountingTitle tell of
// are left out.
std::vector<std::string> SmallestClasses(const Classification& classification);

// How the classes of a language that was learned differ from those of its target: "in the same
// classes as the target", "star-free, which the target is not". Looks at the classes at which
// theorems cut.
std::string DifferenceInClasses(const Classification& learned, const Classification& target);

// "in C-RASP", "in C-RASP at the last symbol only", "not in C-RASP", "unknown".
std::string CountingTitle(const Classification& classification);

// "in AC⁰", "in ACC⁰, not in AC⁰", "NC¹-complete", "unknown".
std::string CircuitClassTitle(CircuitClass c);

// Which classes a language is to belong to: "star_free,!r_trivial".
struct ClassCondition {
  std::string key;  // of PropertyKeys()
  bool holds;
};
using ClassFilter = std::vector<ClassCondition>;

// Keys separated by commas, each perhaps after `!`. Throws InputError with `where` and the nearest
// key.
ClassFilter ParseClassFilter(std::string_view text, const std::string& where);

// False if a condition is known to fail; nothing if none is, but some class is unknown.
std::optional<bool> Satisfies(const Classification& classification, const ClassFilter& filter);

}  // namespace flare::classes

#endif  // FLARE_CLASSES_CLASSIFICATION_H_
