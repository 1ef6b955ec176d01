// Sums over infinitely many derivations: those of ε, and those that are chains of unit rules.

#ifndef FLARE_GRAMMARS_WEIGHT_SUMS_H_
#define FLARE_GRAMMARS_WEIGHT_SUMS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace flare {

// Cycles through more nonterminals than this are refused: they are solved as that many equations.
inline constexpr std::size_t kMostInCycle = 500;
// Pairs of nonterminals with a chain of unit rules from one to the other.
inline constexpr std::size_t kMostChains = 500'000;

// A product p · x_i · x_j of at most two unknowns.
struct Monomial {
  double weight;
  std::vector<std::size_t> factors;
};

// The least solution of x_v = Σ equations[v], the weights of v ⇒* ε: Newton's method from 0, one
// component of the dependencies after the other (Etessami, Yannakakis 2009). Only + − × ÷.
// Throws InputError.
std::vector<double> LeastSolution(const std::vector<std::vector<Monomial>>& equations,
                                  const std::string& where);

// Rows of a sparse matrix.
using SparseRows = std::vector<std::map<std::size_t, double>>;

// U* = I + U + U² + … = (I − U)⁻¹, whose entry (v, w) is the weight of all chains from v to w. Its
// relative error grows as 1/(1 − ρ(U)). Throws InputError if the sum diverges.
SparseRows Star(const SparseRows& u, const std::string& where);

}  // namespace flare

#endif  // FLARE_GRAMMARS_WEIGHT_SUMS_H_
