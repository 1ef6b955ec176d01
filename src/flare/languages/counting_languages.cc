#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "flare/languages/catalog.h"

namespace flare {

// majority: more 1s than 0s.

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
    std::ptrdiff_t surplus = 0;  // how many more 1s than 0s there are
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

// anbncn: n times a, then b, then c.

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

// mix: as many a as b as c, in any order.

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
