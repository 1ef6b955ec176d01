// The superposition stack of Joulin and Mikolov (2015), kept whole.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_STACK_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_STACK_H_

#include <cmath>
#include <vector>

#include "support/reference/basics.h"

namespace flare::reference {

template <class T>
class Stack {
 public:
  explicit Stack(std::size_t width) : width_(width) {}

  Vector<T> top() const { return Element(0); }
  // `signals`: those of push, pop and no-op, then those of the vector that is pushed.
  void Update(const Vector<T>& signals) {
    T sum(0);
    for (std::size_t i = 0; i < 3; ++i) sum += exp(signals[i]);
    const auto action = [&](std::size_t i) { return exp(signals[i]) / sum; };
    std::vector<Vector<T>> next(elements_.size() + 1, Vector<T>(width_));
    for (std::size_t i = 0; i < next.size(); ++i) {
      for (std::size_t j = 0; j < width_; ++j) {
        const T above = i == 0 ? Sigmoid(signals[3 + j]) : Element(i - 1)[j];
        next[i][j] = action(0) * above + action(1) * Element(i + 1)[j] + action(2) * Element(i)[j];
      }
    }
    elements_ = next;
  }

 private:
  Vector<T> Element(std::size_t i) const {
    return i < elements_.size() ? elements_[i] : Vector<T>(width_, T(0));
  }
  std::size_t width_;
  std::vector<Vector<T>> elements_;
};

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_STACK_H_
