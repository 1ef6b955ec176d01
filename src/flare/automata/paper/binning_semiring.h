// The D-th order binning semiring over a base semiring 𝓦 (paper, Definition 6): vectors
// (v₀, …, v_D) whose i-th bin holds the weight of what scans exactly i symbols. Everything that
// counts past D is dropped.
//
//   BinningSemiring<LogSemiring> s(40);
//   auto one_symbol = s.Bin(1, std::log(0.5));   // a transition of probability 1/2

#ifndef FLARE_AUTOMATA_PAPER_BINNING_SEMIRING_H_
#define FLARE_AUTOMATA_PAPER_BINNING_SEMIRING_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "flare/automata/paper/semirings.h"
#include "flare/base/error.h"

namespace flare {

template <Semiring Base>
class BinningSemiring {
 public:
  using Weight = std::vector<typename Base::Weight>;

  explicit BinningSemiring(std::size_t order, Base base = {}) : order_(order), base_(base) {}

  std::size_t order() const { return order_; }
  const Base& base() const { return base_; }

  Weight Zero() const { return Weight(order_ + 1, base_.Zero()); }
  Weight One() const { return Bin(0, base_.One()); }

  // The vector that is `weight` in bin i and 0 elsewhere. Requires: i <= order().
  Weight Bin(std::size_t i, typename Base::Weight weight) const {
    FLARE_CHECK(i <= order_);
    Weight v = Zero();
    v[i] = std::move(weight);
    return v;
  }

  // Eq. 2a: bin by bin.
  Weight Plus(const Weight& u, const Weight& v) const {
    Weight sum = Zero();
    for (std::size_t i = 0; i <= order_; ++i) sum[i] = base_.Plus(u[i], v[i]);
    return sum;
  }

  // Eq. 2b: (u ⊗ v)ᵢ = ⊕ⱼ uⱼ ⊗ vᵢ₋ⱼ, a convolution.
  Weight Times(const Weight& u, const Weight& v) const {
    Weight product = Zero();
    for (std::size_t j = 0; j <= order_; ++j) {
      // Most vectors of a lifted automaton have a single bin.
      if (u[j] == base_.Zero()) continue;
      for (std::size_t i = j; i <= order_; ++i) {
        product[i] = base_.Plus(product[i], base_.Times(u[j], v[i - j]));
      }
    }
    return product;
  }

  // Eq. 11: (v*)ᵢ = v₀* ⊗ (1ᵢ ⊕ ⊕_{j=1..i} vⱼ ⊗ (v*)ᵢ₋ⱼ), in order of increasing i.
  Weight Star(const Weight& v) const requires Closed<Base> {
    const typename Base::Weight first = base_.Star(v[0]);
    const Weight one = One();
    Weight star = Zero();
    for (std::size_t i = 0; i <= order_; ++i) {
      typename Base::Weight sum = one[i];
      for (std::size_t j = 1; j <= i; ++j) {
        sum = base_.Plus(sum, base_.Times(v[j], star[i - j]));
      }
      star[i] = base_.Times(first, sum);
    }
    return star;
  }

  bool ApproxEqual(const Weight& u, const Weight& v) const {
    for (std::size_t i = 0; i <= order_; ++i) {
      if (!base_.ApproxEqual(u[i], v[i])) return false;
    }
    return true;
  }

 private:
  std::size_t order_;
  [[no_unique_address]] Base base_;
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_BINNING_SEMIRING_H_
