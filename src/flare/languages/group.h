// Finite groups by name: Z60, S5, A5, D4 (the symmetries of a square), Q8, and direct products such
// as A4_x_Z5.

#ifndef FLARE_LANGUAGES_GROUP_H_
#define FLARE_LANGUAGES_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace flare {

struct FiniteGroup {
  std::vector<std::string> names;       // of the elements; the first is the identity
  std::vector<std::size_t> generators;  // elements that generate it
  std::vector<std::uint32_t> products;  // (x, y): x, then y

  std::size_t order() const { return names.size(); }
  std::size_t Product(std::size_t x, std::size_t y) const { return products[x * order() + y]; }
};

inline constexpr std::size_t kLargestGroup = 2'000;

// Elements of Z are 0, 1, …; of S, A and D permutations in cycle notation without spaces, as
// (1,2)(3,4,5), with () for the identity; of Q8 1, -1, i, -i, …; of a product x|y. Throws
// InputError if there is no such group, or it is too large.
FiniteGroup MakeGroup(const std::string& name);

}  // namespace flare

#endif  // FLARE_LANGUAGES_GROUP_H_
