// Do observed counts fit a law?

#ifndef FLARE_TESTS_SUPPORT_CHI_SQUARE_H_
#define FLARE_TESTS_SUPPORT_CHI_SQUARE_H_

#include <cstddef>
#include <vector>

namespace flare {

// A statistical test fails a correct program with this probability; since seeds are fixed, it fails
// it always or never.
inline constexpr double kAlpha = 1e-6;

// The p-value of Pearson's χ² for `observed` counts against `expected` counts. Cells that expect
// fewer than 5 are pooled into one. Returns 0 if a cell that expects 0 was observed.
double ChiSquarePValue(const std::vector<std::size_t>& observed,
                       const std::vector<double>& expected);

// P(X > x) for X of the χ² distribution with `degrees` degrees of freedom.
double ChiSquareTail(double x, double degrees);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_CHI_SQUARE_H_
