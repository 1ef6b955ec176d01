// compute-sqrt: x = z in binary, least significant bit first, where z is the integer part of √x,
// exactly, at any length.

#include <algorithm>
#include <array>

#include "flare/languages/binary_numbers.h"
#include "flare/languages/catalog.h"

namespace flare {
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
