#include "support/naive_languages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace flare::naive {
namespace {

constexpr char kTimes[] = "\xC3\x97";  // U+00D7, the token of binary-multiplication.

// ---------------------------------------------------------------------------------------------
// Small helpers on strings.

int Length(const Tokens& w) { return static_cast<int>(w.size()); }

int Count(const Tokens& w, const std::string& token) {
  return static_cast<int>(std::count(w.begin(), w.end(), token));
}

bool IsBit(const std::string& token) { return token == "0" || token == "1"; }

bool IsFiveDigit(const std::string& token) {
  return token.size() == 1 && token[0] >= '0' && token[0] <= '4';
}

Tokens Concatenate(Tokens left, const Tokens& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Tokens Reversed(const Tokens& w) { return Tokens(w.rbegin(), w.rend()); }

Tokens Sorted(Tokens w) {
  std::sort(w.begin(), w.end());
  return w;
}

// Positions are counted from 1, as in the paper, so the first symbol is at an odd position.
Tokens OddsFirst(const Tokens& w) {
  Tokens odd;
  Tokens even;
  for (std::size_t i = 0; i < w.size(); ++i) (i % 2 == 0 ? odd : even).push_back(w[i]);
  return Concatenate(odd, even);
}

// The two sides of the only marker; nothing if there is no marker or more than one.
std::optional<std::pair<Tokens, Tokens>> SplitAtOnly(const Tokens& w, const std::string& marker) {
  if (Count(w, marker) != 1) return std::nullopt;
  const auto at = std::find(w.begin(), w.end(), marker);
  return std::make_pair(Tokens(w.begin(), at), Tokens(at + 1, w.end()));
}

// C++ division rounds towards zero; the bounds of Appendix E have negative numerators.
int FloorDivide(int numerator, int denominator) {
  int quotient = numerator / denominator;
  if (quotient * denominator > numerator) --quotient;
  return quotient;
}

int CeilDivide(int numerator, int denominator) { return -FloorDivide(-numerator, denominator); }

// ---------------------------------------------------------------------------------------------
// Schoolbook arithmetic on little-endian bits, so that no length overflows.

using Bits = std::vector<int>;

Bits WithoutTrailingZeros(Bits x) {
  while (!x.empty() && x.back() == 0) x.pop_back();
  return x;
}

bool Equal(const Bits& x, const Bits& y) {
  return WithoutTrailingZeros(x) == WithoutTrailingZeros(y);
}

bool LessOrEqual(const Bits& x, const Bits& y) {
  const Bits a = WithoutTrailingZeros(x);
  const Bits b = WithoutTrailingZeros(y);
  if (a.size() != b.size()) return a.size() < b.size();
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i];
  }
  return true;
}

Bits Add(const Bits& x, const Bits& y) {
  Bits sum;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const int column = (i < x.size() ? x[i] : 0) + (i < y.size() ? y[i] : 0) + carry;
    sum.push_back(column % 2);
    carry = column / 2;
  }
  sum.push_back(carry);
  return sum;
}

Bits Multiply(const Bits& x, const Bits& y) {
  Bits product;
  Bits shifted = x;
  for (const int bit : y) {
    if (bit == 1) product = Add(product, shifted);
    shifted.insert(shifted.begin(), 0);
  }
  return product;
}

// The operands of a string [01]+ s_1 [01]+ s_2 ... [01]+; nothing if `w` is not of this form.
std::optional<std::vector<Bits>> ParseOperands(const Tokens& w,
                                               const std::vector<std::string>& separators) {
  std::vector<Bits> operands(1);
  for (const std::string& token : w) {
    if (IsBit(token)) {
      operands.back().push_back(token == "1" ? 1 : 0);
    } else if (!operands.back().empty() && operands.size() <= separators.size() &&
               token == separators[operands.size() - 1]) {
      operands.emplace_back();
    } else {
      return std::nullopt;
    }
  }
  if (operands.size() != separators.size() + 1 || operands.back().empty()) return std::nullopt;
  return operands;
}

// ---------------------------------------------------------------------------------------------
// Membership. All of these may assume that every token is in the alphabet.

bool EvenPairsContains(const Tokens& w) {
  int changes = 0;
  for (std::size_t i = 1; i < w.size(); ++i) {
    if (w[i - 1] != w[i]) ++changes;
  }
  return changes % 2 == 0;
}

bool Repeat01Contains(const Tokens& w) {
  Tokens repeated;
  while (repeated.size() < w.size()) repeated = Concatenate(repeated, {"0", "1"});
  return w == repeated;
}

bool ParityContains(const Tokens& w) { return Count(w, "1") % 2 == 1; }

bool FirstContains(const Tokens& w) { return !w.empty() && w.front() == "1"; }

bool MajorityContains(const Tokens& w) { return Count(w, "1") > Count(w, "0"); }

bool CycleNavigationContains(const Tokens& w) {
  if (w.empty() || !IsFiveDigit(w.back())) return false;
  const Tokens moves(w.begin(), w.end() - 1);
  if (std::any_of(moves.begin(), moves.end(), IsFiveDigit)) return false;
  const int position = Count(moves, ">") - Count(moves, "<");
  return ((position % 5) + 5) % 5 == std::stoi(w.back());
}

