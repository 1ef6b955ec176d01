// Which regular languages are definable in C-RASP, the logic of counting the past, and by which
// program; and two classes around it, R∘G and R∞. docs/background/classify.md has the proofs.
//
// A formula is true or false at a position: φ ::= Q_a | ¬φ | φ∧φ | Σ αᵢ·#[φᵢ] ≥ c with integers αᵢ
// and c. #[φ] counts the earlier positions at which φ is true. A formula defines a language by its
// truth at one position, the *read-out*: at an end mark after the string, or at its last symbol.
//
// The decision. In a strongly connected component C of the minimal complete automaton, an inner
// edge from q by the letter a has the *label* (block of q, a), where at first all states are in one
// block. A *potential* is a number for each state such that the step along an inner edge depends
// only on the edge's label; the count of labels since C was entered, weighted by these steps, is
// the potential of the current state. So a formula can tell states of different potentials from
// each other, and with these finer blocks there may be more potentials in a next *round*. The
// language is definable, read after the string, iff this separates all states of every component.
// Read at the last symbol, it is iff {w : wa is in the language} is definable for every symbol a.
//
// All this is linear algebra, exact and polynomial in the automaton; the monoid is not needed.

#ifndef FLARE_CLASSES_COUNTING_H_
#define FLARE_CLASSES_COUNTING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"
#include "flare/classes/syntactic_automaton.h"

namespace flare::classes {

// Where a formula, or a network, gives its answer.
enum class ReadOut {
  kEos,   // at an end mark after the string
  kLast,  // at the last symbol of the string, which is not empty
};

// The findings on a component of more than one state. The blocks of a round are the sets of states
// on which all potentials of this round and of those before agree.
struct ComponentPotentials {
  using Potential = std::vector<std::int64_t>;  // by place in `states`
  std::vector<State> states;                    // ascending
  std::vector<std::vector<Potential>> rounds;   // every potential splits a block
  bool separates_all = false;
};

// Why a language is, or is not, definable: an automaton whose components are separated, or one with
// a component that is not.
struct CountingProof {
  struct Part {
    // The part is about {w : wa is in the language} for this a; if there is none, about the
    // language.
    std::optional<Symbol> symbol;
    SyntacticAutomaton automaton;
    std::vector<ComponentPotentials> components;
  };
  // A definable language has one part, or, if it is definable only at the last symbol, one part for
  // each letter. Another language has the one part whose last component is not separated.
  std::vector<Part> parts;
  // Two states that no formula tells from each other, of a language that is not definable.
  std::optional<std::pair<State, State>> alike;
};

struct CountingAnswer {
  Property property;
  std::optional<CountingProof> proof;  // unless the property is unknown
};

// Unknown if the steps are spent, or if potentials need numbers above 2³⁰.
CountingAnswer TestCounting(const SyntacticAutomaton& automaton);
// The same at the last symbol. `after` is the answer of TestCounting: what is definable after the
// string is definable at the last symbol.
CountingAnswer TestCountingAtLast(const SyntacticAutomaton& automaton, const CountingAnswer& after);

// The program of a definable language, one definition a line, the last of which is `accept`:
//
//   t1 := #[Q("a")] - #[Q("b")]
//   k1 := t1 = 1 and not (Q("c") or Q("d"))
//   n1 := #[k1] >= 1
//
// A line defines a formula or a sum of counts from lines above it. Requires: a proof that a
// language is definable.
std::string CountingProgram(const SyntacticAutomaton& automaton, const CountingProof& proof,
                            ReadOut read_out);

// R∘G: no R-class of the monoid has two idempotents; iff no two states s ≠ t and words u, v have
// su = tu = s and sv = tv = t. Such words exist iff a letter takes two states of one strong
// component to the same state of that component, from which u and v go on to s and to t. So the
// test is linear in the automaton.
Property TestRG(const SyntacticAutomaton& automaton);

// R∞: R∘G and star-free.
Property RInfinity(const Property& r_g, const Property& star_free);

}  // namespace flare::classes

#endif  // FLARE_CLASSES_COUNTING_H_
