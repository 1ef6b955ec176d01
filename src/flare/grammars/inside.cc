#include "flare/grammars/inside.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "flare/base/error.h"

namespace flare {
namespace {

constexpr std::size_t kMostWeighedItems = std::size_t{1} << 26;

class WeightedChart {
 public:
  WeightedChart(const NormalForm& normal, const LeftCorners& left_corners, RuleWeights weights,
                std::size_t longest)
      : normal_(normal),
        left_corners_(left_corners),
        given_(weights == RuleWeights::kGiven),
        ending_(longest),
        weight_of_(normal.num_nonterminals()) {
    items_.resize(normal.bodies.size());
    const auto first = left_corners.Bodies(0);
    predicted_.assign(first.begin(), first.end());
  }

  void Read(Symbol a) {
    const std::size_t before = position_++;
    items_.resize(items_.size() + normal_.bodies.size());
    has_item_.clear();
    CompleteAt(before, Terminal(a), ExtendedReal(1));
    for (const auto& head : normal_.heads_of_terminal[Index(a)]) {
      ending_[before].push_back({head.nonterminal, WeightOf(head)});
    }
    whole_ = {};
    for (std::size_t start = position_; start-- > 0;) CompleteStart(start);
    Predict();
  }

  // Of the start symbol over all that was read.
  ExtendedReal whole() const { return whole_; }

 private:
  struct Item {
    std::size_t start;
    ExtendedReal weight;  // of X over [start, position)
  };
  struct Ending {
    std::uint32_t nonterminal;
    ExtendedReal weight;
  };

  ExtendedReal WeightOf(const NormalForm::Head& head) const {
    return ExtendedReal(given_ ? head.weight : 1.0);
  }
  std::vector<Item>& ItemsAt(std::size_t position, std::uint32_t body) {
    return items_[position * normal_.bodies.size() + body];
  }
  bool IsPredicted(std::size_t position, std::uint32_t body) const {
    const std::uint64_t word = predicted_[position * left_corners_.body_words() + body / 64];
    return ((word >> (body % 64)) & 1) != 0;
  }

  void CompleteAt(std::size_t start, GrammarSymbol x, const ExtendedReal& weight) {
    for (const std::uint32_t b : normal_.left_of[Index(x)]) {
      if (!IsPredicted(start, b)) continue;
      auto& items = ItemsAt(position_, b);
      if (items.empty()) has_item_.push_back(b);
      items.push_back({start, weight});
      if (++num_items_ > kMostWeighedItems) {
        throw InputError("",
                         "a string is too long for this grammar: it takes more than 1 GB to "
                         "weigh");
      }
    }
    for (const std::uint32_t b : normal_.right_of[Index(x)]) {
      for (const Item& item : ItemsAt(start, b)) {
        const ExtendedReal product = item.weight * weight;
        for (const auto& head : normal_.heads_of_body[b]) {
          ending_[item.start].push_back({head.nonterminal, product * WeightOf(head)});
        }
      }
    }
  }

  // All that spans [start, position) is known once the later starts are done.
  void CompleteStart(std::size_t start) {
    if (ending_[start].empty()) return;
    present_.clear();
    for (const auto& [nonterminal, weight] : ending_[start]) {
      if (weight_of_[nonterminal].IsZero()) present_.push_back(nonterminal);
      weight_of_[nonterminal] += weight;
    }
    ending_[start].clear();
    if (start == 0) whole_ = weight_of_[0];
    for (const std::uint32_t nonterminal : present_) {
      const ExtendedReal weight = std::exchange(weight_of_[nonterminal], {});
      CompleteAt(start, normal_.Nonterminal(nonterminal), weight);
    }
  }

  void Predict() {
    const std::size_t words = left_corners_.body_words();
    predicted_.resize(predicted_.size() + words, 0);
    std::uint64_t* predicted = &predicted_[position_ * words];
    for (const std::uint32_t b : has_item_) {
      const GrammarSymbol right = normal_.bodies[b].right;
      if (normal_.IsTerminal(right)) continue;
      const auto bodies = left_corners_.Bodies(normal_.NonterminalIndex(right));
      for (std::size_t i = 0; i < words; ++i) predicted[i] |= bodies[i];
    }
  }

  const NormalForm& normal_;
  const LeftCorners& left_corners_;
  bool given_;
  std::size_t position_ = 0;
  std::size_t num_items_ = 0;
  std::vector<std::vector<Item>> items_;     // (position, body)
  std::vector<std::uint64_t> predicted_;     // (position, word)
  std::vector<std::uint32_t> has_item_;      // bodies with items at this position
  std::vector<std::vector<Ending>> ending_;  // by start: what ends here, in parts to be added up
  std::vector<ExtendedReal> weight_of_;      // 0 but while a start is completed
  std::vector<std::uint32_t> present_;
  ExtendedReal whole_;
};

}  // namespace

ExtendedReal InsideWeight(const NormalForm& normal, const LeftCorners& left_corners, StringView w,
                          RuleWeights weights) {
  if (w.empty()) {
    if (!normal.has_empty) return {};
    return ExtendedReal(weights == RuleWeights::kGiven ? normal.empty_weight : 1.0);
  }
  WeightedChart chart(normal, left_corners, weights, w.size());
  for (const Symbol a : w) chart.Read(a);
  return chart.whole();
}

}  // namespace flare
