#include "flare/languages/binary_arithmetic.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "flare/base/error.h"
#include "flare/languages/catalog.h"

namespace flare {
namespace {

constexpr std::size_t kWordBits = 64;

mpz_class FromWords(const std::vector<std::uint64_t>& words) {
  mpz_class x;
  mpz_import(x.get_mpz_t(), words.size(), -1, sizeof(std::uint64_t), 0, 0, words.data());
  return x;
}

}  // namespace

mpz_class ParseBinary(const BinaryDigits& digits, StringView bits) {
  std::vector<std::uint64_t> words(bits.size() / kWordBits + 1, 0);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::uint64_t bit = bits[i] == digits.one ? 1 : 0;
    words[i / kWordBits] |= bit << (i % kWordBits);
  }
  return FromWords(words);
}

void AppendBinary(const BinaryDigits& digits, const mpz_class& x, std::size_t length, String& w) {
  FLARE_CHECK(length >= BinaryLength(x));
  for (std::size_t i = 0; i < length; ++i) {
    w.push_back(mpz_tstbit(x.get_mpz_t(), i) != 0 ? digits.one : digits.zero);
  }
}

std::size_t BinaryLength(const mpz_class& x) { return mpz_sizeinbase(x.get_mpz_t(), 2); }

void AppendResultSets(const BinaryDigits& digits, const mpz_class& z, std::size_t written,
                      NextSymbolSets& sets) {
  const std::size_t length = BinaryLength(z);
  for (std::size_t i = 0; i <= written; ++i) {
    sets.Append();
    if (i < length) {
      sets.Add(mpz_tstbit(z.get_mpz_t(), i) != 0 ? digits.one : digits.zero);
    } else {
      sets.Add(digits.zero);
      sets.AddEos();
    }
  }
}

mpz_class LargestOfLength(std::size_t n) { return (mpz_class(1) << n) - 1; }

mpz_class UniformUpTo(const mpz_class& most, Rng& rng) {
  FLARE_CHECK(most >= 0);
  const std::size_t bits = BinaryLength(most);
  std::vector<std::uint64_t> words((bits + kWordBits - 1) / kWordBits);
  while (true) {
    for (std::uint64_t& word : words) word = rng.Bits();
    if (bits % kWordBits != 0) words.back() >>= kWordBits - bits % kWordBits;
    mpz_class x = FromWords(words);
    if (x <= most) return x;
  }
}

std::vector<std::size_t> DirichletSplit(std::span<const std::size_t> alpha, std::size_t total,
                                        Rng& rng) {
  __extension__ using Wide = unsigned __int128;
  constexpr int kBits = 62;  // the number of bits of a uniform number
  std::size_t spacings = 0;
  for (const std::size_t a : alpha) spacings += a;
  std::vector<std::uint64_t> cuts{0, std::uint64_t{1} << kBits};
  for (std::size_t i = 1; i < spacings; ++i) cuts.push_back(rng.Bits() >> (64 - kBits));
  std::sort(cuts.begin(), cuts.end());

  struct Part {
    std::uint64_t remainder;  // of the division by 2^62
    std::uint64_t tie_break;
    std::size_t index;
  };
  std::vector<std::size_t> sizes;
  std::vector<Part> parts;
  std::size_t cut = 0;
  std::size_t left = total;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    const std::uint64_t share = cuts[cut + alpha[i]] - cuts[cut];
    cut += alpha[i];
    const Wide exact = static_cast<Wide>(share) * total;
    sizes.push_back(static_cast<std::size_t>(exact >> kBits));
    left -= sizes.back();
    const std::uint64_t mask = (std::uint64_t{1} << kBits) - 1;
    parts.push_back({static_cast<std::uint64_t>(exact) & mask, rng.Bits(), i});
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::pair(a.remainder, a.tie_break) > std::pair(b.remainder, b.tie_break);
  });
  for (std::size_t i = 0; i < left; ++i) ++sizes[parts[i].index];
  return sizes;
}

struct BinaryOperation::Operands {
  StringView x, y, z;
};

