// unmarked-reversal: u uᴿ for binary u, the palindromes of even length.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "flare/languages/catalog.h"

namespace flare {
namespace {

// Which prefixes of w are palindromes of even length, in linear time (Manacher): radius[c] is how
// far a palindrome reaches to both sides of the gap before w[c].
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

}  // namespace flare
