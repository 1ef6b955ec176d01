// Symbols, strings and states, the integers that everything formal is made of; and alphabets, which
// give symbols their names.

#ifndef FLARE_AUTOMATA_ALPHABET_H_
#define FLARE_AUTOMATA_ALPHABET_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
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

// An alphabet Σ: the names of the symbols, sorted by code point, so that the same set of symbols is
// always the same alphabet and sets of symbols print in the order of the published data.
class Alphabet {
 public:
  // Sorts the names and drops repetitions. A name is a token of our text files: it must be valid
  // UTF-8, not empty, and without white space or control characters; throws InputError otherwise.
  explicit Alphabet(std::vector<std::string> names);

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& Name(Symbol a) const { return names_[Index(a)]; }

  std::optional<Symbol> Find(std::string_view name) const;
  // Requires: the name is in the alphabet.
  Symbol At(std::string_view name) const;

  bool operator==(const Alphabet& other) const { return names_ == other.names_; }

  // Tokens separated by single spaces; the empty line is the empty string. `where` is asked only
  // for an error message: an unknown token, a stray space.
  String Parse(std::string_view line, const std::function<std::string()>& where) const;
  String Parse(std::string_view line, const std::string& where) const {
    return Parse(line, [&] { return where; });
  }
  std::string Format(StringView w) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::vector<std::string> names_;
  // Most names are one byte: those are looked up without hashing. −1 is "no such symbol".
  std::array<std::int32_t, 256> by_byte_;
  std::unordered_map<std::string, Symbol, Hash, std::equal_to<>> by_name_;
};

// Throws InputError unless `name` can be a token of our text files.
void CheckSymbolName(std::string_view name, const std::string& where);

}  // namespace flare

#endif  // FLARE_AUTOMATA_ALPHABET_H_