BinaryOperation::BinaryOperation(Definition definition)
    : definition_(std::move(definition)),
      alphabet_({"0", "1", definition_.symbol, "="}),
      digits_{alphabet_.At("0"), alphabet_.At("1")},
      operator_(alphabet_.At(definition_.symbol)),
      equals_(alphabet_.At("=")) {}

std::optional<BinaryOperation::Operands> BinaryOperation::Split(StringView w) const {
  // Takes the digits before `end`; nothing if there are none or something else follows.
  const auto take = [&](std::optional<Symbol> end) -> std::optional<StringView> {
    const auto stop =
        std::find_if_not(w.begin(), w.end(), [&](Symbol a) { return digits_.IsDigit(a); });
    const StringView number(w.begin(), stop);
    const bool ends_well = end ? stop != w.end() && *stop == *end : stop == w.end();
    if (number.empty() || !ends_well) return std::nullopt;
    w = w.subspan(number.size() + (end ? 1 : 0));
    return number;
  };
  const auto x = take(operator_);
  if (!x) return std::nullopt;
  const auto y = take(equals_);
  if (!y) return std::nullopt;
  const auto z = take({});
  if (!z) return std::nullopt;
  return Operands{*x, *y, *z};
}

bool BinaryOperation::Contains(StringView w) const {
  const auto split = Split(w);
  return split &&
         definition_.result(ParseBinary(digits_, split->x), ParseBinary(digits_, split->y)) ==
             ParseBinary(digits_, split->z);
}

void BinaryOperation::NextSymbols(StringView w, NextSymbolSets& sets) const {
  sets.Clear();
  const auto split = Split(w);
  FLARE_CHECK(split.has_value());
  const auto operand = [&](StringView number, Symbol end) {
    for (std::size_t i = 0; i <= number.size(); ++i) {
      sets.Append();
      sets.Add(digits_.zero);
      sets.Add(digits_.one);
      if (i > 0) sets.Add(end);
    }
  };
  operand(split->x, operator_);
  operand(split->y, equals_);
  AppendResultSets(digits_, ParseBinary(digits_, split->z), split->z.size(), sets);
}

class BinaryOperation::Sampler : public PositiveSampler {
 public:
  Sampler(const BinaryOperation& language, LengthRange range)
      : language_(language), range_(range) {}

  void Sample(Rng& rng, String& w) const override {
    const Definition& op = language_.definition_;
    const std::size_t length = range_.min + rng.UniformInt(range_.max - range_.min + 1);
    // Each number has one digit at least; the Dirichlet draw shares out the others.
    const auto extra = DirichletSplit(op.alpha, length - kShortest, rng);
    std::size_t n_x = 1 + extra[0], n_y = 1 + extra[1];
    const std::size_t n_z = 1 + extra[2];
    // The shorter operand first: it restricts the other less.
    if (n_x > n_y) std::swap(n_x, n_y);
    const mpz_class most = LargestOfLength(n_z);
    const mpz_class x = UniformUpTo(Least(LargestOfLength(n_x), op.largest_x(most)), rng);
    const mpz_class y = UniformUpTo(Least(LargestOfLength(n_y), op.largest_y(x, most)), rng);
    // The operands change places half of the time, so that neither side is the shorter.
    const bool swap = rng.Bit();
    const BinaryDigits& digits = language_.digits_;
    w.clear();
    AppendBinary(digits, swap ? y : x, swap ? n_y : n_x, w);
    w.push_back(language_.operator_);
    AppendBinary(digits, swap ? x : y, swap ? n_x : n_y, w);
    w.push_back(language_.equals_);
    AppendBinary(digits, op.result(x, y), n_z, w);
  }

  static constexpr std::size_t kShortest = 5;  // 0∘0=0

 private:
  static mpz_class Least(const mpz_class& a, const std::optional<mpz_class>& b) {
    return b && *b < a ? *b : a;
  }

  const BinaryOperation& language_;
  LengthRange range_;
};

std::unique_ptr<PositiveSampler> BinaryOperation::MakeSampler(LengthRange range) const {
  if (range.max < Sampler::kShortest) ThrowNoMember(range);
  range.min = std::max(range.min, Sampler::kShortest);
  return std::make_unique<Sampler>(*this, range);
}

