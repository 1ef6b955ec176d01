// Natural numbers as pupils write them: decimal digits, addition with carry, multiplication digit
// by digit. The judge of what GMP computes.

#ifndef FLARE_TESTS_SUPPORT_NAIVE_NATURAL_H_
#define FLARE_TESTS_SUPPORT_NAIVE_NATURAL_H_

#include <algorithm>
#include <string>
#include <vector>

namespace flare {

class NaiveNatural {
 public:
  NaiveNatural() = default;  // 0
  explicit NaiveNatural(const std::string& decimal) : digits_(decimal.size()) {
    for (std::size_t i = 0; i < decimal.size(); ++i) {
      digits_[decimal.size() - 1 - i] = decimal[i] - '0';
    }
    DropZeros();
  }

  std::string Decimal() const {
    if (digits_.empty()) return "0";
    std::string text;
    for (const int digit : digits_) text.insert(text.begin(), static_cast<char>('0' + digit));
    return text;
  }

  NaiveNatural operator+(const NaiveNatural& other) const {
    NaiveNatural sum;
    int carry = 0;
    for (std::size_t i = 0; i < std::max(digits_.size(), other.digits_.size()) + 1; ++i) {
      const int total = At(i) + other.At(i) + carry;
      sum.digits_.push_back(total % 10);
      carry = total / 10;
    }
    sum.DropZeros();
    return sum;
  }

  NaiveNatural operator*(const NaiveNatural& other) const {
    NaiveNatural product;
    product.digits_.assign(digits_.size() + other.digits_.size() + 1, 0);
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      int carry = 0;
      for (std::size_t j = 0; j < other.digits_.size() + 1; ++j) {
        const int total = product.digits_[i + j] + digits_[i] * other.At(j) + carry;
        product.digits_[i + j] = total % 10;
        carry = total / 10;
      }
    }
    product.DropZeros();
    return product;
  }

 private:
  int At(std::size_t i) const { return i < digits_.size() ? digits_[i] : 0; }
  void DropZeros() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }

  std::vector<int> digits_;  // the least first, none for 0
};

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_NAIVE_NATURAL_H_
