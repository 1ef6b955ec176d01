// Symbols, strings and states: the integers that everything formal is made of.

#ifndef FLARE_AUTOMATA_SYMBOL_H_
#define FLARE_AUTOMATA_SYMBOL_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace flare {

// A symbol is its index in its alphabet, a state its index in its automaton. Two types, so that one
// is never taken for the other.
enum class Symbol : std::uint32_t {};
enum class StateId : std::uint32_t {};

constexpr std::size_t Index(Symbol a) { return static_cast<std::size_t>(a); }
constexpr std::size_t Index(StateId q) { return static_cast<std::size_t>(q); }
constexpr Symbol SymbolAt(std::size_t index) { return static_cast<Symbol>(index); }
constexpr StateId StateAt(std::size_t index) { return static_cast<StateId>(index); }

// A string w over an alphabet, and a view of one.
using String = std::vector<Symbol>;
using StringView = std::span<const Symbol>;

// The lengths [min, max] that strings are drawn from; both ends belong to it.
struct LengthRange {
  std::size_t min = 0;
  std::size_t max = 0;

  bool Contains(std::size_t length) const { return min <= length && length <= max; }
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_SYMBOL_H_
