// The mixer of the mLSTM, as it is defined: without the stabilizer that the engine needs.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_MLSTM_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_MLSTM_H_

#include <cmath>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "support/reference/basics.h"
#include "support/reference/deltanet.h"

namespace flare::reference {

template <class T>
std::vector<Vector<T>> MLstm(const OptionTexts& options, const std::string& prefix,
                             const Weights<T>& w, const std::vector<Vector<T>>& x) {
  const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
  const std::size_t d = x[0].size(), H = OptionNumber(options, "heads"), D = d / H;
  std::vector<Vector<T>> C(H, Vector<T>(D * D, T(0)));  // C[h] is (value, key)
  std::vector<Vector<T>> n(H, Vector<T>(D, T(0))), out;
  for (const auto& row : x) {
    const Vector<T> qkv = AffineMap(at("qkv_proj.weight"), {}, row);
    const Vector<T> gates = AffineMap(at("gates_proj.weight"), at("gates_proj.bias"), row);
    const Vector<T> o = AffineMap(at("ogate_proj.weight"), at("ogate_proj.bias"), row);
    Vector<T> y(d);
    for (std::size_t h = 0; h < H; ++h) {
      const Vector<T> q = Row(qkv, h, D), v = Row(qkv, 2 * H + h, D);
      Vector<T> k = Row(qkv, H + h, D);
      for (T& value : k) value /= T(std::sqrt(static_cast<double>(D)));
      const T i = exp(gates[h]), f = Sigmoid(gates[H + h]);
      T weight(0);
      for (std::size_t b = 0; b < D; ++b) {
        for (std::size_t a = 0; a < D; ++a) C[h][a * D + b] = f * C[h][a * D + b] + i * v[a] * k[b];
        n[h][b] = f * n[h][b] + i * k[b];
        weight += n[h][b] * q[b];
      }
      weight = weight < T(0) ? -weight : weight;
      if (weight < T(1)) weight = T(1);
      const Vector<T> read = AffineMap(C[h], {}, q);
      for (std::size_t a = 0; a < D; ++a) y[h * D + a] = read[a] / weight;
    }
    const bool norm_first = options.at("order") == "norm-gate";
    if (norm_first) y = HeadNorm(y, H, true, at("norm.weight"));
    for (std::size_t j = 0; j < d; ++j) y[j] *= Sigmoid(o[j]);
    if (!norm_first) y = HeadNorm(y, H, true, at("norm.weight"));
    out.push_back(AffineMap(at("out_proj.weight"), {}, y));
  }
  return out;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_MLSTM_H_
