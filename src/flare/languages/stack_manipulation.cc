// stack-manipulation: a stack from bottom to top, then operations POP, PUSH 0, PUSH 1 on it, then #
// and the resulting stack from top to bottom. Popping an empty stack is not allowed.
//
// Its length is 2·n_stack + 3·n_push + 1, however many pops there are.

#include <algorithm>
#include <vector>

#include "flare/languages/catalog.h"

namespace flare {
namespace {

class StackManipulation : public Language {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }

  bool Contains(StringView w) const override {
    std::size_t i = 0;
    String stack;
    while (i < w.size() && IsBit(w[i])) stack.push_back(w[i++]);
    while (i < w.size() && w[i] != mark_) {
      if (w[i] == pop_) {
        if (stack.empty()) return false;
        stack.pop_back();
        i += 1;
      } else {
        if (w[i] != push_ || i + 1 == w.size() || !IsBit(w[i + 1])) return false;
        stack.push_back(w[i + 1]);
        i += 2;
      }
    }
    if (i == w.size()) return false;
    return std::equal(stack.rbegin(), stack.rend(), w.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      w.end());
  }

  // Appendix E's rule, which is what was published, and not quite the definition of NEXT: POP is
  // offered within the initial stack even while that is empty, and after an operation PUSH is
  // withheld once as many pushes have been seen as w has.
  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    sets.Clear();
    const auto pushes = static_cast<std::size_t>(std::count(w.begin(), w.end(), push_));
    std::size_t seen = 0;
    std::size_t height = 0;
    std::size_t i = 0;
    for (; IsBit(w[i]); ++i) {
      sets.AppendAll();
      ++height;
    }
    sets.AppendAll();
    for (; w[i] != mark_; ++i) {
      sets.Append();
      if (w[i] == push_) {
        sets.Add(zero_);
        sets.Add(one_);
        ++seen;
        continue;
      }
      w[i] == pop_ ? --height : ++height;
      sets.Add(mark_);
      if (seen < pushes) sets.Add(push_);
      if (height > 0) sets.Add(pop_);
    }
    for (++i; i <= w.size(); ++i) {
      sets.Append();
      i < w.size() ? sets.Add(w[i]) : sets.AddEos();
    }
  }

  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override;

 private:
  class Sampler;

  bool IsBit(Symbol a) const { return a == zero_ || a == one_; }

  Alphabet alphabet_{{"0", "1", "POP", "PUSH", "#"}};
  Symbol zero_ = alphabet_.At("0");
  Symbol one_ = alphabet_.At("1");
  Symbol pop_ = alphabet_.At("POP");
  Symbol push_ = alphabet_.At("PUSH");
  Symbol mark_ = alphabet_.At("#");
};

class StackManipulation::Sampler : public PositiveSampler {
 public:
  // The paper's lower bound for n_stack, ⌈(min−1)/2⌉, forgets that pushes make strings longer too,
  // and gives no probability to a short stack with many pushes. Here n_stack is uniform over all
  // values for which some n_push fits; for min ≤ 1, as in every split of the paper, that is the
  // same.
  Sampler(const StackManipulation& language, LengthRange range)
      : language_(language), range_(range) {
    for (std::size_t n_stack = 0; 2 * n_stack + 1 <= range.max; ++n_stack) {
      const auto [least, most] = Pushes(n_stack);
      if (least <= most) stack_sizes_.push_back(n_stack);
    }
    if (stack_sizes_.empty()) ThrowNoMember(range);
  }

  void Sample(Rng& rng, String& w) const override {
    const StackManipulation& l = language_;
    const auto bit = [&] { return rng.Bit() ? l.one_ : l.zero_; };
    const std::size_t n_stack = stack_sizes_[rng.UniformInt(stack_sizes_.size())];
    const auto [least, most] = Pushes(n_stack);
    const std::size_t n_push = least + rng.UniformInt(most - least + 1);

    w.clear();
    for (std::size_t i = 0; i < n_stack; ++i) w.push_back(bit());
    String stack = w;
    std::size_t pushed = 0;
    while (true) {
      const bool push = stack.empty() || rng.Bit();
      if (!push) {
        w.push_back(l.pop_);
        stack.pop_back();
      } else if (pushed < n_push) {
        ++pushed;
        stack.push_back(bit());
        w.push_back(l.push_);
        w.push_back(stack.back());
      } else {
        break;
      }
    }
    w.push_back(l.mark_);
    w.insert(w.end(), stack.rbegin(), stack.rend());
  }

 private:
  struct Counts {
    std::size_t least, most;
  };
  // How many pushes bring a string with this initial stack into the range.
  Counts Pushes(std::size_t n_stack) const {
    const std::size_t rest = 2 * n_stack + 1;
    const std::size_t least = range_.min > rest ? (range_.min - rest + 2) / 3 : 0;
    return {least, (range_.max - rest) / 3};
  }

  const StackManipulation& language_;
  LengthRange range_;
  std::vector<std::size_t> stack_sizes_;
};

std::unique_ptr<PositiveSampler> StackManipulation::MakeSampler(LengthRange range) const {
  return std::make_unique<Sampler>(*this, range);
}

}  // namespace

std::unique_ptr<Language> MakeStackManipulation() { return std::make_unique<StackManipulation>(); }

}  // namespace flare
