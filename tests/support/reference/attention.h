// The transformer's mixer.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_ATTENTION_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_ATTENTION_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "support/reference/basics.h"

namespace flare::reference {

struct AttentionKind {
  std::size_t heads = 8;
  bool strict = false;  // does a position not see itself?
  bool rope = false;
  bool alibi = false;
  std::vector<std::size_t> positions = {};  // of the symbols
};

// Element m of a head's query or key x at position t, after a rotation of (2i, 2i+1) by
// t·10000^(−2i/dims).
template <class T>
T Rotated(const T* x, std::size_t m, std::size_t dims, std::size_t t) {
  const auto exponent = -static_cast<double>(m - m % 2) / static_cast<double>(dims);
  const double angle = static_cast<double>(t) * std::pow(10000.0, exponent);
  const T cos = T(std::cos(angle)), sin = T(std::sin(angle));
  return m % 2 == 0 ? x[m] * cos - x[m + 1] * sin : x[m] * cos + x[m - 1] * sin;
}

// The learned bias of a score by a distance of positions (Raffel et al. 2020): 16 buckets of one
// distance, then as many whose borders are 16·8^(k/16).
template <class T>
T T5Bias(const Vector<T>& table, std::size_t heads, std::size_t head, std::size_t distance) {
  std::size_t bucket = std::min<std::size_t>(distance, 16);
  for (int k = 1; k < 16; ++k) {
    if (static_cast<double>(distance) >= 16 * std::pow(8.0, k / 16.0)) ++bucket;
  }
  return table[bucket * heads + head];
}

// That of a query at i and a key at j (Li et al. 2024). `w` gives the parameters by their names.
template <class T, class W>
T FireBias(const W& w, std::size_t head, std::size_t i, std::size_t j) {
  using std::abs;
  const T c = abs(w("fire.c")[0]), threshold = abs(T(512) * w("fire.L_multiplier")[0]);
  const T length = std::max(T(static_cast<double>(i)), threshold);
  const T x = log(c * T(static_cast<double>(i - j)) + T(1)) / (log(c * length + T(1)) + T(1e-6));
  T bias(0);
  for (std::size_t k = 0; k < 32; ++k) {
    const T unit = w("fire.mlp.0.weight")[k] * x + w("fire.mlp.0.bias")[k];
    if (unit > T(0)) bias += w("fire.mlp.2.weight")[head * 32 + k] * unit;
  }
  return bias;
}

// Causal attention: from the queries, keys and values of each position (3d) to the concatenated
// outputs of the heads (d). bias(h, i, j), if there is one, is added to a score.
template <class T>
std::vector<Vector<T>> Attention(
    const AttentionKind& kind, const std::vector<Vector<T>>& qkv, const Dropout& dropout,
    std::uint32_t site, std::uint32_t id,
    const std::function<T(std::size_t h, std::size_t i, std::size_t j)>& bias = {}) {
  const std::size_t d = qkv[0].size() / 3, dims = d / kind.heads;
  std::vector<Vector<T>> attended(qkv.size(), Vector<T>(d, T(0)));
  for (std::size_t h = 0; h < kind.heads; ++h) {
    for (std::size_t i = 0; i < qkv.size(); ++i) {
      const std::size_t seen = kind.strict ? i : i + 1;
      Vector<T> p;
      T sum(0);
      for (std::size_t j = 0; j < seen; ++j) {
        const T* q = qkv[i].data() + h * dims;
        const T* k = qkv[j].data() + d + h * dims;
        T score(0);
        for (std::size_t m = 0; m < dims; ++m) {
          score += kind.rope ? Rotated(q, m, dims, kind.positions[i]) *
                                   Rotated(k, m, dims, kind.positions[j])
                             : q[m] * k[m];
        }
        score /= T(std::sqrt(static_cast<double>(dims)));
        if (kind.alibi) {
          const double slope =
              std::pow(2, -8.0 * static_cast<double>(h + 1) / static_cast<double>(kind.heads));
          score -= T(slope * static_cast<double>(i - j));
        }
        if (bias) score += bias(h, i, j);
        p.push_back(exp(score));
        sum += p.back();
      }
      for (std::size_t j = 0; j < seen; ++j) {
        T weight = p[j] / sum;
        if (dropout.active()) {
          weight *= Keeps(dropout, site, id, i * (i + 1) / 2 + j, h)
                        ? T(65536.0 / (65536.0 - dropout.threshold))
                        : T(0);
        }
        for (std::size_t m = 0; m < dims; ++m) {
          attended[i][h * dims + m] += weight * qkv[j][2 * d + h * dims + m];
        }
      }
    }
  }
  return attended;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_ATTENTION_H_