bool ModularArithmeticContains(const Tokens& w) {
  if (w.size() < 3 || w.size() % 2 == 0) return false;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (IsFiveDigit(w[i]) != (i % 2 == 0)) return false;
  }
  if (Count(w, "=") != 1 || w[w.size() - 2] != "=") return false;
  int value = std::stoi(w[0]);
  for (std::size_t i = 1; i + 2 < w.size(); i += 2) {
    const int operand = std::stoi(w[i + 1]);
    if (w[i] == "+") value = (value + operand) % 5;
    if (w[i] == "-") value = (value + 5 - operand) % 5;
    if (w[i] == "*") value = (value * operand) % 5;
  }
  return value == std::stoi(w.back());
}

bool Dyck23Contains(const Tokens& w) {
  std::vector<char> open_types;
  for (const std::string& token : w) {
    const char type = token[1];
    if (token[0] == '(') {
      open_types.push_back(type);
      if (open_types.size() > 3) return false;
    } else {
      if (open_types.empty() || open_types.back() != type) return false;
      open_types.pop_back();
    }
  }
  return open_types.empty();
}

bool StackManipulationContains(const Tokens& w) {
  Tokens stack;
  std::size_t i = 0;
  for (; i < w.size() && IsBit(w[i]); ++i) stack.push_back(w[i]);
  for (; i < w.size() && w[i] != "#"; ++i) {
    if (w[i] == "POP") {
      if (stack.empty()) return false;
      stack.pop_back();
    } else if (w[i] == "PUSH") {
      ++i;
      if (i == w.size() || !IsBit(w[i])) return false;
      stack.push_back(w[i]);
    } else {
      return false;
    }
  }
  if (i == w.size()) return false;
  return Tokens(w.begin() + static_cast<std::ptrdiff_t>(i) + 1, w.end()) == Reversed(stack);
}

bool MarkedReversalContains(const Tokens& w) {
  const auto sides = SplitAtOnly(w, "#");
  return sides.has_value() && sides->second == Reversed(sides->first);
}

bool UnmarkedReversalContains(const Tokens& w) { return w.size() % 2 == 0 && w == Reversed(w); }

bool MarkedCopyContains(const Tokens& w) {
  const auto sides = SplitAtOnly(w, "#");
  return sides.has_value() && sides->second == sides->first;
}

bool MissingDuplicateStringContains(const Tokens& w) {
  if (w.size() % 2 != 0 || Count(w, "_") != 1) return false;
  Tokens filled = w;
  std::replace(filled.begin(), filled.end(), std::string("_"), std::string("1"));
  const auto middle = filled.begin() + Length(filled) / 2;
  return Tokens(filled.begin(), middle) == Tokens(middle, filled.end());
}

bool OddsFirstContains(const Tokens& w) {
  const auto sides = SplitAtOnly(w, "#");
  return sides.has_value() && sides->second == OddsFirst(sides->first);
}

bool BinaryAdditionContains(const Tokens& w) {
  const auto operands = ParseOperands(w, {"+", "="});
  return operands.has_value() && Equal(Add((*operands)[0], (*operands)[1]), (*operands)[2]);
}

bool BinaryMultiplicationContains(const Tokens& w) {
  const auto operands = ParseOperands(w, {kTimes, "="});
  return operands.has_value() && Equal(Multiply((*operands)[0], (*operands)[1]), (*operands)[2]);
}

// z is the integer square root of x exactly if z^2 <= x < (z+1)^2, so none has to be computed.
bool ComputeSqrtContains(const Tokens& w) {
  const auto operands = ParseOperands(w, {"="});
  if (!operands.has_value()) return false;
  const Bits& x = (*operands)[0];
  const Bits& z = (*operands)[1];
  const Bits successor = Add(z, {1});
  return LessOrEqual(Multiply(z, z), x) && !LessOrEqual(Multiply(successor, successor), x);
}

bool BucketSortContains(const Tokens& w) {
  const auto sides = SplitAtOnly(w, "#");
  return sides.has_value() && sides->second == Sorted(sides->first);
}

// ---------------------------------------------------------------------------------------------
// Languages that are not the paper's, from their definitions.

// The runs of equal symbols, as (symbol, length).
std::vector<std::pair<std::string, int>> Runs(const Tokens& w) {
  std::vector<std::pair<std::string, int>> runs;
  for (const std::string& token : w) {
    if (runs.empty() || runs.back().first != token) runs.emplace_back(token, 0);
    ++runs.back().second;
  }
  return runs;
}

bool Tomita1Contains(const Tokens& w) { return Count(w, "0") == 0; }

bool Tomita2Contains(const Tokens& w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (w[i] != (i % 2 == 0 ? "1" : "0")) return false;
  }
  return w.size() % 2 == 0;
}

bool Tomita3Contains(const Tokens& w) {
  bool odd_ones = false;
  for (const auto& [token, length] : Runs(w)) {
    if (token == "0" && length % 2 == 1 && odd_ones) return false;
    if (token == "1" && length % 2 == 1) odd_ones = true;
  }
  return true;
}

bool Tomita4Contains(const Tokens& w) {
  for (const auto& [token, length] : Runs(w)) {
    if (token == "0" && length >= 3) return false;
  }
  return true;
}

bool Tomita5Contains(const Tokens& w) { return Count(w, "0") % 2 == 0 && Count(w, "1") % 2 == 0; }

bool Tomita6Contains(const Tokens& w) { return (Count(w, "0") - Count(w, "1")) % 3 == 0; }

bool Tomita7Contains(const Tokens& w) {
  const std::size_t runs = Runs(w).size();
  return runs <= 4 && !(runs == 4 && w.front() == "1");
}

bool LastContains(const Tokens& w) { return !w.empty() && w.back() == "1"; }

bool LatestBContains(const Tokens& w) {
  for (std::size_t i = w.size(); i > 0; --i) {
    if (w[i - 1] != "e") return w[i - 1] == "b";
  }
  return false;
}

