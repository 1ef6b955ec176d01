// anbncn: n times a, then b, then c.

#include <cmath>
#include <memory>

#include "flare/languages/catalog.h"

namespace flare {
namespace {

class Anbncn : public Language {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    const std::size_t n = w.size() / 3;
    if (w.size() % 3 != 0) return false;
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (Index(w[i]) != i / n) return false;
    }
    return true;
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    const std::size_t n = w.size() / 3;
    sets.Clear();
    for (std::size_t t = 0; t <= w.size(); ++t) {
      sets.Append();
      // The first b decides how many of all there are.
      if (t <= n) sets.Add(SymbolAt(0));
      if (0 < t && t < 2 * n) sets.Add(SymbolAt(1));
      if (2 * n <= t && t < 3 * n) sets.Add(SymbolAt(2));
      if (t == 0 || t == w.size()) sets.AddEos();
    }
  }

  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    if ((range.min + 2) / 3 > range.max / 3) ThrowNoMember(range);
    return std::make_unique<Sampler>(range);
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
    }
    const Density* density() const override { return this; }
    double LogProbability(StringView /*w*/) const override {
      return -std::log(static_cast<double>(count_));
    }

   private:
    std::size_t least_, count_;  // n
  };

  Alphabet alphabet_{{"a", "b", "c"}};
};

}  // namespace

std::unique_ptr<Language> MakeAnbncn() { return std::make_unique<Anbncn>(); }

}  // namespace flare
