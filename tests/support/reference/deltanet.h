// DeltaNet's mixer, written with the matrices of its definition: S (I − β k kᵀ) + β v kᵀ.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_DELTANET_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_DELTANET_H_

#include <cmath>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "support/reference/basics.h"
#include "support/reference/short_convolution.h"

namespace flare::reference {

template <class T>
Vector<T> Normalized(Vector<T> x) {
  T squares(1e-6);
  for (const T& value : x) squares += value * value;
  for (T& value : x) value /= sqrt(squares);
  return x;
}

// Each head's part over its root mean square, or standard deviation if `centred`.
template <class T>
Vector<T> HeadNorm(Vector<T> x, std::size_t heads, bool centred, const Vector<T>& gain) {
  const std::size_t dims = x.size() / heads;
  for (std::size_t h = 0; h < heads; ++h) {
    T mean(0), squares(0);
    for (std::size_t i = 0; centred && i < dims; ++i) mean += x[h * dims + i] / T(dims);
    for (std::size_t i = 0; i < dims; ++i) {
      x[h * dims + i] -= mean;
      squares += x[h * dims + i] * x[h * dims + i] / T(dims);
    }
    for (std::size_t i = 0; i < dims; ++i) {
      x[h * dims + i] *= gain[h * dims + i] / sqrt(squares + T(1e-5));
    }
  }
  return x;
}

template <class T>
std::vector<Vector<T>> DeltaNet(const OptionTexts& options, const std::string& prefix,
                                const Weights<T>& w, const std::vector<Vector<T>>& x) {
  const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
  const std::size_t d = x[0].size(), H = OptionNumber(options, "heads"), D = d / H;
  const std::size_t steps = OptionNumber(options, "householder");
  const T most = T(options.at("eigenvalues") == "signed" ? 2 : 1);
  std::vector<Vector<T>> qkv;
  for (const auto& row : x) qkv.push_back(AffineMap(at("qkv_proj.weight"), {}, row));
  qkv = ConvolvedSiLU(prefix + "conv1d", w, qkv);

  std::vector<Vector<T>> S(H, Vector<T>(D * D, T(0)));  // S[h] is (value, key)
  std::vector<Vector<T>> out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Vector<T> beta = AffineMap(at("beta_proj.weight"), {}, x[t]);
    // The d-vectors of qkv are q, then k and v of each step.
    const auto part = [&](std::size_t vector, std::size_t h) {
      return Row(qkv[t], vector * H + h, D);
    };
    Vector<T> o(d, T(0));
    for (std::size_t h = 0; h < H; ++h) {
      if (options.at("gate") == "true") {
        const T raw = AffineMap(at("gate_proj.weight"), at("dt_bias"), x[t])[h];
        const T alpha = exp(-exp(at("A_log")[h]) * Softplus(raw));
        for (T& value : S[h]) value *= alpha;
      }
      for (std::size_t s = 0; s < steps; ++s) {
        const Vector<T> k = Normalized(part(1 + 2 * s, h)), v = part(2 + 2 * s, h);
        const T b = most * Sigmoid(beta[s * H + h]);
        Vector<T> next(D * D, T(0));
        for (std::size_t i = 0; i < D; ++i) {
          for (std::size_t j = 0; j < D; ++j) {
            for (std::size_t m = 0; m < D; ++m) {
              next[i * D + j] += S[h][i * D + m] * (T(m == j ? 1 : 0) - b * k[m] * k[j]);
            }
            next[i * D + j] += b * v[i] * k[j];
          }
        }
        S[h] = next;
      }
      const Vector<T> head = AffineMap(S[h], {}, Normalized(part(0, h)));
      std::copy(head.begin(), head.end(), o.begin() + static_cast<std::ptrdiff_t>(h * D));
    }
    o = HeadNorm(o, H, false, at("norm.weight"));
    if (options.at("output_gate") == "true") {
      const Vector<T> z = AffineMap(at("ogate_proj.weight"), {}, x[t]);
      for (std::size_t j = 0; j < d; ++j) o[j] *= SiLU(z[j]);
    }
    out.push_back(AffineMap(at("out_proj.weight"), {}, o));
  }
  return out;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_DELTANET_H_
