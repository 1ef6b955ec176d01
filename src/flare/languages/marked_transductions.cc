// Languages of the form { u # f(u) | u ∈ Γ* } with |f(u)| = |u|: reversal, copy, odds first, bucket
// sort. Each supplies Γ and f; the rest follows (paper, Appendix E, Marked Reversal).

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "flare/languages/catalog.h"
#include "flare/languages/language.h"

namespace flare {
namespace {

class MarkedTransduction : public Language {
 public:
  // f(u). Requires of it: as many symbols as u, all of Γ.
  using Function = String (*)(StringView u);

  // `symbols` is Γ, without the marker #.
  MarkedTransduction(const std::vector<std::string>& symbols, Function function);

  const Alphabet& alphabet() const override { return alphabet_; }
  bool Contains(StringView w) const override;
  void NextSymbols(StringView w, NextSymbolSets& sets) const override;
  // |u| uniform over what fits the range, then u uniform over Γ^|u|.
  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override;

 private:
  class Sampler;

  Alphabet alphabet_;
  Symbol mark_;
  std::vector<Symbol> symbols_;  // Γ
  Function function_;
};

std::vector<std::string> WithMark(std::vector<std::string> symbols) {
  symbols.emplace_back("#");
  return symbols;
}

}  // namespace

MarkedTransduction::MarkedTransduction(const std::vector<std::string>& symbols, Function function)
    : alphabet_(WithMark(symbols)), mark_(alphabet_.At("#")), function_(function) {
  for (const std::string& name : symbols) symbols_.push_back(alphabet_.At(name));
}

bool MarkedTransduction::Contains(StringView w) const {
  const auto mark = std::find(w.begin(), w.end(), mark_);
  if (mark == w.end() || w.end() - mark - 1 != mark - w.begin()) return false;
  const String image = function_({w.begin(), mark});
  return std::equal(image.begin(), image.end(), mark + 1);
}

void MarkedTransduction::NextSymbols(StringView w, NextSymbolSets& sets) const {
  sets.Clear();
  const std::size_t u = w.size() / 2;
  for (std::size_t i = 0; i <= u; ++i) sets.AppendAll();
  for (std::size_t i = u + 1; i <= w.size(); ++i) {
    sets.Append();
    i < w.size() ? sets.Add(w[i]) : sets.AddEos();
  }
}

class MarkedTransduction::Sampler : public PositiveSampler, public Density {
 public:
  Sampler(const MarkedTransduction& language, LengthRange range)
      : language_(language),
        shortest_(range.min / 2),
        count_((range.max - 1) / 2 + 1 - shortest_) {}

  void Sample(Rng& rng, String& w) const override {
    const std::size_t length = shortest_ + rng.UniformInt(count_);
    w.clear();
    for (std::size_t i = 0; i < length; ++i) {
      w.push_back(language_.symbols_[rng.UniformInt(language_.symbols_.size())]);
    }
    const String image = language_.function_(w);
    w.push_back(language_.mark_);
    w.insert(w.end(), image.begin(), image.end());
  }

  const Density* density() const override { return this; }
  double LogProbability(StringView w) const override {
    const std::size_t half = w.size() / 2;
    return -std::log(static_cast<double>(count_)) -
           static_cast<double>(half) * std::log(static_cast<double>(language_.symbols_.size()));
  }

 private:
  const MarkedTransduction& language_;
  std::size_t shortest_;  // |u| from ⌈(min−1)/2⌉ = ⌊min/2⌋ ...
  std::size_t count_;     // ... to ⌊(max−1)/2⌋
};

std::unique_ptr<PositiveSampler> MarkedTransduction::MakeSampler(LengthRange range) const {
  if (range.max == 0 || range.min / 2 > (range.max - 1) / 2) ThrowNoMember(range);
  return std::make_unique<Sampler>(*this, range);
}

// marked-reversal: u # uᴿ for binary u.
std::unique_ptr<Language> MakeMarkedReversal() {
  return std::make_unique<MarkedTransduction>(std::vector<std::string>{"0", "1"}, [](StringView u) {
    return String(u.rbegin(), u.rend());
  });
}

// marked-copy: u # u for binary u.
std::unique_ptr<Language> MakeMarkedCopy() {
  return std::make_unique<MarkedTransduction>(
      std::vector<std::string>{"0", "1"}, [](StringView u) { return String(u.begin(), u.end()); });
}

// odds-first: u # v for binary u, where v has the symbols of u at odd positions (the first, the
// third, ...), then those at even positions.

namespace {

String OddsFirst(StringView u) {
  String v;
  v.reserve(u.size());
  for (std::size_t i = 0; i < u.size(); i += 2) v.push_back(u[i]);
  for (std::size_t i = 1; i < u.size(); i += 2) v.push_back(u[i]);
  return v;
}

}  // namespace

std::unique_ptr<Language> MakeOddsFirst() {
  return std::make_unique<MarkedTransduction>(std::vector<std::string>{"0", "1"}, OddsFirst);
}

// bucket-sort: digits 1 to 5, then # and the same digits in ascending order.

namespace {

// Symbols are numbered in code point order, so digits sort as symbols do.
String Sorted(StringView u) {
  String v(u.begin(), u.end());
  std::sort(v.begin(), v.end());
  return v;
}

}  // namespace

std::unique_ptr<Language> MakeBucketSort() {
  return std::make_unique<MarkedTransduction>(std::vector<std::string>{"1", "2", "3", "4", "5"},
                                              Sorted);
}

}  // namespace flare
