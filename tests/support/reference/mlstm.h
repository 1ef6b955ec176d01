// The mixer of the mLSTM, as it is defined: without the stabilizer that the engine needs.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_MLSTM_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_MLSTM_H_

#include <cmath>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "support/reference/basics.h"
#include "support/reference/deltanet.h"
#include "support/reference/short_convolution.h"

namespace flare::reference {

template <class T>
std::vector<Vector<T>> MLstm(const OptionTexts& options, const std::string& prefix,
                             const Weights<T>& w, const std::vector<Vector<T>>& x) {
  const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
  const bool goes_up = options.at("expand") == "2", convolves = options.at("conv") == "4";
  std::vector<Vector<T>> u = x;
  if (goes_up) {
    for (auto& row : u) row = AffineMap(at("up_proj.weight"), {}, row);
  }
  std::vector<Vector<T>> c = u;
  if (convolves) c = ConvolvedSiLU(prefix + "conv1d", w, u);
  const std::size_t d = u[0].size(), H = OptionNumber(options, "heads"), D = d / H;
  std::vector<Vector<T>> C(H, Vector<T>(D * D, T(0)));  // C[h] is (value, key)
  std::vector<Vector<T>> n(H, Vector<T>(D, T(0))), out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    Vector<T> qkv = AffineMap(at(convolves ? "qk_proj.weight" : "qkv_proj.weight"), {}, c[t]);
    if (convolves) {
      const Vector<T> v = AffineMap(at("v_proj.weight"), {}, u[t]);
      qkv.insert(qkv.end(), v.begin(), v.end());
    }
    const Vector<T> gates = AffineMap(at("gates_proj.weight"), at("gates_proj.bias"), u[t]);
    Vector<T> o = goes_up ? AffineMap(at("gate_proj.weight"), {}, x[t])
                          : AffineMap(at("ogate_proj.weight"), at("ogate_proj.bias"), x[t]);
    for (T& gate : o) gate = goes_up ? SiLU(gate) : Sigmoid(gate);
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
    for (std::size_t j = 0; j < d; ++j) {
      if (options.at("skip") == "true") y[j] += at("skip")[j] * c[t][j];
      y[j] *= o[j];
    }
    if (!norm_first) y = HeadNorm(y, H, true, at("norm.weight"));
    out.push_back(AffineMap(at("out_proj.weight"), {}, y));
  }
  return out;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_MLSTM_H_