bool EvenLengthContains(const Tokens& w) { return w.size() % 2 == 0; }

// Also true of what can still become a flip-flop string.
bool FlipFlopCouldBegin(const Tokens& w, int /*max_length*/) {
  std::string memory;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (i % 2 == 0) {
      if (w[i] != "w" && w[i] != "i" && w[i] != "r") return false;
      if (i == 0 && w[i] != "w") return false;
      continue;
    }
    if (!IsBit(w[i])) return false;
    if (w[i - 1] == "w") memory = w[i];
    if (w[i - 1] == "r" && w[i] != memory) return false;
  }
  return true;
}

bool FlipFlopContains(const Tokens& w) {
  return w.size() % 2 == 0 && FlipFlopCouldBegin(w, Length(w));
}

// Steps through ((a|b){3}(ab*a|b))* by hand: how many symbols of the first part have been read, 3
// being all, and 4 the loop between the two a.
bool S5BinaryContains(const Tokens& w) {
  int state = 0;
  for (const std::string& token : w) {
    if (state < 3) {
      ++state;
    } else if (state == 3) {
      state = token == "a" ? 4 : 0;
    } else if (token == "a") {
      state = 0;
    }
  }
  return state == 0;
}

bool AnbnContains(const Tokens& w) {
  return w == Concatenate(Tokens(w.size() / 2, "a"), Tokens(w.size() / 2, "b"));
}

bool AnbncnContains(const Tokens& w) {
  const std::size_t n = w.size() / 3;
  return w == Concatenate(Concatenate(Tokens(n, "a"), Tokens(n, "b")), Tokens(n, "c"));
}

bool EqualAbContains(const Tokens& w) { return Count(w, "a") == Count(w, "b"); }

bool MixContains(const Tokens& w) {
  return Count(w, "a") == Count(w, "b") && Count(w, "b") == Count(w, "c");
}

// Takes adjacent pairs out until there are none.
bool DyckContains(const Tokens& w) {
  Tokens open;
  for (const std::string& token : w) {
    const bool closes = !open.empty() && token[0] == ')' && open.back() == "(" + token.substr(1);
    if (closes) {
      open.pop_back();
    } else {
      open.push_back(token);
    }
  }
  return open.empty();
}

bool DyckCouldBegin(const Tokens& prefix, int max_length) {
  int open = 0;
  for (const std::string& token : prefix) {
    open += token[0] == '(' ? 1 : -1;
    if (open < 0) return false;
  }
  return Length(prefix) + open <= max_length;
}

bool ShuffleDyck2Contains(const Tokens& w) {
  for (const std::string type : {"0", "1"}) {
    Tokens of_type;
    for (const std::string& token : w) {
      if (token.substr(1) == type) of_type.push_back(token);
    }
    if (!DyckContains(of_type)) return false;
  }
  return true;
}

// The value of the formula that begins at `next`, which is moved past it; nothing if there is
// none.
std::optional<bool> FormulaValue(const Tokens& w, std::size_t& next) {
  if (next >= w.size()) return std::nullopt;
  const std::string token = w[next++];
  if (IsBit(token)) return token == "1";
  if (token == "!") {
    const auto value = FormulaValue(w, next);
    return value ? std::optional<bool>(!*value) : std::nullopt;
  }
  if (token != "(") return std::nullopt;
  const auto left = FormulaValue(w, next);
  if (!left || next >= w.size()) return std::nullopt;
  const std::string operation = w[next++];
  if (operation != "&" && operation != "|") return std::nullopt;
  const auto right = FormulaValue(w, next);
  if (!right || next >= w.size() || w[next++] != ")") return std::nullopt;
  return operation == "&" ? *left && *right : *left || *right;
}

bool BooleanFormulaContains(const Tokens& w) {
  std::size_t next = 0;
  const auto value = FormulaValue(w, next);
  return value && *value && next == w.size();
}

// Operands and operators take turns, and brackets that are open must still be closed.
bool BooleanFormulaCouldBegin(const Tokens& prefix, int max_length) {
  bool wants_operand = true;
  int open = 0;
  for (const std::string& token : prefix) {
    const bool begins = token == "(" || token == "!" || IsBit(token);
    if (begins != wants_operand) return false;
    if (token == "(") ++open;
    if (token == ")" && --open < 0) return false;
    wants_operand = token == "(" || token == "!" || token == "&" || token == "|";
  }
  return Length(prefix) + open + (wants_operand ? 1 : 0) <= max_length;
}

// ---------------------------------------------------------------------------------------------
// Format checks that keep the enumeration small. Each may only reject a prefix that visibly cannot
// be continued to a member of length at most `max_length`; accepting too many is harmless, because
// membership is still decided by the definition.

bool AnythingCouldBegin(const Tokens& /*prefix*/, int /*max_length*/) { return true; }

bool CycleNavigationCouldBegin(const Tokens& prefix, int /*max_length*/) {
  return prefix.empty() || std::none_of(prefix.begin(), prefix.end() - 1, IsFiveDigit);
}

bool ModularArithmeticCouldBegin(const Tokens& prefix, int /*max_length*/) {
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (IsFiveDigit(prefix[i]) != (i % 2 == 0)) return false;
    if (prefix[i] == "=" && i + 2 < prefix.size()) return false;
  }
  return true;
}

// Looks at the depth only: the types are left to the definition.
bool Dyck23CouldBegin(const Tokens& prefix, int max_length) {
  int depth = 0;
  for (const std::string& token : prefix) {
    depth += token[0] == '(' ? 1 : -1;
    if (depth < 0 || depth > 3) return false;
  }
  return Length(prefix) + depth <= max_length;
}