// binary-addition: x + y = z in binary, least significant bit first.
std::unique_ptr<Language> MakeBinaryAddition() {
  return std::make_unique<BinaryOperation>(BinaryOperation::Definition{
      .symbol = "+",
      .result = [](const mpz_class& x, const mpz_class& y) { return mpz_class(x + y); },
      .alpha = {1, 1, 1},
      .largest_x = [](const mpz_class& most) { return std::optional(most); },
      .largest_y = [](const mpz_class& x,
                      const mpz_class& most) { return std::optional(mpz_class(most - x)); },
  });
}

// binary-multiplication: x × y = z in binary, least significant bit first.

namespace {

std::optional<mpz_class> LargestFactor(const mpz_class& x, const mpz_class& most) {
  if (x == 0) return std::nullopt;
  return mpz_class(most / x);
}

}  // namespace

std::unique_ptr<Language> MakeBinaryMultiplication() {
  return std::make_unique<BinaryOperation>(BinaryOperation::Definition{
      .symbol = "×",
      .result = [](const mpz_class& x, const mpz_class& y) { return mpz_class(x * y); },
      // A product has about as many bits as both factors together.
      .alpha = {1, 1, 2},
      // Any x will do, with y = 0 if need be.
      .largest_x = [](const mpz_class&) { return std::optional<mpz_class>(); },
      .largest_y = LargestFactor,
  });
}

// compute-sqrt: x = z in binary, least significant bit first, where z is the integer part of √x,
// exactly, at any length.

namespace {

class ComputeSqrt : public Language {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    const auto equals = std::find(w.begin(), w.end(), equals_);
    if (equals == w.begin() || equals == w.end() || equals + 1 == w.end()) return false;
    if (std::find(equals + 1, w.end(), equals_) != w.end()) return false;
    const mpz_class x = ParseBinary(digits_, {w.begin(), equals});
    return sqrt(x) == ParseBinary(digits_, {equals + 1, w.end()});
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    sets.Clear();
    const auto equals = std::find(w.begin(), w.end(), equals_);
    const StringView z(equals + 1, w.end());
    for (auto a = w.begin(); a <= equals; ++a) {
      sets.Append();
      sets.Add(digits_.zero);
      sets.Add(digits_.one);
      if (a != w.begin()) sets.Add(equals_);
    }
    AppendResultSets(digits_, ParseBinary(digits_, z), z.size(), sets);
  }

  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    if (range.max < kShortest) ThrowNoMember(range);
    range.min = std::max(range.min, kShortest);
    return std::make_unique<Sampler>(*this, range);
  }

 private:
  static constexpr std::size_t kShortest = 3;  // 0=0

  class Sampler : public PositiveSampler {
   public:
    Sampler(const ComputeSqrt& language, LengthRange range) : language_(language), range_(range) {}

    void Sample(Rng& rng, String& w) const override {
      // A root has about half as many bits.
      constexpr std::array<std::size_t, 2> kAlpha = {2, 1};
      const std::size_t length = range_.min + rng.UniformInt(range_.max - range_.min + 1);
      const auto extra = DirichletSplit(kAlpha, length - kShortest, rng);
      const std::size_t n_x = 1 + extra[0], n_z = 1 + extra[1];
      const mpz_class x = UniformUpTo(LargestOfLength(std::min(n_x, 2 * n_z)), rng);
      w.clear();
      AppendBinary(language_.digits_, x, n_x, w);
      w.push_back(language_.equals_);
      AppendBinary(language_.digits_, sqrt(x), n_z, w);
    }

   private:
    const ComputeSqrt& language_;
    LengthRange range_;
  };

  Alphabet alphabet_{{"0", "1", "="}};
  BinaryDigits digits_{alphabet_.At("0"), alphabet_.At("1")};
  Symbol equals_ = alphabet_.At("=");
};

}  // namespace

std::unique_ptr<Language> MakeComputeSqrt() { return std::make_unique<ComputeSqrt>(); }

}  // namespace flare
