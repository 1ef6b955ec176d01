// The residual skeleton, around any mixer.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_RESIDUAL_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_RESIDUAL_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/architectures.h"
#include "flare/nn/model.h"
#include "support/reference/attention.h"
#include "support/reference/basics.h"
#include "support/reference/deltanet.h"
#include "support/reference/mamba.h"
#include "support/reference/memories.h"
#include "support/reference/mlstm.h"

namespace flare::reference {

inline bool HasTerm(const ModelConfig& config, const std::string& term) {
  return std::find(config.terms.begin(), config.terms.end(), term) != config.terms.end();
}

inline bool IsOption(const OptionTexts& options, const std::string& name,
                     const std::string& value) {
  const auto found = options.find(name);
  return found != options.end() && found->second == value;
}

// The positions of a string's symbols, BOS first, by the definitions in nn/positions.h. Subsets are
// drawn by a walk over what is there, for which the engine's draws are put in order.
inline std::vector<std::size_t> PositionsOf(const OptionTexts& options, std::size_t count,
                                            const Dropout& dropout, std::uint32_t id) {
  const auto number = [&](const char* name) {
    return options.contains(name) ? OptionNumber(options, name) : 0;
  };
  std::vector<std::size_t> positions;
  const std::size_t range = number("randomized");
  std::size_t offset = 0;
  if (range > 0 && dropout.positions) {
    Rng rng = Rng::For(*dropout.positions, "positions/subset", id);
    std::set<std::size_t> chosen;
    for (std::size_t j = range - count; j < range; ++j) {
      const auto drawn = static_cast<std::size_t>(rng.UniformInt(j + 1));
      chosen.insert(chosen.contains(drawn) ? j : drawn);
    }
    return {chosen.begin(), chosen.end()};
  }
  if (IsOption(options, "positions", "learned") && dropout.positions) {
    Rng rng = Rng::For(*dropout.positions, "positions/offset", id);
    offset = static_cast<std::size_t>(rng.UniformInt(number("table") - count + 1));
  }
  for (std::size_t t = 0; t < count; ++t) {
    positions.push_back(range > 0 ? (t + 1) * (range + 1) / (count + 1) - 1 : offset + t);
  }
  return positions;
}

template <class T>
std::vector<Vector<T>> AttentionMixer(const OptionTexts& options, const std::string& prefix,
                                      const Weights<T>& w, const std::vector<Vector<T>>& x,
                                      const Dropout& dropout, std::uint32_t site,
                                      std::uint32_t id) {
  const auto at = [&](const char* name) -> const Vector<T>& {
    return w.at(prefix + "self_attn." + name);
  };
  std::vector<Vector<T>> qkv, out;
  for (const auto& row : x) {
    qkv.push_back(AffineMap(at("in_proj_weight"), at("in_proj_bias"), row));
  }
  const AttentionKind kind = {.heads = OptionNumber(options, "heads"),
                              .strict = IsOption(options, "mask", "strict"),
                              .rope = IsOption(options, "positions", "rope"),
                              .alibi = IsOption(options, "positions", "alibi"),
                              .positions = PositionsOf(options, x.size(), dropout, id)};
  std::function<T(std::size_t, std::size_t, std::size_t)> bias;
  if (IsOption(options, "positions", "t5")) {
    bias = [&](std::size_t h, std::size_t i, std::size_t j) {
      return T5Bias(at("relative_attention_bias.weight"), kind.heads, h, i - j);
    };
  } else if (IsOption(options, "positions", "fire")) {
    bias = [&](std::size_t h, std::size_t i, std::size_t j) { return FireBias<T>(at, h, i, j); };
  }
  for (const auto& row : Attention(kind, qkv, dropout, site, id, bias)) {
    out.push_back(AffineMap(at("out_proj.weight"), at("out_proj.bias"), row));
  }
  return out;
}

// a of a feed-forward block, from what its first matrix says.
template <class T>
Vector<T> Activated(const std::string& activation, const Vector<T>& raw) {
  Vector<T> a;
  if (activation == "swiglu") {
    const std::size_t units = raw.size() / 2;
    for (std::size_t i = 0; i < units; ++i) a.push_back(raw[i] * Sigmoid(raw[i]) * raw[units + i]);
    return a;
  }
  for (const T& z : raw) {
    if (activation == "gelu") {
      const T inner = T(std::sqrt(2 / std::acos(-1.0))) * (z + T(0.044715) * z * z * z);
      a.push_back(T(0.5) * z * (1 + tanh(inner)));
    } else {
      a.push_back(z > T(0) ? z : T(0));
    }
  }
  return a;
}

// The mixer of a layer, from its inputs at all positions of a string to its outputs.
template <class T>
std::vector<Vector<T>> Mix(const std::string& architecture, const OptionTexts& options,
                           const std::string& prefix, const Weights<T>& w,
                           const std::vector<Vector<T>>& x, const Dropout& dropout,
                           std::uint32_t site, std::uint32_t id) {
  if (architecture == "mamba") return Mamba(options, prefix + "mixer.", w, x);
  if (architecture == "deltanet") return DeltaNet(options, prefix + "mixer.", w, x);
  if (architecture == "mamba2") return Mamba2(options, prefix + "mixer.", w, x);
  if (architecture == "rwkv7") return Rwkv7(options, prefix + "mixer.", w, x);
  if (architecture == "gla") return Gla(options, prefix + "mixer.", w, x);
  if (architecture == "mlstm") return MLstm(options, prefix + "mixer.", w, x);
  if (architecture != "transformer") ThrowNoReference(architecture);
  return AttentionMixer(options, prefix, w, x, dropout, site, id);
}

template <class T>
std::vector<Vector<T>> ResidualHidden(const ModelConfig& config, const Weights<T>& w,
                                      std::span<const std::uint32_t> string, std::uint32_t id,
                                      const Dropout& dropout) {
  const std::size_t d = config.hidden, positions = string.size() + 1;
  const OptionTexts options =
      CompleteOptions(*FindArchitecture(config.architecture), config.options, "");
  const bool sinusoidal = IsOption(options, "positions", "sinusoidal");
  const bool reads_eos = config.recognizes && config.reads_eos;
  const bool ties = HasTerm(config, "lm") && options.at("tie_embeddings") == "true";
  const std::size_t bos = config.vocabulary + (ties || reads_eos ? 1 : 0);
  const auto places = PositionsOf(options, positions, dropout, id);
  std::vector<Vector<T>> x;
  for (std::size_t t = 0; t < positions; ++t) {
    Vector<T> row = Row(w.at("embedding.weight"), t == 0 ? bos : string[t - 1], d);
    for (std::size_t j = 0; j < d; ++j) {
      const double angle =
          static_cast<double>(places[t]) /
          std::pow(10000.0, static_cast<double>(j - j % 2) / static_cast<double>(d));
      row[j] *= T(std::sqrt(static_cast<double>(d)));
      if (w.contains("positions.weight")) row[j] += w.at("positions.weight")[places[t] * d + j];
      if (sinusoidal) row[j] += T(j % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
    x.push_back(Drop(row, dropout, 0, id, t));
  }
  for (std::size_t i = 0; i < OptionNumber(options, "loops") * config.layers; ++i) {
    const std::string prefix = "encoder.layers." + std::to_string(i % config.layers) + ".";
    const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
    const auto site = static_cast<std::uint32_t>(1 + 4 * i);
    const bool pre = options.at("norm") == "pre";
    const auto norm1 = [&](const Vector<T>& row) {
      return LayerNorm(row, at("norm1.weight"), at("norm1.bias"));
    };
    const auto norm2 = [&](const Vector<T>& row) {
      return LayerNorm(row, at("norm2.weight"), at("norm2.bias"));
    };
    std::vector<Vector<T>> read;
    for (const auto& row : x) read.push_back(pre ? norm1(row) : row);
    const auto mixed = Mix(config.architecture, options, prefix, w, read, dropout, site, id);
    for (std::size_t t = 0; t < positions; ++t) {
      const Vector<T> added = Drop(mixed[t], dropout, site + 1, id, t);
      for (std::size_t j = 0; j < d; ++j) x[t][j] += added[j];
      if (!pre) x[t] = norm1(x[t]);
      if (!w.contains(prefix + "linear1.weight")) continue;
      Vector<T> hidden =
          Activated(options.at("activation"),
                    AffineMap(at("linear1.weight"), at("linear1.bias"), pre ? norm2(x[t]) : x[t]));
      hidden = Drop(hidden, dropout, site + 2, id, t);
      const Vector<T> down = Drop(AffineMap(at("linear2.weight"), at("linear2.bias"), hidden),
                                  dropout, site + 3, id, t);
      for (std::size_t j = 0; j < d; ++j) x[t][j] += down[j];
      if (!pre) x[t] = norm2(x[t]);
    }
  }
  if (!w.contains("encoder.norm.weight")) return x;
  for (auto& row : x) row = LayerNorm(row, w.at("encoder.norm.weight"), w.at("encoder.norm.bias"));
  return x;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_RESIDUAL_H_