bool StackManipulationCouldBegin(const Tokens& prefix, int /*max_length*/) {
  bool operation_seen = false;
  bool marker_seen = false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const bool after_push = i > 0 && prefix[i - 1] == "PUSH";
    if (marker_seen || after_push) {
      if (!IsBit(prefix[i])) return false;
    } else if (IsBit(prefix[i])) {
      if (operation_seen) return false;
    } else if (prefix[i] == "#") {
      marker_seen = true;
    } else {
      operation_seen = true;
    }
  }
  return true;
}

// Both sides of the marker have the same length in all languages that use this check.
bool MarkedCouldBegin(const Tokens& prefix, int max_length) {
  const auto marker = std::find(prefix.begin(), prefix.end(), "#");
  const auto left = static_cast<int>(marker - prefix.begin());
  return Count(prefix, "#") <= 1 && 2 * left + 1 <= max_length && Length(prefix) <= 2 * left + 1;
}

bool BucketSortCouldBegin(const Tokens& prefix, int max_length) {
  const auto marker = std::find(prefix.begin(), prefix.end(), "#");
  return MarkedCouldBegin(prefix, max_length) &&
         (marker == prefix.end() || std::is_sorted(marker + 1, prefix.end()));
}

bool MissingDuplicateStringCouldBegin(const Tokens& prefix, int /*max_length*/) {
  return Count(prefix, "_") <= 1;
}

bool OperandsCouldBegin(const Tokens& prefix, const std::vector<std::string>& separators) {
  std::size_t separators_seen = 0;
  bool operand_empty = true;
  for (const std::string& token : prefix) {
    if (IsBit(token)) {
      operand_empty = false;
      continue;
    }
    if (operand_empty || separators_seen == separators.size()) return false;
    if (token != separators[separators_seen]) return false;
    ++separators_seen;
    operand_empty = true;
  }
  return true;
}

bool BinaryAdditionCouldBegin(const Tokens& prefix, int /*max_length*/) {
  return OperandsCouldBegin(prefix, {"+", "="});
}

bool BinaryMultiplicationCouldBegin(const Tokens& prefix, int /*max_length*/) {
  return OperandsCouldBegin(prefix, {kTimes, "="});
}

bool ComputeSqrtCouldBegin(const Tokens& prefix, int /*max_length*/) {
  return OperandsCouldBegin(prefix, {"="});
}

// ---------------------------------------------------------------------------------------------
// The table of languages.

struct Language {
  Tokens alphabet;
  bool (*contains)(const Tokens& w);
  bool (*could_begin)(const Tokens& prefix, int max_length);
  bool regular;
};

const std::map<std::string, Language>& Languages() {
  static const auto* const kLanguages = new std::map<std::string, Language>{
      {"even-pairs", {{"0", "1"}, EvenPairsContains, AnythingCouldBegin, true}},
      {"repeat-01", {{"0", "1"}, Repeat01Contains, AnythingCouldBegin, true}},
      {"parity", {{"0", "1"}, ParityContains, AnythingCouldBegin, true}},
      {"cycle-navigation",
       {{"<", "=", ">", "0", "1", "2", "3", "4"},
        CycleNavigationContains,
        CycleNavigationCouldBegin,
        true}},
      {"modular-arithmetic-simple",
       {{"0", "1", "2", "3", "4", "+", "-", "*", "="},
        ModularArithmeticContains,
        ModularArithmeticCouldBegin,
        true}},
      {"dyck-2-3", {{"(0", ")0", "(1", ")1"}, Dyck23Contains, Dyck23CouldBegin, true}},
      {"first", {{"0", "1"}, FirstContains, AnythingCouldBegin, true}},
      {"majority", {{"0", "1"}, MajorityContains, AnythingCouldBegin, false}},
      {"stack-manipulation",
       {{"0", "1", "POP", "PUSH", "#"},
        StackManipulationContains,
        StackManipulationCouldBegin,
        false}},
      {"marked-reversal", {{"0", "1", "#"}, MarkedReversalContains, MarkedCouldBegin, false}},
      {"unmarked-reversal", {{"0", "1"}, UnmarkedReversalContains, AnythingCouldBegin, false}},
      {"marked-copy", {{"0", "1", "#"}, MarkedCopyContains, MarkedCouldBegin, false}},
      {"missing-duplicate-string",
       {{"0", "1", "_"}, MissingDuplicateStringContains, MissingDuplicateStringCouldBegin, false}},
      {"odds-first", {{"0", "1", "#"}, OddsFirstContains, MarkedCouldBegin, false}},
      {"binary-addition",
       {{"0", "1", "+", "="}, BinaryAdditionContains, BinaryAdditionCouldBegin, false}},
      {"binary-multiplication",
       {{"0", "1", kTimes, "="},
        BinaryMultiplicationContains,
        BinaryMultiplicationCouldBegin,
        false}},
      {"compute-sqrt", {{"0", "1", "="}, ComputeSqrtContains, ComputeSqrtCouldBegin, false}},
      {"bucket-sort",
       {{"1", "2", "3", "4", "5", "#"}, BucketSortContains, BucketSortCouldBegin, false}},
      {"tomita-1", {{"0", "1"}, Tomita1Contains, AnythingCouldBegin, true}},
      {"tomita-2", {{"0", "1"}, Tomita2Contains, AnythingCouldBegin, true}},
      {"tomita-3", {{"0", "1"}, Tomita3Contains, AnythingCouldBegin, true}},
      {"tomita-4", {{"0", "1"}, Tomita4Contains, AnythingCouldBegin, true}},
      {"tomita-5", {{"0", "1"}, Tomita5Contains, AnythingCouldBegin, true}},
      {"tomita-6", {{"0", "1"}, Tomita6Contains, AnythingCouldBegin, true}},
      {"tomita-7", {{"0", "1"}, Tomita7Contains, AnythingCouldBegin, true}},
      {"last", {{"0", "1"}, LastContains, AnythingCouldBegin, true}},
      {"latest-b", {{"a", "b", "e"}, LatestBContains, AnythingCouldBegin, true}},
      {"even-length", {{"0", "1"}, EvenLengthContains, AnythingCouldBegin, true}},
      {"flip-flop", {{"0", "1", "i", "r", "w"}, FlipFlopContains, FlipFlopCouldBegin, true}},
      {"s5-binary", {{"a", "b"}, S5BinaryContains, AnythingCouldBegin, true}},
      {"anbn", {{"a", "b"}, AnbnContains, AnythingCouldBegin, false}},
      {"dyck-1", {{"(0", ")0"}, DyckContains, DyckCouldBegin, false}},
      {"dyck-2", {{"(0", "(1", ")0", ")1"}, DyckContains, DyckCouldBegin, false}},
      {"equal-ab", {{"a", "b"}, EqualAbContains, AnythingCouldBegin, false}},
      {"boolean-formula",
       {{"!", "&", "(", ")", "0", "1", "|"},
        BooleanFormulaContains,
        BooleanFormulaCouldBegin,
        false}},
      {"anbncn", {{"a", "b", "c"}, AnbncnContains, AnythingCouldBegin, false}},
      {"mix", {{"a", "b", "c"}, MixContains, AnythingCouldBegin, false}},
      {"shuffle-dyck-2", {{"(0", "(1", ")0", ")1"}, ShuffleDyck2Contains, DyckCouldBegin, false}},
  };
  return *kLanguages;
}

