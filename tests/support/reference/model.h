// The models of the paper (§3.2, §3.3, Appendix C) in plain scalar code, one string at a time, for
// any number type: what the engine's fused and packed code must agree with. Parameters have
// PyTorch's names and shapes.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_MODEL_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_MODEL_H_

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "flare/nn/batch.h"
#include "flare/nn/model.h"
#include "support/reference/basics.h"
#include "support/reference/recurrent.h"
#include "support/reference/residual.h"

namespace flare::reference {

template <class T>
T BinaryCrossEntropy(T logit, bool label) {
  return log(1 + exp(label ? -logit : logit));
}

template <class T>
std::vector<Vector<T>> Hidden(const ModelConfig& config, const Weights<T>& w,
                              std::span<const std::uint32_t> string, std::uint32_t id,
                              const Dropout& dropout) {
  return w.contains("encoder.layers.0.norm1.weight")
             ? ResidualHidden(config, w, string, id, dropout)
             : RecurrentHidden(config, w, string, id, dropout);
}

// The mean over a string's positions of the cross-entropy of the next symbol, EOS being the last.
// `bias` may be empty.
template <class T>
T LmLoss(const std::vector<Vector<T>>& hidden, const Vector<T>& weights, const Vector<T>& bias,
         std::span<const std::uint32_t> string, std::size_t outputs) {
  T loss(0);
  for (std::size_t t = 0; t <= string.size(); ++t) {
    T sum(0), target(0);
    for (std::size_t a = 0; a < outputs; ++a) {
      T z = bias.empty() ? T(0) : bias[a];
      for (std::size_t j = 0; j < hidden[t].size(); ++j) {
        z += weights[a * hidden[t].size() + j] * hidden[t][j];
      }
      sum += exp(z);
      if (a == (t < string.size() ? string[t] : outputs - 1)) target = z;
    }
    loss += (log(sum) - target) / T(string.size() + 1);
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

// The cross-entropy of the automaton's state after t symbols.
template <class T>
T StateLoss(const std::vector<Vector<T>>& hidden, const Vector<T>& W, const Vector<T>& b,
            const Batch& batch, std::size_t s, std::size_t t) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < s; ++i) first += batch.length(i) + 1;
  const auto z = AffineMap(W, b, hidden[t]);
  T sum(0);
  for (const T& value : z) sum += exp(value);
  return log(sum) - z[batch.states[first + t]];
}

// Of string s of a batch, whose hidden vectors are those after 0, …, |w| symbols.
template <class T>
struct TermCase {
  const Weights<T>& w;
  const Batch& batch;
  std::size_t s;
  const std::vector<Vector<T>>& hidden;
};

// The terms of the loss by name: one without a line here fails the test of the catalogue.
template <class T>
const std::map<std::string, T (*)(const TermCase<T>&)>& TermLosses() {
  static const std::map<std::string, T (*)(const TermCase<T>&)> losses = {
      {"lm",
       [](const TermCase<T>& c) {
         if (c.batch.labels[c.s] == 0) return T(0);
         const bool own = c.w.contains("language_model_head.weight");
         return LmLoss(c.hidden, c.w.at(own ? "language_model_head.weight" : "embedding.weight"),
                       own ? c.w.at("language_model_head.bias") : Vector<T>{}, c.batch.string(c.s),
                       c.batch.vocabulary + 1);
       }},
      {"ns",
       [](const TermCase<T>& c) {
         if (c.batch.labels[c.s] == 0) return T(0);
         return NextSymbolLoss(c.hidden, c.w.at("next_symbols_head.weight"),
                               c.w.at("next_symbols_head.bias"), c.batch, c.s);
       }},
      {"st",
       [](const TermCase<T>& c) {
         T loss(0);
         for (std::size_t t = 0; t < c.hidden.size(); ++t) {
           loss += StateLoss(c.hidden, c.w.at("states_head.weight"), c.w.at("states_head.bias"),
                             c.batch, c.s, t) /
                   T(c.hidden.size());
         }
         return loss;
       }},
      {"st_last",
       [](const TermCase<T>& c) {
         return StateLoss(c.hidden, c.w.at("last_states_head.weight"),
                          c.w.at("last_states_head.bias"), c.batch, c.s, c.hidden.size() - 1);
       }},
  };
  return losses;
}

// The mean loss of a batch, and the recognition logits. Dropout's masks are named by position, so
// that those of the symbols do not depend on an EOS after them.
template <class T>
T Loss(const ModelConfig& config, const Weights<T>& w, const Batch& batch,
       std::span<const double> coefficients, const Dropout& dropout, Vector<T>* logits = nullptr) {
  T total(0);
  for (std::size_t s = 0; s < batch.size(); ++s) {
    std::vector<std::uint32_t> string(batch.string(s).begin(), batch.string(s).end());
    // What recognition reads after the string: padding, whose embedding is the last, and EOS.
    const auto options =
        CompleteOptions(*FindArchitecture(config.architecture), config.options, "");
    const auto padding = options.find("padding");
    const auto last =
        static_cast<std::uint32_t>(w.at("embedding.weight").size() / config.hidden - 1);
    if (config.recognizes && padding != options.end()) {
      string.insert(string.end(), std::stoul(padding->second), last);
    }
    if (config.recognizes && config.reads_eos) {
      string.push_back(static_cast<std::uint32_t>(config.vocabulary));
    }
    auto hidden = Hidden<T>(config, w, string, static_cast<std::uint32_t>(s), dropout);
    T loss(0);
    if (config.recognizes) {
      const T logit = AffineMap(w.at("recognition_head.weight"), w.at("recognition_head.bias"),
                                hidden.back())[0];
      if (logits != nullptr) logits->push_back(logit);
      loss = BinaryCrossEntropy(logit, batch.labels[s] != 0);
    }
    hidden.resize(batch.string(s).size() + 1);
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      if (coefficients[i] == 0) continue;
      loss += T(coefficients[i]) * TermLosses<T>().at(config.terms[i])({w, batch, s, hidden});
    }
    total += loss / T(batch.size());
  }
  return total;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_MODEL_H_
