// The mixers of gla, mamba2 and rwkv7, each from its own equations.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_MEMORIES_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_MEMORIES_H_

#include <cmath>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "support/reference/basics.h"
#include "support/reference/deltanet.h"
#include "support/reference/short_convolution.h"

namespace flare::reference {

// S is (value, key): S ← S diag(α) + v kᵀ, o = S q.
template <class T>
std::vector<Vector<T>> Gla(const OptionTexts& options, const std::string& prefix,
                           const Weights<T>& w, const std::vector<Vector<T>>& x) {
  const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
  const std::size_t d = x[0].size(), H = OptionNumber(options, "heads");
  const std::size_t K = d / 2 / H, V = d / H;
  std::vector<Vector<T>> qkv;
  for (const auto& row : x) qkv.push_back(AffineMap(at("qkv_proj.weight"), {}, row));
  if (OptionNumber(options, "conv") > 0) qkv = ConvolvedSiLU(prefix + "conv1d", w, qkv);
  std::vector<Vector<T>> S(H, Vector<T>(V * K, T(0))), out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Vector<T> raw = AffineMap(at("gate_up.weight"), at("gate_up.bias"),
                                    AffineMap(at("gate_down.weight"), {}, x[t]));
    const Vector<T> z = AffineMap(at("ogate_proj.weight"), {}, x[t]);
    Vector<T> o(d, T(0));
    for (std::size_t h = 0; h < H; ++h) {
      for (std::size_t a = 0; a < V; ++a) {
        for (std::size_t b = 0; b < K; ++b) {
          const std::size_t key = h * K + b;
          T& s = S[h][a * K + b];
          s = s * pow(Sigmoid(raw[key]), T(1.0 / 16)) + qkv[t][d + h * V + a] * qkv[t][d / 2 + key];
          o[h * V + a] += s * qkv[t][key] / T(std::sqrt(static_cast<double>(K)));
        }
      }
    }
    o = HeadNorm(o, H, false, at("norm.weight"));
    for (std::size_t j = 0; j < d; ++j) o[j] *= SiLU(z[j]);
    out.push_back(AffineMap(at("out_proj.weight"), {}, o));
  }
  return out;
}

// Of each head, with S (channel, state): S ← ā S + Δ x Bᵀ, y = S C + D x.
template <class T>
std::vector<Vector<T>> Mamba2(const OptionTexts& options, const std::string& prefix,
                              const Weights<T>& w, const std::vector<Vector<T>>& u) {
  const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
  const std::size_t H = OptionNumber(options, "heads"), N = OptionNumber(options, "state");
  const std::size_t E = OptionNumber(options, "expand") * u[0].size(), P = E / H;
  const bool is_signed = options.at("eigenvalues") == "signed";
  std::vector<Vector<T>> z, xbc;
  for (const auto& row : u) {
    const Vector<T> in = AffineMap(at("in_proj.weight"), {}, row);
    z.push_back(Row(in, 0, E));
    xbc.emplace_back(in.begin() + static_cast<std::ptrdiff_t>(E), in.end());
  }
  xbc = ConvolvedSiLU(prefix + "conv1d", w, xbc);
  Vector<T> S(E * N, T(0));
  std::vector<Vector<T>> out;
  for (std::size_t t = 0; t < u.size(); ++t) {
    const Vector<T> raw = AffineMap(at("dt_proj.weight"), at("dt_bias"), u[t]);
    Vector<T> y;
    for (std::size_t e = 0; e < E; ++e) {
      const std::size_t h = e / P;
      const T delta = Softplus(raw[h]), x = xbc[t][e];
      T decay = exp(delta * -exp(at("A_log")[h]));
      if (is_signed) decay = 2 * decay - 1;
      T sum = at("D")[h] * x;
      for (std::size_t n = 0; n < N; ++n) {
        T& state = S[e * N + n];
        state = decay * state + delta * x * xbc[t][E + n];
        sum += state * xbc[t][E + N + n];
      }
      y.push_back(sum * SiLU(z[t][e]));
    }
    out.push_back(AffineMap(at("out_proj.weight"), {}, HeadNorm(y, 1, false, at("norm.weight"))));
  }
  return out;
}

// With the matrices of the paper, S being (value, key): S ← S (diag(w) − κᵀ (a ⊙ κ)) + vᵀ k̃.
template <class T>
std::vector<Vector<T>> Rwkv7(const OptionTexts& options, const std::string& prefix,
                             const Weights<T>& weights, const std::vector<Vector<T>>& x) {
  const auto at = [&](const std::string& name) -> const Vector<T>& {
    return weights.at(prefix + name);
  };
  const std::size_t d = x[0].size(), H = OptionNumber(options, "heads"), D = d / H;
  std::vector<Vector<T>> S(H, Vector<T>(D * D, T(0))), out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const auto mixed = [&](const char* which) {
      Vector<T> row = x[t];
      const Vector<T>& shift = at(std::string("x_") + which);
      for (std::size_t j = 0; j < d; ++j) {
        row[j] += shift[j] * ((t == 0 ? T(0) : x[t - 1][j]) - x[t][j]);
      }
      return row;
    };
    const auto low = [&](const std::string& which) {
      return AffineMap(at(which + "_down.weight"), {}, mixed(which.c_str()));
    };
    const Vector<T> r = AffineMap(at("r_proj.weight"), {}, mixed("r"));
    const Vector<T> k = AffineMap(at("k_proj.weight"), {}, mixed("k"));
    const Vector<T> v = AffineMap(at("v_proj.weight"), {}, mixed("v"));
    Vector<T> w_low = low("w"), g_low = low("g");
    for (T& value : w_low) value = tanh(value);
    for (T& value : g_low) value = Sigmoid(value);
    const Vector<T> raw = AffineMap(at("w_up.weight"), at("w_up.bias"), w_low);
    const Vector<T> rate = AffineMap(at("a_up.weight"), at("a_up.bias"), low("a"));
    const Vector<T> g = AffineMap(at("g_up.weight"), {}, g_low);
    Vector<T> o(d, T(0)), bonus(d, T(0));
    for (std::size_t h = 0; h < H; ++h) {
      Vector<T> direction(D), key(D), decay(D), a(D);
      T share(0);
      for (std::size_t j = 0; j < D; ++j) {
        const std::size_t i = h * D + j;
        a[j] = Sigmoid(rate[i]);
        decay[j] = exp(-T(std::exp(-0.5)) * Sigmoid(raw[i]));
        direction[j] = k[i] * at("k_k")[i];
        key[j] = k[i] * (1 + (a[j] - 1) * at("k_a")[i]);
        share += r[i] * key[j] * at("r_k")[i];
      }
      direction = Normalized(direction);
      Vector<T> next(D * D, T(0));
      for (std::size_t i = 0; i < D; ++i) {
        for (std::size_t j = 0; j < D; ++j) {
          for (std::size_t m = 0; m < D; ++m) {
            next[i * D + j] +=
                S[h][i * D + m] * ((m == j ? decay[j] : T(0)) - direction[m] * a[j] * direction[j]);
          }
          next[i * D + j] += v[h * D + i] * key[j];
          o[h * D + i] += next[i * D + j] * r[h * D + j];
        }
        bonus[h * D + i] = share * v[h * D + i];
      }
      S[h] = next;
    }
    o = HeadNorm(o, H, true, at("norm.weight"));
    for (std::size_t j = 0; j < d; ++j) o[j] = (o[j] + bonus[j]) * g[j];
    out.push_back(AffineMap(at("out_proj.weight"), {}, o));
  }
  return out;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_MEMORIES_H_