const Language& Find(const std::string& name) {
  const auto found = Languages().find(name);
  if (found == Languages().end()) throw std::invalid_argument("unknown language: " + name);
  return found->second;
}

// ---------------------------------------------------------------------------------------------
// Enumeration of members.

// Tries every continuation of `prefix` up to `max_length` and returns whether one is a member.
// Sets of prefixes longer than `longest_stored` are computed but not kept, to save memory.
bool Explore(const Language& language, int max_length, int longest_stored, Tokens& prefix,
             std::map<Tokens, NextSet>& next_sets) {
  if (!language.could_begin(prefix, max_length)) return false;
  NextSet next;
  next.end = language.contains(prefix);
  if (Length(prefix) < max_length) {
    for (const std::string& symbol : language.alphabet) {
      prefix.push_back(symbol);
      if (Explore(language, max_length, longest_stored, prefix, next_sets)) {
        next.symbols.insert(symbol);
      }
      prefix.pop_back();
    }
  }
  const bool found = next.end || !next.symbols.empty();
  if (found && Length(prefix) <= longest_stored) next_sets[prefix] = next;
  return found;
}

std::map<Tokens, NextSet> NextOfShortPrefixes(const std::string& language, int max_length,
                                              int longest_stored) {
  std::map<Tokens, NextSet> next_sets;
  if (max_length < 0) return next_sets;
  Tokens prefix;
  Explore(Find(language), max_length, longest_stored, prefix, next_sets);
  return next_sets;
}

// ---------------------------------------------------------------------------------------------
// The laws of the positive samplers.

using Law = std::map<Tokens, double>;

// How far beyond max_length the enumeration must look so that the actions at every prefix u of a
// member of length at most max_length =: n are complete. The actions include those that lead only
// to members longer than n, which is why n itself is not enough.
//   even-pairs, parity: |u| <= n, and u a is a member or becomes one with one more symbol: n + 2.
//   repeat-01: if |u| = n, then u is a member, a = 0 and 1 completes it: n + 2.
//   first: u a is itself a member: n + 1.
//   cycle-navigation: an unfinished u has at most n - 1 symbols, and after one more move a digit
//     completes it: n + 1.
//   modular-arithmetic-simple: u followed by an operator ends in a digit, so at least "= D" is
//     missing and |u| <= n - 2; operator, D, =, D complete it: n + 2.
//   dyck-2-3: at depth d, |u| <= n - d; after one more bracket d + 1 closing ones suffice: n + 2.
//   s5-binary: u a, for a member u, needs three more symbols: n + 4.
//   The other languages that are not the paper's: as even-pairs, repeat-01 or first.
int RegularLookahead(const std::string& language) { return language == "s5-binary" ? 4 : 2; }

// A length uniform over those that have members, then a uniform member.
Law UniformLaw(const std::string& language, int min_length, int max_length) {
  std::map<int, std::vector<Tokens>> members;
  for (int length = min_length; length <= max_length; ++length) {
    for (const Tokens& w : naive::AllStrings(Find(language).alphabet, length)) {
      if (Find(language).contains(w)) members[length].push_back(w);
    }
  }
  Law law;
  for (const auto& [length, strings] : members) {
    for (const Tokens& w : strings) {
      law[w] = 1.0 / static_cast<double>(members.size()) / static_cast<double>(strings.size());
    }
  }
  return law;
}

