// Mamba's mixer.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_MAMBA_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_MAMBA_H_

#include <cmath>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "support/reference/basics.h"
#include "support/reference/short_convolution.h"

namespace flare::reference {

template <class T>
std::vector<Vector<T>> Mamba(const OptionTexts& options, const std::string& prefix,
                             const Weights<T>& w, const std::vector<Vector<T>>& x) {
  const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
  const std::size_t N = OptionNumber(options, "state"), E = at("D").size();
  const bool is_signed = options.at("eigenvalues") == "signed";
  std::vector<Vector<T>> u, z;
  for (const auto& row : x) {
    const Vector<T> both = AffineMap(at("in_proj.weight"), {}, row);
    u.push_back(Row(both, 0, E));
    z.push_back(Row(both, 1, E));
  }
  u = ConvolvedSiLU(prefix + "conv1d", w, u);
  Vector<T> h(E * N, T(0));
  std::vector<Vector<T>> out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Vector<T> raw = AffineMap(at("dt_proj.weight"), at("dt_proj.bias"),
                                    AffineMap(at("dt_down.weight"), {}, u[t]));
    const Vector<T> BC = AffineMap(at("bc_proj.weight"), {}, u[t]);
    Vector<T> y;
    for (std::size_t e = 0; e < E; ++e) {
      const T delta = Softplus(raw[e]);
      y.push_back(at("D")[e] * u[t][e]);
      for (std::size_t n = 0; n < N; ++n) {
        T decay = exp(delta * -exp(at("A_log")[e * N + n]));
        if (is_signed) decay = 2 * decay - 1;
        T& state = h[e * N + n];
        state = decay * state + delta * u[t][e] * BC[n];
        y[e] += state * BC[N + n];
      }
      y[e] *= SiLU(z[t][e]);
    }
    out.push_back(AffineMap(at("out_proj.weight"), {}, y));
  }
  return out;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_MAMBA_H_
