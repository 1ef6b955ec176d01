// The models of the paper (§3.2, §3.3, Appendix C) in plain scalar code, one string at a time, for
// any number type: what the engine's fused and packed code must agree with. Parameters have
// PyTorch's names and shapes. Dropout masks come from Random123 by the definition in nn/dropout.h.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_MODEL_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_MODEL_H_

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "flare/nn/batch.h"
#include "flare/nn/dropout.h"
#include "flare/nn/model.h"

namespace flare::reference {

template <class T>
using Vector = std::vector<T>;
template <class T>
using Weights = std::map<std::string, Vector<T>>;

template <class T>
T Sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

// out = W x + b for W of shape (size of out, size of x); b may be empty.
template <class T>
Vector<T> AffineMap(const Vector<T>& W, const Vector<T>& b, const Vector<T>& x) {
  const std::size_t rows = W.size() / x.size();
  Vector<T> out(rows, T(0));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) out[i] += W[i * x.size() + j] * x[j];
    if (!b.empty()) out[i] += b[i];
  }
  return out;
}

template <class T>
Vector<T> Row(const Vector<T>& matrix, std::size_t row, std::size_t width) {
  const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * width);
  return Vector<T>(begin, begin + static_cast<std::ptrdiff_t>(width));
}

inline bool Keeps(const Dropout& dropout, std::uint32_t site, std::uint32_t string,
                  std::size_t position, std::size_t unit) {
  const r123::Philox4x32 philox;
  const auto block = philox(
      {{static_cast<std::uint32_t>(unit / 8), static_cast<std::uint32_t>(position), string, site}},
      {{dropout.key.key[0], dropout.key.key[1]}});
  const std::uint32_t word = block[(unit % 8) / 2];
  return (unit % 2 == 0 ? word & 0xFFFF : word >> 16) >= dropout.threshold;
}

template <class T>
Vector<T> Drop(Vector<T> x, const Dropout& dropout, std::uint32_t site, std::uint32_t string,
               std::size_t position) {
  if (!dropout.active()) return x;
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] *= Keeps(dropout, site, string, position, j) ? T(65536.0 / (65536.0 - dropout.threshold))
                                                      : T(0);
  }
  return x;
}

inline bool HasTerm(const ModelConfig& config, const std::string& term) {
  return std::find(config.terms.begin(), config.terms.end(), term) != config.terms.end();
}

template <class T>
std::vector<Vector<T>> RecurrentHidden(const ModelConfig& config, const Weights<T>& w,
                                       std::span<const std::uint32_t> string, std::uint32_t id,
                                       const Dropout& dropout) {
  const std::size_t d = config.hidden, n = string.size();
  std::vector<Vector<T>> input(n + 1);
  for (std::size_t t = 1; t <= n; ++t) {
    input[t] = Drop(Row(w.at("embedding.weight"), string[t - 1], d), dropout, 0, id, t);
  }
  for (std::size_t l = 0; l < config.layers; ++l) {
    const std::string suffix = "_l" + std::to_string(l);
    const auto& W_ih = w.at("rnn.weight_ih" + suffix);
    const auto& W_hh = w.at("rnn.weight_hh" + suffix);
    const auto& b = w.at("rnn.bias" + suffix);
    Vector<T> h = w.at("initial_hidden" + suffix);
    for (T& value : h) value = std::tanh(value);
    Vector<T> c(d, T(0));
    std::vector<Vector<T>> output(n + 1);
    const auto site = static_cast<std::uint32_t>(l + 1);
    output[0] = Drop(h, dropout, site, id, 0);
    for (std::size_t t = 1; t <= n; ++t) {
      const Vector<T> from_x = AffineMap(W_ih, b, input[t]);
      const Vector<T> from_h = AffineMap(W_hh, {}, h);
      if (config.architecture == "rnn") {
        for (std::size_t j = 0; j < d; ++j) h[j] = std::tanh(from_x[j] + from_h[j]);
      } else if (config.architecture == "gru") {
        for (std::size_t j = 0; j < d; ++j) {
          const T r = Sigmoid(from_x[j] + from_h[j]), z = Sigmoid(from_x[d + j] + from_h[d + j]);
          const T candidate = std::tanh(from_x[2 * d + j] + r * from_h[2 * d + j]);
          h[j] = (1 - z) * candidate + z * h[j];
        }
      } else {
        for (std::size_t j = 0; j < d; ++j) {
          const auto pre = [&](std::size_t gate) {
            return from_x[gate * d + j] + from_h[gate * d + j];
          };
          const T i = Sigmoid(pre(0)), f = Sigmoid(pre(1)), g = std::tanh(pre(2)),
                  o = Sigmoid(pre(3));
          c[j] = f * c[j] + i * g;
          h[j] = o * std::tanh(c[j]);
        }
      }
      output[t] = Drop(h, dropout, site, id, t);
    }
    input = output;
  }
  return input;
}

