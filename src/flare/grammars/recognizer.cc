#include "flare/grammars/recognizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/base/error.h"

namespace flare {
namespace {

constexpr std::size_t kMostPredictionWords = std::size_t{1} << 24;

void SetBit(std::uint64_t* words, std::size_t bit) {
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

}  // namespace

LeftCorners::LeftCorners(const NormalForm& normal, const std::string& where)
    : body_words_(normal.bodies.size() / 64 + 1), symbol_words_(normal.alphabet.size() / 64 + 1) {
  const std::size_t n = normal.num_nonterminals();
  if (n > kMostPredictionWords / (body_words_ + symbol_words_)) {
    throw InputError(where, fmt::format("the grammar is too large: {} nonterminals with {} bodies "
                                        "and {} symbols",
                                        n, normal.bodies.size(), normal.alphabet.size()));
  }
  bodies_.resize(n * body_words_);
  first_.resize(n * symbol_words_);
  std::vector<std::vector<std::size_t>> corners(n);
  for (std::size_t a = 0; a < n; ++a) {
    for (const auto& rule : normal.bodies_of[a]) {
      SetBit(&bodies_[a * body_words_], rule.body);
      const GrammarSymbol left = normal.bodies[rule.body].left;
      if (normal.IsTerminal(left)) {
        SetBit(&first_[a * symbol_words_], Index(left));
      } else {
        corners[a].push_back(normal.NonterminalIndex(left));
      }
    }
    for (const auto& rule : normal.terminals_of[a]) {
      SetBit(&first_[a * symbol_words_], Index(rule.terminal));
    }
  }
  // Components that it leads to are complete already; all nonterminals of a component share one
  // set.
  const auto add = [&](std::size_t to, std::size_t from) {
    for (std::size_t i = 0; i < body_words_; ++i) {
      bodies_[to * body_words_ + i] |= bodies_[from * body_words_ + i];
    }
    for (std::size_t i = 0; i < symbol_words_; ++i) {
      first_[to * symbol_words_ + i] |= first_[from * symbol_words_ + i];
    }
  };
  for (const auto& component : StrongComponents(corners)) {
    for (const std::size_t a : component) {
      add(component.front(), a);
      for (const std::size_t b : corners[a]) add(component.front(), b);
    }
    for (const std::size_t a : component) add(a, component.front());
  }
}

namespace {

constexpr std::size_t kLargestChart = (std::size_t{1} << 30) / sizeof(std::uint64_t);

class Chart {
 public:
  Chart(const NormalForm& normal, const LeftCorners& left_corners, std::size_t longest)
      : normal_(normal),
        left_corners_(left_corners),
        words_per_set_(longest / 64 + 1),
        done_(normal.num_nonterminals() * words_per_set_, 0),
        is_active_(normal.num_nonterminals(), 0),
        any_(words_per_set_, 0) {
    starts_.reserve((longest + 1) * normal.bodies.size());
    predicted_.reserve((longest + 1) * left_corners.body_words());
    starts_.resize(normal.bodies.size(), kNone);
    const auto first = left_corners.Bodies(0);
    predicted_.assign(first.begin(), first.end());
  }

  // Reads the next symbol.
  void Read(Symbol a) {
    const std::size_t before = position_++;
    starts_.resize(starts_.size() + normal_.bodies.size(), kNone);
    items_.clear();
    for (const std::uint32_t b : active_) {
      std::fill_n(&done_[b * words_per_set_], words_per_set_, 0);
      is_active_[b] = 0;
    }
    active_.clear();
    CompleteAt(before, Terminal(a));
    for (const auto& [head, weight] : normal_.heads_of_terminal[Index(a)]) {
      Done(head)[before / 64] |= std::uint64_t{1} << (before % 64);
      any_[before / 64] |= std::uint64_t{1} << (before % 64);
    }
    CompleteAll();
    Predict();
  }

  // Can nothing that was read so far be continued?
  bool IsStuck() const { return items_.empty(); }
  // Is what was read a string of the start symbol?
  bool IsComplete() const { return (done_[0] & 1) != 0; }

  // The symbols that may come next, added to the last set.
  void AddNext(NextSymbolSets& sets) const {
    std::vector<std::uint64_t> next(left_corners_.symbol_words(), 0);
    const auto add_first = [&](std::size_t nonterminal) {
      const auto first = left_corners_.First(nonterminal);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] |= first[i];
    };
    if (position_ == 0) add_first(0);
    for (const std::uint32_t b : items_) {
      const GrammarSymbol right = normal_.bodies[b].right;
      if (normal_.IsTerminal(right)) {
        next[Index(right) / 64] |= std::uint64_t{1} << (Index(right) % 64);
      } else {
        add_first(normal_.NonterminalIndex(right));
      }
    }
    sets.Append(next);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  bool IsPredicted(std::size_t position, std::uint32_t body) const {
    const std::uint64_t word = predicted_[position * left_corners_.body_words() + body / 64];
    return ((word >> (body % 64)) & 1) != 0;
  }

