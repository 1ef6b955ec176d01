#include "flare/grammars/grammar_edit_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "flare/base/error.h"

namespace flare {
namespace {

// Two distances add up below the largest of the type.
using Distance = std::int16_t;
constexpr Distance kFar = 16'000;
constexpr std::size_t kMostDistances = (std::size_t{1} << 30) / sizeof(Distance);

// The lengths of the shortest strings of all symbols; kFar if longer.
std::vector<Distance> ShortestLengths(const NormalForm& normal) {
  std::vector<Distance> shortest(normal.alphabet.size() + normal.num_nonterminals(), kFar);
  std::fill_n(shortest.begin(), normal.alphabet.size(), Distance{1});
  bool changed = true;
  const auto offer = [&](std::size_t nonterminal, int length) {
    Distance& least = shortest[Index(normal.Nonterminal(nonterminal))];
    if (length >= least) return;
    least = static_cast<Distance>(length);
    changed = true;
  };
  while (changed) {
    changed = false;
    for (std::size_t a = 0; a < normal.num_nonterminals(); ++a) {
      if (!normal.terminals_of[a].empty()) offer(a, 1);
      for (const auto& rule : normal.bodies_of[a]) {
        const auto [left, right] = normal.bodies[rule.body];
        offer(a, shortest[Index(left)] + shortest[Index(right)]);
      }
    }
  }
  return shortest;
}

class DistanceTables {
 public:
  DistanceTables(const NormalForm& normal, StringView w)
      : normal_(normal),
        w_(w),
        stride_(w.size() + 1),
        shortest_(ShortestLengths(normal)),
        cell_(shortest_.size()) {
    const std::size_t symbols = shortest_.size();
    if (2 * symbols > kMostDistances / stride_ / stride_ || w.size() >= kFar / 2 ||
        shortest_[Index(normal.Nonterminal(0))] >= kFar / 2) {
      throw InputError("", fmt::format("a string of {} symbols is too long for the edit distance "
                                       "to a grammar of {} symbols",
                                       w.size(), symbols));
    }
    rows_.assign(symbols * stride_ * stride_, kFar);
    columns_.assign(symbols * stride_ * stride_, kFar);
    for (std::size_t j = 0; j <= w.size(); ++j) {
      for (std::size_t i = j + 1; i-- > 0;) Fill(i, j);
    }
  }

  Distance Of(GrammarSymbol x) const { return Row(x, 0)[w_.size()]; }

 private:
  // D_X[i][·] and D_X[·][j], both side by side, so that the loop over k runs along memory.
  const Distance* Row(GrammarSymbol x, std::size_t i) const {
    return &rows_[(Index(x) * stride_ + i) * stride_];
  }
  const Distance* Column(GrammarSymbol x, std::size_t j) const {
    return &columns_[(Index(x) * stride_ + j) * stride_];
  }

  // minₖ over i < k < j.
  Distance InnerSplits(const NormalForm::Body& body, std::size_t i, std::size_t j) const {
    const Distance* row = Row(body.left, i);
    const Distance* column = Column(body.right, j);
    Distance least = kFar;
    for (std::size_t k = i + 1; k < j; ++k) {
      least = std::min(least, static_cast<Distance>(row[k] + column[k]));
    }
    return least;
  }

  void Fill(std::size_t i, std::size_t j) {
    const auto length = static_cast<Distance>(j - i);
    for (std::size_t a = 0; a < normal_.alphabet.size(); ++a)
      cell_[a] = std::max<Distance>(length, 1);
    // A terminal keeps one of its occurrences.
    for (std::size_t k = i; k < j; ++k) cell_[Index(w_[k])] = static_cast<Distance>(length - 1);
    for (std::size_t a = 0; a < normal_.num_nonterminals(); ++a) {
      Distance least = kFar;
      for (const auto& rule : normal_.terminals_of[a]) {
        least = std::min(least, cell_[Index(rule.terminal)]);
      }
      cell_[Index(normal_.Nonterminal(a))] = least;
    }
    for (std::size_t b = 0; b < normal_.bodies.size(); ++b) {
      Offer(b, InnerSplits(normal_.bodies[b], i, j));
    }
    // One part derives all of w[i..j), and the other is inserted; repeat while that helps.
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t b = 0; b < normal_.bodies.size(); ++b) {
        const auto [left, right] = normal_.bodies[b];
        changed |= Offer(b, std::min(cell_[Index(left)] + shortest_[Index(right)],
                                     cell_[Index(right)] + shortest_[Index(left)]));
      }
    }
    for (std::size_t x = 0; x < cell_.size(); ++x) {
      rows_[(x * stride_ + i) * stride_ + j] = cell_[x];
      columns_[(x * stride_ + j) * stride_ + i] = cell_[x];
    }
  }

  bool Offer(std::size_t body, int distance) {
    bool changed = false;
    for (const auto& head : normal_.heads_of_body[body]) {
      Distance& least = cell_[Index(normal_.Nonterminal(head.nonterminal))];
      if (distance >= least) continue;
      least = static_cast<Distance>(distance);
      changed = true;
    }
    return changed;
  }

  const NormalForm& normal_;
  StringView w_;
  std::size_t stride_;
  std::vector<Distance> shortest_;        // by grammar symbol
  std::vector<Distance> cell_;            // by grammar symbol: the cell that is being filled
  std::vector<Distance> rows_, columns_;  // (symbol, i, j) and (symbol, j, i)
};

}  // namespace

std::size_t EditDistance(const NormalForm& normal, StringView w) {
  std::size_t least = normal.has_empty ? w.size() : std::numeric_limits<std::size_t>::max();
  if (normal.bodies_of[0].empty() && normal.terminals_of[0].empty()) return least;
  const Distance distance = DistanceTables(normal, w).Of(normal.Nonterminal(0));
  return std::min(least, static_cast<std::size_t>(distance));
}

}  // namespace flare
