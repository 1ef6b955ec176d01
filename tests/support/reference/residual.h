// The residual skeleton, around any mixer.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_RESIDUAL_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_RESIDUAL_H_

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "flare/nn/architectures.h"
#include "flare/nn/model.h"
#include "support/reference/attention.h"
#include "support/reference/basics.h"
#include "support/reference/deltanet.h"
#include "support/reference/mamba.h"
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
                              .alibi = IsOption(options, "positions", "alibi")};
  for (const auto& row : Attention(kind, qkv, dropout, site, id)) {
    out.push_back(AffineMap(at("out_proj.weight"), at("out_proj.bias"), row));
  }
  return out;
}

// The mixer of a layer, from its inputs at all positions of a string to its outputs.
template <class T>
std::vector<Vector<T>> Mix(const std::string& architecture, const OptionTexts& options,
                           const std::string& prefix, const Weights<T>& w,
                           const std::vector<Vector<T>>& x, const Dropout& dropout,
                           std::uint32_t site, std::uint32_t id) {
  if (architecture == "mamba") return Mamba(options, prefix + "mixer.", w, x);
  if (architecture == "deltanet") return DeltaNet(options, prefix + "mixer.", w, x);
  if (architecture == "mlstm") return MLstm(options, prefix + "mixer.", w, x);
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
  const std::size_t bos = config.vocabulary + (HasTerm(config, "lm") || reads_eos ? 1 : 0);
  std::vector<Vector<T>> x;
  for (std::size_t t = 0; t < positions; ++t) {
    Vector<T> row = Row(w.at("embedding.weight"), t == 0 ? bos : string[t - 1], d);
    for (std::size_t j = 0; j < d; ++j) {
      const double angle =
          static_cast<double>(t) /
          std::pow(10000.0, static_cast<double>(j - j % 2) / static_cast<double>(d));
      row[j] *= T(std::sqrt(static_cast<double>(d)));
      if (sinusoidal) row[j] += T(j % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
    x.push_back(Drop(row, dropout, 0, id, t));
  }
  for (std::size_t l = 0; l < config.layers; ++l) {
    const std::string prefix = "encoder.layers." + std::to_string(l) + ".";
    const auto at = [&](const char* name) -> const Vector<T>& { return w.at(prefix + name); };
    const auto site = static_cast<std::uint32_t>(1 + 4 * l);
    std::vector<Vector<T>> normed;
    for (const auto& row : x) {
      normed.push_back(LayerNorm(row, at("norm1.weight"), at("norm1.bias")));
    }
    const auto mixed = Mix(config.architecture, options, prefix, w, normed, dropout, site, id);
    for (std::size_t t = 0; t < positions; ++t) {
      const Vector<T> added = Drop(mixed[t], dropout, site + 1, id, t);
      for (std::size_t j = 0; j < d; ++j) x[t][j] += added[j];
      if (!w.contains(prefix + "linear1.weight")) continue;
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

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_RESIDUAL_H_