  // The starts of a nonterminal that ends here.
  std::uint64_t* Done(std::uint32_t nonterminal) {
    if (is_active_[nonterminal] == 0) {
      is_active_[nonterminal] = 1;
      active_.push_back(nonterminal);
    }
    return &done_[nonterminal * words_per_set_];
  }

  // The set of an item of this position, made when it is first needed. Sets of position j hold
  // starts below j, in as few words as that takes.
  std::uint64_t* Starts(std::uint32_t body) {
    std::uint32_t& at = starts_[position_ * normal_.bodies.size() + body];
    if (at == kNone) {
      if (sets_.size() > kLargestChart) {
        throw InputError("",
                         "a string is too long for this grammar: its chart takes more than "
                         "1 GB");
      }
      at = static_cast<std::uint32_t>(sets_.size());
      sets_.resize(sets_.size() + WordsAt(position_), 0);
      items_.push_back(body);
    }
    return &sets_[at];
  }
  static std::size_t WordsAt(std::size_t position) { return (position + 63) / 64; }

  // X spans [start, position): it moves the dot of predicted bodies X•Y, and completes bodies WX•.
  void CompleteAt(std::size_t start, GrammarSymbol x) {
    for (const std::uint32_t b : normal_.left_of[Index(x)]) {
      if (IsPredicted(start, b)) Starts(b)[start / 64] |= std::uint64_t{1} << (start % 64);
    }
    const std::uint32_t* starts = starts_.data() + start * normal_.bodies.size();
    for (const std::uint32_t b : normal_.right_of[Index(x)]) {
      if (starts[b] == kNone) continue;
      const std::uint64_t* set = &sets_[starts[b]];
      const std::size_t words = WordsAt(start);
      for (std::size_t i = 0; i < words; ++i) any_[i] |= set[i];
      for (const auto& [head, weight] : normal_.heads_of_body[b]) {
        std::uint64_t* done = Done(head);
        for (std::size_t i = 0; i < words; ++i) done[i] |= set[i];
      }
    }
  }

  void CompleteAll() {
    for (std::size_t word = WordsAt(position_); word > 0; --word) {
      while (any_[word - 1] != 0) {
        const auto bit = static_cast<std::size_t>(63 - std::countl_zero(any_[word - 1]));
        any_[word - 1] &= ~(std::uint64_t{1} << bit);
        // More become active on the way, but with earlier starts.
        const std::size_t count = active_.size();
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint32_t b = active_[i];
          if (((done_[b * words_per_set_ + word - 1] >> bit) & 1) == 0) continue;
          CompleteAt(64 * (word - 1) + bit, normal_.Nonterminal(b));
        }
      }
    }
  }

  void Predict() {
    const std::size_t words = left_corners_.body_words();
    predicted_.resize(predicted_.size() + words, 0);
    std::uint64_t* predicted = &predicted_[position_ * words];
    for (const std::uint32_t b : items_) {
      const GrammarSymbol right = normal_.bodies[b].right;
      if (normal_.IsTerminal(right)) continue;
      const auto bodies = left_corners_.Bodies(normal_.NonterminalIndex(right));
      for (std::size_t i = 0; i < words; ++i) predicted[i] |= bodies[i];
    }
  }

  const NormalForm& normal_;
  const LeftCorners& left_corners_;
  std::size_t words_per_set_;
  std::size_t position_ = 0;
  std::vector<std::uint32_t> starts_;     // (position, body): where its set begins in sets_
  std::vector<std::uint64_t> sets_;       // of all items, side by side
  std::vector<std::uint64_t> predicted_;  // (position, word): which bodies may begin there
  std::vector<std::uint32_t> items_;      // the bodies with an item at this position
  std::vector<std::uint64_t> done_;       // (nonterminal, word): starts of those that end here
  std::vector<std::uint32_t> active_;     // the nonterminals that end here
  std::vector<std::uint8_t> is_active_;
  std::vector<std::uint64_t> any_;  // the starts of all of them that are still to be completed
};

}  // namespace

bool Recognizer::Accepts(StringView w) const {
  if (w.empty()) return normal_.has_empty;
  Chart chart(normal_, left_corners_, w.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (i > 0 && chart.IsStuck()) return false;
    chart.Read(w[i]);
  }
  return chart.IsComplete();
}

void Recognizer::NextSymbols(StringView w, NextSymbolSets& sets) const {
  sets.Clear();
  Chart chart(normal_, left_corners_, w.size());
  chart.AddNext(sets);
  if (normal_.has_empty) sets.AddEos();
  for (const Symbol a : w) {
    chart.Read(a);
    chart.AddNext(sets);
    if (chart.IsComplete()) sets.AddEos();
  }
  FLARE_CHECK(w.empty() ? normal_.has_empty : chart.IsComplete());
}

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

  // The weight with which the start symbol derives all that was read.
  ExtendedReal whole() const { return whole_; }

 private:
  struct Item {
    std::size_t start;
    ExtendedReal weight;  // the weight of X over [start, position)
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
  std::vector<ExtendedReal> weight_of_;      // 0, except while a start is being completed
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