// Eq. (1) of the paper. The PDFA is uniform over the actions of each state, and the actions of the
// state that a prefix leads to in a trim DFA are the prefix's NEXT set, so no automaton is needed.
Law RegularLaw(const std::string& language, int min_length, int max_length) {
  const std::map<Tokens, NextSet> next_sets =
      NextOfShortPrefixes(language, max_length + RegularLookahead(language), max_length);
  Law pdfa_weight;
  std::map<int, double> weight_of_length;
  for (const auto& [w, next_of_w] : next_sets) {
    if (!next_of_w.end || Length(w) < min_length) continue;
    double weight = 1.0;
    for (int i = 0; i <= Length(w); ++i) {
      const NextSet& next = next_sets.at(Tokens(w.begin(), w.begin() + i));
      weight /= static_cast<double>(next.symbols.size()) + (next.end ? 1.0 : 0.0);
    }
    pdfa_weight[w] = weight;
    weight_of_length[Length(w)] += weight;
  }
  Law law;
  for (const auto& [w, weight] : pdfa_weight) {
    law[w] = weight / weight_of_length.at(Length(w)) / static_cast<double>(weight_of_length.size());
  }
  return law;
}

Law MajorityLaw(int min_length, int max_length) {
  Law law;
  const int shortest = std::max(min_length, 1);
  for (int length = shortest; length <= max_length; ++length) {
    const std::vector<Tokens> strings = AllStrings({"0", "1"}, length);
    const int fewest_ones = length / 2 + 1;
    for (int ones = fewest_ones; ones <= length; ++ones) {
      std::vector<Tokens> permutations;
      for (const Tokens& w : strings) {
        if (Count(w, "1") == ones) permutations.push_back(w);
      }
      for (const Tokens& w : permutations) {
        law[w] += 1.0 / (max_length - shortest + 1) / (length - fewest_ones + 1) /
                  static_cast<double>(permutations.size());
      }
    }
  }
  return law;
}

// Goes through all continuations of a partly generated sequence of operations.
void AddStackOperations(const Tokens& so_far, const Tokens& stack, int pushes_left,
                        double probability, Law& law) {
  const double push_probability = stack.empty() ? 1.0 : 0.5;
  if (!stack.empty()) {
    Tokens popped = stack;
    popped.pop_back();
    AddStackOperations(Concatenate(so_far, {"POP"}), popped, pushes_left,
                       probability * (1.0 - push_probability), law);
  }
  if (pushes_left == 0) {
    const Tokens w = Concatenate(Concatenate(so_far, {"#"}), Reversed(stack));
    law[w] += probability * push_probability;
    return;
  }
  for (const std::string bit : {"0", "1"}) {
    AddStackOperations(Concatenate(so_far, {"PUSH", bit}), Concatenate(stack, {bit}),
                       pushes_left - 1, probability * push_probability / 2.0, law);
  }
}

Law StackManipulationLaw(int min_length, int max_length) {
  Law law;
  // The paper's bounds do not reach every member (see the header), so all of them are entered
  // first.
  for (const auto& [w, next] : NextByEnumeration("stack-manipulation", max_length)) {
    if (next.end && Length(w) >= min_length) law[w] = 0.0;
  }
  const int least_stack = std::max(0, CeilDivide(min_length - 1, 2));
  const int most_stack = FloorDivide(max_length - 1, 2);
  for (int n_stack = least_stack; n_stack <= most_stack; ++n_stack) {
    const int least_push = std::max(0, CeilDivide(min_length - 2 * n_stack - 1, 3));
    const int most_push = FloorDivide(max_length - 2 * n_stack - 1, 3);
    const std::vector<Tokens> stacks = AllStrings({"0", "1"}, n_stack);
    for (int n_push = least_push; n_push <= most_push; ++n_push) {
      for (const Tokens& stack : stacks) {
        const double probability = 1.0 / (most_stack - least_stack + 1) /
                                   (most_push - least_push + 1) /
                                   static_cast<double>(stacks.size());
        AddStackOperations(stack, stack, n_push, probability, law);
      }
    }
  }
  return law;
}

// The languages that draw u uniformly among the strings of a uniformly drawn length and then
// continue it in the only possible way.
Law DeterminedBySourceLaw(const Tokens& source_alphabet, int shortest_source, int longest_source,
                          Tokens (*complete)(const Tokens& u)) {
  Law law;
  for (int length = shortest_source; length <= longest_source; ++length) {
    const std::vector<Tokens> sources = AllStrings(source_alphabet, length);
    for (const Tokens& u : sources) {
      law[complete(u)] +=
          1.0 / (longest_source - shortest_source + 1) / static_cast<double>(sources.size());
    }
  }
  return law;
}

Law MarkedLaw(const Tokens& source_alphabet, int min_length, int max_length,
              Tokens (*complete)(const Tokens& u)) {
  return DeterminedBySourceLaw(source_alphabet, std::max(0, CeilDivide(min_length - 1, 2)),
                               FloorDivide(max_length - 1, 2), complete);
}

Law UnmarkedReversalLaw(int min_length, int max_length) {
  return DeterminedBySourceLaw({"0", "1"}, CeilDivide(min_length, 2), FloorDivide(max_length, 2),
                               [](const Tokens& u) { return Concatenate(u, Reversed(u)); });
}

