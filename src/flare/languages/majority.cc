// majority: more 1s than 0s.

#include <algorithm>

#include "flare/languages/catalog.h"

namespace flare {
namespace {

class Majority : public Language {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    const auto ones = static_cast<std::size_t>(std::count(w.begin(), w.end(), one_));
    return ones > w.size() - ones;
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    sets.Clear();
    sets.AppendAll();
    std::ptrdiff_t surplus = 0;  // of 1s
    for (const Symbol a : w) {
      surplus += a == one_ ? 1 : -1;
      sets.AppendAll();
      if (surplus > 0) sets.AddEos();
    }
  }

  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    if (range.max == 0) ThrowNoMember(range);
    range.min = std::max<std::size_t>(range.min, 1);
    return std::make_unique<Sampler>(*this, range);
  }

 private:
  class Sampler : public PositiveSampler {
   public:
    Sampler(const Majority& language, LengthRange range) : language_(language), range_(range) {}

    void Sample(Rng& rng, String& w) const override {
      const std::size_t n = range_.min + rng.UniformInt(range_.max - range_.min + 1);
      const std::size_t least = n / 2 + 1;
      const std::size_t ones = least + rng.UniformInt(n - least + 1);
      w.assign(n, language_.zero_);
      std::fill_n(w.begin(), ones, language_.one_);
      rng.Shuffle(w);
    }

   private:
    const Majority& language_;
    LengthRange range_;
  };

  Alphabet alphabet_{{"0", "1"}};
  Symbol zero_ = alphabet_.At("0");
  Symbol one_ = alphabet_.At("1");
};

}  // namespace

std::unique_ptr<Language> MakeMajority() { return std::make_unique<Majority>(); }

}  // namespace flare