template <class T>
Vector<T> LayerNorm(const Vector<T>& x, const Vector<T>& gain, const Vector<T>& bias) {
  T mean(0), variance(0);
  for (const T& value : x) mean += value / T(x.size());
  for (const T& value : x) variance += (value - mean) * (value - mean) / T(x.size());
  Vector<T> y;
  for (std::size_t j = 0; j < x.size(); ++j) {
    y.push_back(gain[j] * (x[j] - mean) / std::sqrt(variance + T(1e-5)) + bias[j]);
  }
  return y;
}

// Causal attention with 8 heads: from the queries, keys and values of each position (3d) to the
// concatenated outputs of the heads (d).
template <class T>
std::vector<Vector<T>> Attention(const std::vector<Vector<T>>& qkv, const Dropout& dropout,
                                 std::uint32_t site, std::uint32_t id) {
  constexpr std::size_t kHeadCount = 8;
  const std::size_t d = qkv[0].size() / 3, dims = d / kHeadCount;
  std::vector<Vector<T>> attended(qkv.size(), Vector<T>(d, T(0)));
  for (std::size_t h = 0; h < kHeadCount; ++h) {
    for (std::size_t i = 0; i < qkv.size(); ++i) {
      Vector<T> p;
      T sum(0);
      for (std::size_t j = 0; j <= i; ++j) {
        T score(0);
        for (std::size_t m = 0; m < dims; ++m) {
          score += qkv[i][h * dims + m] * qkv[j][d + h * dims + m];
        }
        p.push_back(std::exp(score / T(std::sqrt(static_cast<double>(dims)))));
        sum += p.back();
      }
      for (std::size_t j = 0; j <= i; ++j) {
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

template <class T>
std::vector<Vector<T>> TransformerHidden(const ModelConfig& config, const Weights<T>& w,
                                         std::span<const std::uint32_t> string, std::uint32_t id,
                                         const Dropout& dropout) {
  const std::size_t d = config.hidden, positions = string.size() + 1;
  const std::size_t bos = config.vocabulary + (HasTerm(config, "lm") ? 1 : 0);
  std::vector<Vector<T>> x;
  for (std::size_t t = 0; t < positions; ++t) {
    Vector<T> row = Row(w.at("embedding.weight"), t == 0 ? bos : string[t - 1], d);
    for (std::size_t j = 0; j < d; ++j) {
      const double angle =
          static_cast<double>(t) /
          std::pow(10000.0, static_cast<double>(j - j % 2) / static_cast<double>(d));
      row[j] = row[j] * T(std::sqrt(static_cast<double>(d))) +
               T(j % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
    x.push_back(Drop(row, dropout, 0, id, t));
  }
  for (std::size_t l = 0; l < config.layers; ++l) {
    const std::string prefix = "encoder.layers." + std::to_string(l) + ".";
    const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
    const auto site = static_cast<std::uint32_t>(1 + 4 * l);
    std::vector<Vector<T>> qkv;
    for (const auto& row : x) {
      qkv.push_back(AffineMap(at("self_attn.in_proj_weight"), at("self_attn.in_proj_bias"),
                              LayerNorm(row, at("norm1.weight"), at("norm1.bias"))));
    }
    const std::vector<Vector<T>> attended = Attention(qkv, dropout, site, id);
    for (std::size_t t = 0; t < positions; ++t) {
      const Vector<T> projected = Drop(
          AffineMap(at("self_attn.out_proj.weight"), at("self_attn.out_proj.bias"), attended[t]),
          dropout, site + 1, id, t);
      for (std::size_t j = 0; j < d; ++j) x[t][j] += projected[j];
      Vector<T> hidden = AffineMap(at("linear1.weight"), at("linear1.bias"),
                                   LayerNorm(x[t], at("norm2.weight"), at("norm2.bias")));
      for (T& value : hidden) value = value > T(0) ? value : T(0);
      hidden = Drop(hidden, dropout, site + 2, id, t);
      const Vector<T> down = Drop(AffineMap(at("linear2.weight"), at("linear2.bias"), hidden),
                                  dropout, site + 3, id, t);
      for (std::size_t j = 0; j < d; ++j) x[t][j] += down[j];
    }
  }
  for (auto& row : x) row = LayerNorm(row, w.at("encoder.norm.weight"), w.at("encoder.norm.bias"));
  return x;
}

template <class T>
T BinaryCrossEntropy(T logit, bool label) {
  return std::log(1 + std::exp(label ? -logit : logit));
}

// ∂f/∂x by central differences, x being what f() looks at. The step is small because of the kinks
// of ReLU.
template <class F>
double Derivative(F f, double& x) {
  constexpr double kStep = 1e-7;
  const double saved = x;
  x = saved + kStep;
  const double up = f();
  x = saved - kStep;
  const double down = f();
  x = saved;
  return (up - down) / (2 * kStep);
}

template <class T>
std::vector<Vector<T>> Hidden(const ModelConfig& config, const Weights<T>& w,
                              std::span<const std::uint32_t> string, std::uint32_t id,
                              const Dropout& dropout) {
  return config.architecture == "transformer" ? TransformerHidden(config, w, string, id, dropout)
                                              : RecurrentHidden(config, w, string, id, dropout);
}

// The mean over a string's positions of the cross-entropy of the next symbol, EOS being the last.
template <class T>
T LmLoss(const std::vector<Vector<T>>& hidden, const Vector<T>& embeddings,
         std::span<const std::uint32_t> string, std::size_t outputs) {
  T loss(0);
  for (std::size_t t = 0; t <= string.size(); ++t) {
    T sum(0), target(0);
    for (std::size_t a = 0; a < outputs; ++a) {
      T z(0);
      for (std::size_t j = 0; j < hidden[t].size(); ++j) {
        z += embeddings[a * hidden[t].size() + j] * hidden[t][j];
      }
      sum += std::exp(z);
      if (a == (t < string.size() ? string[t] : outputs - 1)) target = z;
    }
    loss += (std::log(sum) - target) / T(string.size() + 1);
  }
  return loss;
}

// The mean over a string's positions and over the symbols of the binary cross-entropy.
template <class T>
T NextSymbolLoss(const std::vector<Vector<T>>& hidden, const Vector<T>& W, const Vector<T>& b,
                 const Batch& batch, std::size_t s) {
  T loss(0);
  for (std::size_t t = 0; t < hidden.size(); ++t) {
    const auto z = AffineMap(W, b, hidden[t]);
    for (std::size_t a = 0; a < z.size(); ++a) {
      const std::uint64_t word =
          batch.next_symbols[(batch.first_set[s] + t) * batch.words_per_set() + a / 64];
      loss += BinaryCrossEntropy(z[a], ((word >> (a % 64)) & 1) != 0) / T(z.size() * hidden.size());
    }
  }
  return loss;
}

// A term of the loss of one string.
template <class T>
T TermLoss(const std::string& term, const ModelConfig& config, const Weights<T>& w,
           const Batch& batch, std::size_t s, const std::vector<Vector<T>>& hidden) {
  if (batch.labels[s] == 0) return T(0);
  return term == "lm"
             ? LmLoss(hidden, w.at("embedding.weight"), batch.string(s), config.vocabulary + 1)
             : NextSymbolLoss(hidden, w.at("next_symbols_head.weight"),
                              w.at("next_symbols_head.bias"), batch, s);
}

// The mean loss of a batch, and the recognition logits.
template <class T>
T Loss(const ModelConfig& config, const Weights<T>& w, const Batch& batch,
       std::span<const double> coefficients, const Dropout& dropout, Vector<T>* logits = nullptr) {
  T total(0);
  for (std::size_t s = 0; s < batch.size(); ++s) {
    const auto hidden = Hidden(config, w, batch.string(s), static_cast<std::uint32_t>(s), dropout);
    const T logit =
        AffineMap(w.at("recognition_head.weight"), w.at("recognition_head.bias"), hidden.back())[0];
    if (logits != nullptr) logits->push_back(logit);
    T loss = BinaryCrossEntropy(logit, batch.labels[s] != 0);
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      if (coefficients[i] == 0) continue;
      loss += T(coefficients[i]) * TermLoss(config.terms[i], config, w, batch, s, hidden);
    }
    total += loss / T(batch.size());
  }
  return total;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_MODEL_H_