Law MissingDuplicateStringLaw(int min_length, int max_length) {
  Law law;
  const int shortest = std::max(1, CeilDivide(min_length, 2));
  const int longest = FloorDivide(max_length, 2);
  for (int length = shortest; length <= longest; ++length) {
    const std::vector<Tokens> originals = AllStrings({"0", "1"}, length);
    for (const Tokens& original : originals) {
      for (std::size_t forced = 0; forced < original.size(); ++forced) {
        Tokens u = original;
        u[forced] = std::string("1");
        const Tokens doubled = Concatenate(u, u);
        const double probability = 1.0 / (longest - shortest + 1) /
                                   static_cast<double>(originals.size()) / length /
                                   Count(doubled, "1");
        for (std::size_t blank = 0; blank < doubled.size(); ++blank) {
          if (doubled[blank] != "1") continue;
          Tokens w = doubled;
          w[blank] = std::string("_");
          law[w] += probability;
        }
      }
    }
  }
  return law;
}

std::int64_t Largest(int bits) { return (std::int64_t{1} << bits) - 1; }

Tokens Encode(std::int64_t value, int bits) {
  Tokens w;
  for (int i = 0; i < bits; ++i) w.push_back((value >> i) % 2 == 1 ? "1" : "0");
  return w;
}

Tokens Equation(const Tokens& x, const std::string& operation, const Tokens& y, const Tokens& z) {
  return Concatenate(Concatenate(Concatenate(Concatenate(x, {operation}), y), {"="}), z);
}

// binary-addition if `operation` is "+", else binary-multiplication.
Law BinaryOperationLaw(const std::string& operation, int min_length, int max_length) {
  const bool addition = operation == "+";
  const std::vector<int> alpha = addition ? std::vector<int>{1, 1, 1} : std::vector<int>{1, 1, 2};
  Law law;
  const int shortest = std::max(5, min_length);
  for (int length = shortest; length <= max_length; ++length) {
    for (const auto& [free_lengths, length_probability] : OperandLengthLaw(alpha, length - 5)) {
      // The paper's condition for this swap is inverted; its purpose is n_x <= n_y.
      const int n_x = std::min(free_lengths[0], free_lengths[1]) + 1;
      const int n_y = std::max(free_lengths[0], free_lengths[1]) + 1;
      const int n_z = free_lengths[2] + 1;
      const std::int64_t largest_x = addition ? std::min(Largest(n_x), Largest(n_z)) : Largest(n_x);
      for (std::int64_t x = 0; x <= largest_x; ++x) {
        std::int64_t largest_y = Largest(n_y);
        if (addition) largest_y = std::min(largest_y, Largest(n_z) - x);
        if (!addition && x > 0) largest_y = std::min(largest_y, Largest(n_z) / x);
        for (std::int64_t y = 0; y <= largest_y; ++y) {
          const double probability = length_probability / (max_length - shortest + 1) /
                                     static_cast<double>(largest_x + 1) /
                                     static_cast<double>(largest_y + 1);
          const Tokens encoded_x = Encode(x, n_x);
          const Tokens encoded_y = Encode(y, n_y);
          const Tokens encoded_z = Encode(addition ? x + y : x * y, n_z);
          law[Equation(encoded_x, operation, encoded_y, encoded_z)] += probability / 2.0;
          law[Equation(encoded_y, operation, encoded_x, encoded_z)] += probability / 2.0;
        }
      }
    }
  }
  return law;
}

Law ComputeSqrtLaw(int min_length, int max_length) {
  Law law;
  const int shortest = std::max(3, min_length);
  for (int length = shortest; length <= max_length; ++length) {
    for (const auto& [free_lengths, length_probability] : OperandLengthLaw({2, 1}, length - 3)) {
      const int n_x = free_lengths[0] + 1;
      const int n_z = free_lengths[1] + 1;
      const std::int64_t largest_x = std::min(Largest(n_x), Largest(2 * n_z));
      for (std::int64_t x = 0; x <= largest_x; ++x) {
        std::int64_t z = 0;
        while ((z + 1) * (z + 1) <= x) ++z;
        const Tokens w = Concatenate(Concatenate(Encode(x, n_x), {"="}), Encode(z, n_z));
        law[w] +=
            length_probability / (max_length - shortest + 1) / static_cast<double>(largest_x + 1);
      }
    }
  }
  return law;
}

// ---------------------------------------------------------------------------------------------
// Operand lengths.

// Ties have probability zero under a Dirichlet law, so which part wins one does not matter.
std::vector<int> LargestRemainder(const std::vector<double>& proportions, int total) {
  std::vector<int> parts;
  std::vector<std::pair<double, std::size_t>> remainders;
  for (std::size_t i = 0; i < proportions.size(); ++i) {
    const double share = proportions[i] * total;
    parts.push_back(static_cast<int>(std::floor(share)));
    remainders.emplace_back(share - std::floor(share), i);
  }
  std::sort(remainders.rbegin(), remainders.rend());
  const int missing = total - std::accumulate(parts.begin(), parts.end(), 0);
  for (int i = 0; i < missing; ++i) ++parts[remainders[static_cast<std::size_t>(i)].second];
  return parts;
}

// Fixes the proportions one after the other. Each is a fraction of what is left, which maps a grid
// on the unit cube to the simplex without cells that its border cuts; `volume` is the product of
// the factors by which this map shrinks a grid cell.
void IntegrateDirichlet(const std::vector<int>& alpha, int free_length, int grid,
                        std::vector<double>& proportions, double left, double volume,
                        std::map<std::vector<int>, double>& mass) {
  if (proportions.size() + 1 < alpha.size()) {
    for (int i = 0; i < grid; ++i) {
      const double proportion = left * (i + 0.5) / grid;
      proportions.push_back(proportion);
      IntegrateDirichlet(alpha, free_length, grid, proportions, left - proportion, volume * left,
                         mass);
      proportions.pop_back();
    }
    return;
  }
  proportions.push_back(left);
  double density = 1.0;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    for (int power = 1; power < alpha[i]; ++power) density *= proportions[i];
  }
  mass[LargestRemainder(proportions, free_length)] += density * volume;
  proportions.pop_back();
}

}  // namespace

