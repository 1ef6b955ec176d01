// mix: as many a as b as c, in any order.

#include <array>
#include <cmath>
#include <memory>

#include "flare/languages/catalog.h"

namespace flare {
namespace {

class Mix : public Language {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    std::array<std::size_t, 3> counts{};
    for (const Symbol a : w) ++counts[Index(a)];
    return counts[0] == counts[1] && counts[1] == counts[2];
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    std::array<std::size_t, 3> counts{};
    sets.Clear();
    sets.AppendAll();
    sets.AddEos();
    for (const Symbol a : w) {
      ++counts[Index(a)];
      sets.AppendAll();
      if (counts[0] == counts[1] && counts[1] == counts[2]) sets.AddEos();
    }
  }

  // Uniform over the strings of a length: every order is equally likely.
  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    if ((range.min + 2) / 3 > range.max / 3) ThrowNoMember(range);
    return std::make_unique<Sampler>(range);
  }
  std::unique_ptr<PositiveSampler> MakeUniformSampler(LengthRange range) const override {
    return MakeSampler(range);
  }

 private:
  class Sampler : public PositiveSampler, public Density {
   public:
    explicit Sampler(LengthRange range)
        : least_((range.min + 2) / 3), count_(range.max / 3 + 1 - least_) {}

    void Sample(Rng& rng, String& w) const override {
      const std::size_t n = least_ + rng.UniformInt(count_);
      w.clear();
      for (std::size_t symbol = 0; symbol < 3; ++symbol) w.insert(w.end(), n, SymbolAt(symbol));
      rng.Shuffle(w);
    }
    const Density* density() const override { return this; }
    double LogProbability(StringView w) const override {
      const double n = static_cast<double>(w.size() / 3);
      return -std::log(static_cast<double>(count_)) -
             (std::lgamma(3 * n + 1) - 3 * std::lgamma(n + 1));
    }

   private:
    std::size_t least_, count_;  // n
  };

  Alphabet alphabet_{{"a", "b", "c"}};
};

}  // namespace

std::unique_ptr<Language> MakeMix() { return std::make_unique<Mix>(); }

}  // namespace flare
