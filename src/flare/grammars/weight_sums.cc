#include "flare/grammars/weight_sums.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/automata/operations.h"
#include "flare/base/error.h"

namespace flare {
namespace {

using Matrix = std::vector<std::vector<double>>;

// (I − m)⁻¹ by Gauss–Jordan without pivoting: I − m is an M-matrix exactly if every pivot is
// positive, and then this is as exact as it gets. False if one is not: the star diverges.
bool InvertIdentityMinus(const Matrix& m, Matrix& inverse) {
  const std::size_t n = m.size();
  Matrix left(n, std::vector<double>(n, 0));
  inverse.assign(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) left[i][j] = (i == j ? 1.0 : 0.0) - m[i][j];
    inverse[i][i] = 1;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = left[k][k];
    if (!(pivot > 0)) return false;
    for (std::size_t j = 0; j < n; ++j) {
      left[k][j] /= pivot;
      inverse[k][j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = left[i][k];
      if (i == k || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        left[i][j] -= factor * left[k][j];
        inverse[i][j] -= factor * inverse[k][j];
      }
    }
  }
  return true;
}

void CheckCycle(std::size_t size, const std::string& where) {
  if (size <= kMostInCycle) return;
  throw InputError(where, fmt::format("{} nonterminals derive each other without a terminal; at "
                                      "most {} may",
                                      size, kMostInCycle));
}

// Returns the position of each vertex within its component.
std::map<std::size_t, std::size_t> PlacesIn(const std::vector<std::size_t>& component) {
  std::map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < component.size(); ++i) places[component[i]] = i;
  return places;
}

class NewtonSolver {
 public:
  NewtonSolver(const std::vector<std::vector<Monomial>>& equations, std::vector<double>& x)
      : equations_(equations), x_(x) {}

  // Starts below the solution: every step stays below it and at least halves the distance, until
  // rounding stops that.
  void Solve(const std::vector<std::size_t>& component) {
    constexpr int kMostSteps = 100;
    const auto places = PlacesIn(component);
    for (int step = 0; step < kMostSteps; ++step) {
      Matrix jacobian(component.size(), std::vector<double>(component.size(), 0));
      std::vector<double> residual(component.size());
      for (std::size_t i = 0; i < component.size(); ++i) {
        residual[i] = Evaluate(component[i]) - x_[component[i]];
        Differentiate(component[i], places, jacobian[i]);
      }
      Matrix inverse;
      if (!InvertIdentityMinus(jacobian, inverse)) return;
      bool moved = false;
      for (std::size_t i = 0; i < component.size(); ++i) {
        double change = 0;
        for (std::size_t j = 0; j < component.size(); ++j) change += inverse[i][j] * residual[j];
        const double next = x_[component[i]] + change;
        if (!(next > x_[component[i]])) continue;
        x_[component[i]] = next;
        moved = true;
      }
      if (!moved) return;
    }
  }

  double Evaluate(std::size_t v) const {
    double sum = 0;
    for (const Monomial& monomial : equations_[v]) {
      double product = monomial.weight;
      for (const std::size_t factor : monomial.factors) product *= x_[factor];
      sum += product;
    }
    return sum;
  }

 private:
  void Differentiate(std::size_t v, const std::map<std::size_t, std::size_t>& places,
                     std::vector<double>& row) const {
    for (const Monomial& monomial : equations_[v]) {
      for (std::size_t i = 0; i < monomial.factors.size(); ++i) {
        const auto place = places.find(monomial.factors[i]);
        if (place == places.end()) continue;
        double product = monomial.weight;
        for (std::size_t j = 0; j < monomial.factors.size(); ++j) {
          if (j != i) product *= x_[monomial.factors[j]];
        }
        row[place->second] += product;
      }
    }
  }

  const std::vector<std::vector<Monomial>>& equations_;
  std::vector<double>& x_;
};

}  // namespace

std::vector<double> LeastSolution(const std::vector<std::vector<Monomial>>& equations,
                                  const std::string& where) {
  std::vector<std::vector<std::size_t>> depends(equations.size());
  for (std::size_t v = 0; v < equations.size(); ++v) {
    for (const Monomial& monomial : equations[v]) {
      depends[v].insert(depends[v].end(), monomial.factors.begin(), monomial.factors.end());
    }
  }
  std::vector<double> x(equations.size(), 0);
  NewtonSolver solver(equations, x);
  for (const auto& component : StrongComponents(depends)) {
    CheckCycle(component.size(), where);
    const std::size_t v = component.front();
    const bool cyclic = component.size() > 1 ||
                        std::find(depends[v].begin(), depends[v].end(), v) != depends[v].end();
    if (cyclic) {
      solver.Solve(component);
    } else {
      x[v] = solver.Evaluate(v);
    }
  }
  return x;
}

SparseRows Star(const SparseRows& u, const std::string& where) {
  std::vector<std::vector<std::size_t>> successors(u.size());
  for (std::size_t v = 0; v < u.size(); ++v) {
    for (const auto& [w, weight] : u[v]) successors[v].push_back(w);
  }
  SparseRows star(u.size());
  std::size_t entries = 0;
  for (const auto& component : StrongComponents(successors)) {
    CheckCycle(component.size(), where);
    const auto places = PlacesIn(component);
    Matrix within(component.size(), std::vector<double>(component.size(), 0)), inverse;
    // Edges that leave the component continue with rows that are known.
    SparseRows leaving(component.size());
    for (std::size_t i = 0; i < component.size(); ++i) {
      leaving[i][component[i]] += 1;
      for (const auto& [w, weight] : u[component[i]]) {
        if (const auto place = places.find(w); place != places.end()) {
          within[i][place->second] = weight;
        } else {
          for (const auto& [x, chain] : star[w]) leaving[i][x] += weight * chain;
        }
      }
    }
    if (!InvertIdentityMinus(within, inverse)) {
      throw InputError(where,
                       "the weights of its unit rules, or of what derives ε, add up to "
                       "infinity along a cycle");
    }
    for (std::size_t i = 0; i < component.size(); ++i) {
      auto& row = star[component[i]];
      for (std::size_t j = 0; j < component.size(); ++j) {
        for (const auto& [x, weight] : leaving[j]) row[x] += inverse[i][j] * weight;
      }
      entries += row.size();
    }
    if (entries > kMostChains) {
      throw InputError(
          where,
          fmt::format("its unit rules relate more than {} pairs of nonterminals", kMostChains));
    }
  }
  return star;
}

}  // namespace flare