std::vector<std::string> LanguageNames() {
  std::vector<std::string> names;
  for (const auto& [name, language] : Languages()) names.push_back(name);
  return names;
}

std::vector<std::string> AlphabetOf(const std::string& language) {
  // The byte order of UTF-8 is the order of the code points.
  return Sorted(Find(language).alphabet);
}

bool Contains(const std::string& language, const Tokens& w) {
  const Language& found = Find(language);
  for (const std::string& token : w) {
    if (Count(found.alphabet, token) == 0) return false;
  }
  return found.contains(w);
}

std::vector<Tokens> AllStrings(const std::vector<std::string>& alphabet, int length) {
  std::vector<Tokens> strings = {{}};
  for (int i = 0; i < length; ++i) {
    std::vector<Tokens> longer;
    for (const Tokens& w : strings) {
      for (const std::string& symbol : alphabet) longer.push_back(Concatenate(w, {symbol}));
    }
    strings = std::move(longer);
  }
  return strings;
}

std::map<Tokens, NextSet> NextByEnumeration(const std::string& language, int max_length) {
  return NextOfShortPrefixes(language, max_length, max_length);
}

std::vector<NextSet> StackManipulationNextByRule(const Tokens& w) {
  if (!Contains("stack-manipulation", w)) {
    throw std::invalid_argument("no member of stack-manipulation");
  }
  const int all_pushes = Count(w, "PUSH");
  std::vector<NextSet> next_sets;
  Tokens stack;
  int pushes_seen = 0;
  std::size_t i = 0;

  const NextSet in_initial_stack = {{"#", "0", "1", "POP", "PUSH"}, false};
  next_sets.push_back(in_initial_stack);
  for (; IsBit(w[i]); ++i) {
    stack.push_back(w[i]);
    next_sets.push_back(in_initial_stack);
  }

  for (; w[i] != "#"; ++i) {
    if (w[i] == "PUSH") {
      next_sets.push_back({{"0", "1"}, false});
      ++i;
      ++pushes_seen;
      stack.push_back(w[i]);
    } else {
      stack.pop_back();
    }
    NextSet after_operation = {{"#"}, false};
    if (pushes_seen < all_pushes) after_operation.symbols.insert("PUSH");
    if (!stack.empty()) after_operation.symbols.insert("POP");
    next_sets.push_back(after_operation);
  }

  while (!stack.empty()) {
    next_sets.push_back({{stack.back()}, false});
    stack.pop_back();
  }
  next_sets.push_back({{}, true});
  return next_sets;
}

std::map<Tokens, double> PositiveLaw(const std::string& language, int min_length, int max_length) {
  const Tokens bits = {"0", "1"};
  if (Find(language).regular) return RegularLaw(language, min_length, max_length);
  if (language == "majority") return MajorityLaw(min_length, max_length);
  if (language == "stack-manipulation") return StackManipulationLaw(min_length, max_length);
  if (language == "marked-reversal") {
    return MarkedLaw(bits, min_length, max_length, [](const Tokens& u) {
      return Concatenate(Concatenate(u, {"#"}), Reversed(u));
    });
  }
  if (language == "unmarked-reversal") return UnmarkedReversalLaw(min_length, max_length);
  if (language == "marked-copy") {
    return MarkedLaw(bits, min_length, max_length,
                     [](const Tokens& u) { return Concatenate(Concatenate(u, {"#"}), u); });
  }
  if (language == "missing-duplicate-string") {
    return MissingDuplicateStringLaw(min_length, max_length);
  }
  if (language == "odds-first") {
    return MarkedLaw(bits, min_length, max_length, [](const Tokens& u) {
      return Concatenate(Concatenate(u, {"#"}), OddsFirst(u));
    });
  }
  if (language == "binary-addition") return BinaryOperationLaw("+", min_length, max_length);
  if (language == "binary-multiplication") {
    return BinaryOperationLaw(kTimes, min_length, max_length);
  }
  if (language == "compute-sqrt") return ComputeSqrtLaw(min_length, max_length);
  if (language == "bucket-sort") {
    return MarkedLaw({"1", "2", "3", "4", "5"}, min_length, max_length,
                     [](const Tokens& u) { return Concatenate(Concatenate(u, {"#"}), Sorted(u)); });
  }
  if (language == "anbncn" || language == "mix" || language == "shuffle-dyck-2") {
    return UniformLaw(language, min_length, max_length);
  }
  throw std::logic_error("no positive law for " + language);
}

std::map<std::vector<int>, double> OperandLengthLaw(const std::vector<int>& alpha,
                                                    int free_length) {
  if (alpha.empty()) throw std::invalid_argument("a Dirichlet law needs at least one part");
  // About a million points whatever the number of parts. An even number per axis keeps the symmetry
  // of two equal parts: no point lies on the border between their cells.
  const double axes = std::max(1.0, static_cast<double>(alpha.size()) - 1.0);
  const int grid = 2 * static_cast<int>(std::lround(std::pow(1e6, 1.0 / axes) / 2.0));
  std::map<std::vector<int>, double> mass;
  std::vector<double> proportions;
  IntegrateDirichlet(alpha, free_length, grid, proportions, 1.0, 1.0, mass);
  double total = 0.0;
  for (const auto& [lengths, weight] : mass) total += weight;
  for (auto& [lengths, weight] : mass) weight /= total;
  return mass;
}

}  // namespace flare::naive
