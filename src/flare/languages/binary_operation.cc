#include "flare/languages/binary_operation.h"

#include <algorithm>
#include <utility>

#include "flare/base/error.h"

namespace flare {

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

}  // namespace flare
