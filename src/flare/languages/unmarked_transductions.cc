#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "flare/languages/catalog.h"

namespace flare {

// unmarked-reversal: u uᴿ for binary u, the palindromes of even length.

namespace {

// Finds the prefixes of w that are palindromes of even length, in linear time (Manacher): radius[c]
// is how far a palindrome reaches to both sides of the gap before w[c].
std::vector<bool> EvenPalindromicPrefixes(StringView w) {
  const std::size_t n = w.size();
  std::vector<std::size_t> radius(n + 1, 0);
  std::size_t center = 0, right = 0;  // the palindrome found that reaches furthest
  std::vector<bool> palindrome(n + 1, false);
  palindrome[0] = true;
  for (std::size_t c = 1; c < n; ++c) {
    std::size_t r = c < right ? std::min(right - c, radius[2 * center - c]) : 0;
    while (r < c && c + r < n && w[c - r - 1] == w[c + r]) ++r;
    radius[c] = r;
    if (c + r > right) {
      center = c;
      right = c + r;
    }
    if (r == c) palindrome[2 * c] = true;
  }
  return palindrome;
}

class UnmarkedReversal : public Language {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    return w.size() % 2 == 0 &&
           std::equal(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(w.size() / 2), w.rbegin());
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    sets.Clear();
    for (const bool member : EvenPalindromicPrefixes(w)) {
      sets.AppendAll();
      if (member) sets.AddEos();
    }
  }

  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    if ((range.min + 1) / 2 > range.max / 2) ThrowNoMember(range);
    return std::make_unique<Sampler>(*this, range);
  }

 private:
  class Sampler : public PositiveSampler, public Density {
   public:
    Sampler(const UnmarkedReversal& language, LengthRange range)
        : language_(language),
          shortest_((range.min + 1) / 2),
          count_(range.max / 2 + 1 - shortest_) {}

    void Sample(Rng& rng, String& w) const override {
      const std::size_t length = shortest_ + rng.UniformInt(count_);
      w.resize(2 * length);
      for (std::size_t i = 0; i < length; ++i) {
        w[i] = w[2 * length - 1 - i] = rng.Bit() ? language_.one_ : language_.zero_;
      }
    }
    const Density* density() const override { return this; }
    double LogProbability(StringView w) const override {
      const std::size_t half = w.size() / 2;
      return -std::log(static_cast<double>(count_)) - static_cast<double>(half) * std::numbers::ln2;
    }

   private:
    const UnmarkedReversal& language_;
    std::size_t shortest_;  // |u| from ⌈min/2⌉ ...
    std::size_t count_;     // ... to ⌊max/2⌋
  };

  Alphabet alphabet_{{"0", "1"}};
  Symbol zero_ = alphabet_.At("0");
  Symbol one_ = alphabet_.At("1");
};

}  // namespace

std::unique_ptr<Language> MakeUnmarkedReversal() { return std::make_unique<UnmarkedReversal>(); }

// missing-duplicate-string: u u for binary u, with one 1 replaced by _.

namespace {

class MissingDuplicateString : public Language {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    return std::count(w.begin(), w.end(), gap_) == 1 && IsFilledSquare(w);
  }

  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    sets.Clear();
    // A proper prefix that ends after the gap can itself be a member.
    bool gap_seen = false;
    for (std::size_t i = 0; i <= w.size(); ++i) {
      if (i > 0 && w[i - 1] == gap_) gap_seen = true;
      sets.Append();
      sets.Add(zero_);
      sets.Add(one_);
      if (!gap_seen) sets.Add(gap_);
      if (gap_seen && IsFilledSquare(w.first(i))) sets.AddEos();
    }
  }

  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    if (std::max<std::size_t>((range.min + 1) / 2, 1) > range.max / 2) ThrowNoMember(range);
    return std::make_unique<Sampler>(*this, range);
  }

 private:
  class Sampler : public PositiveSampler {
   public:
    Sampler(const MissingDuplicateString& language, LengthRange range)
        : language_(language),
          shortest_(std::max<std::size_t>((range.min + 1) / 2, 1)),
          count_(range.max / 2 + 1 - shortest_) {}

    void Sample(Rng& rng, String& w) const override {
      const MissingDuplicateString& l = language_;
      const std::size_t length = shortest_ + rng.UniformInt(count_);
      w.clear();
      for (std::size_t i = 0; i < length; ++i) w.push_back(rng.Bit() ? l.one_ : l.zero_);
      w[rng.UniformInt(length)] = l.one_;
      w.resize(2 * length);
      std::copy_n(w.begin(), length, w.begin() + static_cast<std::ptrdiff_t>(length));
      std::vector<std::size_t> ones;
      for (std::size_t i = 0; i < w.size(); ++i) {
        if (w[i] == l.one_) ones.push_back(i);
      }
      w[ones[rng.UniformInt(ones.size())]] = l.gap_;
    }

   private:
    const MissingDuplicateString& language_;
    std::size_t shortest_;  // |u| from max(1, ⌈min/2⌉) ...
    std::size_t count_;     // ... to ⌊max/2⌋
  };

  // With every gap filled by a 1, is it u u?
  bool IsFilledSquare(StringView w) const {
    const auto filled = [this](Symbol a) { return a == gap_ ? one_ : a; };
    const std::size_t half = w.size() / 2;
    if (w.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < half; ++i) {
      if (filled(w[i]) != filled(w[half + i])) return false;
    }
    return true;
  }

  Alphabet alphabet_{{"0", "1", "_"}};
  Symbol zero_ = alphabet_.At("0");
  Symbol one_ = alphabet_.At("1");
  Symbol gap_ = alphabet_.At("_");
};

}  // namespace

std::unique_ptr<Language> MakeMissingDuplicateString() {
  return std::make_unique<MissingDuplicateString>();
}

}  // namespace flare
