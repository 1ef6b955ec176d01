// shuffle-dyck-2: two types of brackets, each balanced if the other is left out; they may cross.

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "flare/automata/extended_real.h"
#include "flare/base/error.h"
#include "flare/languages/catalog.h"

namespace flare {
namespace {

// ln of the k-th Catalan number, which counts the balanced strings of k pairs.
double LogCatalan(std::size_t k) {
  const double n = static_cast<double>(k);
  return std::lgamma(2 * n + 1) - std::lgamma(n + 1) - std::lgamma(n + 2);
}

// A balanced string of `pairs` pairs, uniform, as true for open: among the rotations of pairs+1
// opening and `pairs` closing brackets, exactly one stays positive throughout, and without its
// first bracket it is balanced (the cycle lemma).
std::vector<bool> DrawBalanced(std::size_t pairs, Rng& rng) {
  std::vector<std::uint8_t> steps(2 * pairs + 1, 0);
  std::fill_n(steps.begin(), pairs + 1, std::uint8_t{1});
  rng.Shuffle(steps);
  // It begins after the last place where the sum is least.
  std::ptrdiff_t sum = 0, least = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    sum += steps[i] != 0 ? 1 : -1;
    if (sum <= least) {
      least = sum;
      begin = i + 1;
    }
  }
  std::vector<bool> opens;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    opens.push_back(steps[(begin + i) % steps.size()] != 0);
  }
  return opens;
}

class ShuffleDyck2 : public Language {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    std::array<std::size_t, 2> open{};
    for (const Symbol a : w) {
      if (!Step(a, open)) return false;
    }
    return open[0] == 0 && open[1] == 0;
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    std::array<std::size_t, 2> open{};
    const auto append = [&] {
      sets.Append();
      for (std::size_t type = 0; type < 2; ++type) {
        sets.Add(opening_[type]);
        if (open[type] > 0) sets.Add(closing_[type]);
      }
      if (open[0] == 0 && open[1] == 0) sets.AddEos();
    };
    sets.Clear();
    append();
    for (const Symbol a : w) {
      FLARE_CHECK(Step(a, open));
      append();
    }
  }

  // Uniform over the strings of a length.
  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    if ((range.min + 1) / 2 > range.max / 2) ThrowNoMember(range);
    return std::make_unique<Sampler>(*this, range);
  }
  std::unique_ptr<PositiveSampler> MakeUniformSampler(LengthRange range) const override {
    return MakeSampler(range);
  }

 private:
  // False if a bracket is closed that is not open.
  bool Step(Symbol a, std::array<std::size_t, 2>& open) const {
    const std::size_t type = a == opening_[1] || a == closing_[1] ? 1 : 0;
    if (a == opening_[type]) {
      ++open[type];
      return true;
    }
    return open[type]-- > 0;
  }

  class Sampler : public PositiveSampler, public Density {
   public:
    Sampler(const ShuffleDyck2& language, LengthRange range)
        : language_(language), least_((range.min + 1) / 2), count_(range.max / 2 + 1 - least_) {}

    void Sample(Rng& rng, String& w) const override {
      const std::size_t pairs = least_ + rng.UniformInt(count_);
      const std::size_t of_first = DrawShare(pairs, rng);
      const std::array<std::vector<bool>, 2> opens = {DrawBalanced(of_first, rng),
                                                      DrawBalanced(pairs - of_first, rng)};
      std::vector<std::uint8_t> types(2 * pairs, 1);
      std::fill_n(types.begin(), 2 * of_first, std::uint8_t{0});
      rng.Shuffle(types);
      std::array<std::size_t, 2> next{};
      w.clear();
      for (const std::uint8_t type : types) {
        w.push_back(opens[type][next[type]++] ? language_.opening_[type]
                                              : language_.closing_[type]);
      }
    }
    const Density* density() const override { return this; }
    // There are Σₖ C(2m, 2k)·Catalan(k)·Catalan(m−k) = Catalan(m)·Catalan(m+1) strings of m pairs.
    double LogProbability(StringView w) const override {
      const std::size_t pairs = w.size() / 2;
      return -std::log(static_cast<double>(count_)) - LogCatalan(pairs) - LogCatalan(pairs + 1);
    }

   private:
    // Draws how many of m pairs are of the first type: k with weight C(2m,
    // 2k)·Catalan(k)·Catalan(m−k). Each weight follows from the one before by a quotient of whole
    // numbers.
    static std::size_t DrawShare(std::size_t pairs, Rng& rng) {
      std::vector<ExtendedReal> sums{ExtendedReal(1)};
      ExtendedReal weight(1);
      for (std::size_t k = 0; k < pairs; ++k) {
        const auto m = static_cast<double>(pairs), i = static_cast<double>(k);
        const double choices = (2 * m - 2 * i) * (2 * m - 2 * i - 1) / ((2 * i + 1) * (2 * i + 2));
        const double catalans = 2 * (2 * i + 1) / (i + 2) * (m - i + 1) / (2 * (2 * (m - i) - 1));
        weight *= ExtendedReal(choices * catalans);
        sums.push_back(sums.back() + weight);
      }
      const ExtendedReal target = ExtendedReal(rng.Uniform()) * sums.back();
      std::size_t k = 0;
      while (k < pairs && !(target < sums[k])) ++k;
      return k;
    }

    const ShuffleDyck2& language_;
    std::size_t least_, count_;  // pairs
  };

  Alphabet alphabet_{{"(0", ")0", "(1", ")1"}};
  std::array<Symbol, 2> opening_{alphabet_.At("(0"), alphabet_.At("(1")};
  std::array<Symbol, 2> closing_{alphabet_.At(")0"), alphabet_.At(")1")};
};

}  // namespace

std::unique_ptr<Language> MakeShuffleDyck2() { return std::make_unique<ShuffleDyck2>(); }

}  // namespace flare
