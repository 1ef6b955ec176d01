// Sums over all paths of a weighted automaton: Lehmann's algorithm, backward weights, stringsums
// (paper, Algorithms 3 and 4, Definitions 9 and 10). Cubic in |Q|, for any closed semiring.

#ifndef FLARE_AUTOMATA_PAPER_PATH_SUMS_H_
#define FLARE_AUTOMATA_PAPER_PATH_SUMS_H_

#include <cstddef>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/paper/semirings.h"

namespace flare {

// A square matrix of weights, rows first.
template <class Weight>
class WeightMatrix {
 public:
  WeightMatrix(std::size_t n, const Weight& fill) : rows_(n, std::vector<Weight>(n, fill)) {}
  std::size_t size() const { return rows_.size(); }
  std::vector<Weight>& operator[](std::size_t i) { return rows_[i]; }
  const std::vector<Weight>& operator[](std::size_t i) const { return rows_[i]; }

 private:
  std::vector<std::vector<Weight>> rows_;
};

// Algorithm 4: A* = ⊕ₖ Aᵏ, the total weight of all paths between every two states.
template <Closed S>
WeightMatrix<typename S::Weight> Lehmann(const S& s, WeightMatrix<typename S::Weight> A) {
  const std::size_t N = A.size();
  for (std::size_t k = 0; k < N; ++k) {
    auto next = A;
    const typename S::Weight a = s.Star(A[k][k]);
    for (std::size_t i = 0; i < N; ++i) {
      const typename S::Weight to_k = s.Times(A[i][k], a);
      for (std::size_t j = 0; j < N; ++j) {
        next[i][j] = s.Plus(A[i][j], s.Times(to_k, A[k][j]));
      }
    }
    A = std::move(next);
  }
  for (std::size_t k = 0; k < N; ++k) A[k][k] = s.Plus(A[k][k], s.One());
  return A;
}

// Algorithm 3: β[q], the total weight of accepting when starting in q. β[q₀] is the allsum.
template <Closed S>
std::vector<typename S::Weight> Backward(const S& s, const Wfa<typename S::Weight>& m) {
  const std::size_t N = m.states.size();
  WeightMatrix<typename S::Weight> A(N, s.Zero());
  for (std::size_t q = 0; q < N; ++q) {
    for (const auto& t : m.states[q].transitions) {
      A[q][Index(t.target)] = s.Plus(A[q][Index(t.target)], t.weight);
    }
  }
  A = Lehmann(s, std::move(A));
  std::vector<typename S::Weight> beta;
  for (std::size_t q = 0; q < N; ++q) {
    typename S::Weight sum = s.Zero();
    for (std::size_t r = 0; r < N; ++r) {
      sum = s.Plus(sum, s.Times(A[q][r], m.states[r].accept_weight));
    }
    beta.push_back(std::move(sum));
  }
  return beta;
}

// Definition 9: the total weight of all paths that scan w.
template <Closed S>
typename S::Weight StringSum(const S& s, const Wfa<typename S::Weight>& m, StringView w) {
  using Weight = typename S::Weight;
  const std::size_t N = m.states.size();
  WeightMatrix<Weight> silent(N, s.Zero());
  for (std::size_t q = 0; q < N; ++q) {
    for (const auto& t : m.states[q].transitions) {
      if (!t.symbol) silent[q][Index(t.target)] = s.Plus(silent[q][Index(t.target)], t.weight);
    }
  }
  silent = Lehmann(s, std::move(silent));

  // alpha[q]: the weight of all paths from the start to q that scan the symbols so far.
  std::vector<Weight> alpha(N, s.Zero());
  alpha[Index(m.start)] = s.One();
  const auto close = [&] {
    std::vector<Weight> closed(N, s.Zero());
    for (std::size_t q = 0; q < N; ++q) {
      for (std::size_t r = 0; r < N; ++r) {
        closed[r] = s.Plus(closed[r], s.Times(alpha[q], silent[q][r]));
      }
    }
    alpha = std::move(closed);
  };
  close();
  for (const Symbol a : w) {
    std::vector<Weight> next(N, s.Zero());
    for (std::size_t q = 0; q < N; ++q) {
      for (const auto& t : m.states[q].transitions) {
        if (t.symbol != a) continue;
        const std::size_t r = Index(t.target);
        next[r] = s.Plus(next[r], s.Times(alpha[q], t.weight));
      }
    }
    alpha = std::move(next);
    close();
  }
  Weight sum = s.Zero();
  for (std::size_t q = 0; q < N; ++q) {
    sum = s.Plus(sum, s.Times(alpha[q], m.states[q].accept_weight));
  }
  return sum;
}

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_PATH_SUMS_H_
