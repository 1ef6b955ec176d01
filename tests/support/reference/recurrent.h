// The recurrent skeleton and its cells.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_RECURRENT_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_RECURRENT_H_

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "flare/nn/model.h"
#include "support/reference/basics.h"
#include "support/reference/stack.h"

namespace flare::reference {

// One step of the sLSTM as it is defined, without the stabilizer. Unit j of W_hh (4d, d/heads) sees
// the h of its own head.
template <class T>
void SLstmStep(const Vector<T>& from_x, const Vector<T>& W_hh, Vector<T>& h, Vector<T>& c,
               Vector<T>& normalizer) {
  const std::size_t d = h.size(), dims = W_hh.size() / (4 * d);
  const Vector<T> before = h;
  for (std::size_t j = 0; j < d; ++j) {
    const auto pre = [&](std::size_t gate) {
      T sum = from_x[gate * d + j];
      for (std::size_t k = 0; k < dims; ++k) {
        sum += W_hh[(gate * d + j) * dims + k] * before[j / dims * dims + k];
      }
      return sum;
    };
    const T i = exp(pre(0)), f = Sigmoid(pre(1)), z = tanh(pre(2)), o = Sigmoid(pre(3));
    c[j] = f * c[j] + i * z;
    normalizer[j] = f * normalizer[j] + i;
    h[j] = o * c[j] / normalizer[j];
  }
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
    for (T& value : h) value = tanh(value);
    Vector<T> c(d, T(0)), normalizer(d, T(0));
    const bool has_stack = w.contains("rnn.weight_sh" + suffix);
    const auto stack_width = [&] { return w.at("rnn.weight_sh" + suffix).size() / b.size(); };
    Stack<T> stack(has_stack ? stack_width() : 0);
    std::vector<Vector<T>> output(n + 1);
    const auto site = static_cast<std::uint32_t>(l + 1);
    output[0] = Drop(h, dropout, site, id, 0);
    for (std::size_t t = 1; t <= n; ++t) {
      Vector<T> from_x = AffineMap(W_ih, b, input[t]);
      if (has_stack) {
        const Vector<T> read = AffineMap(w.at("rnn.weight_sh" + suffix), {}, stack.top());
        for (std::size_t j = 0; j < from_x.size(); ++j) from_x[j] += read[j];
      }
      if (config.architecture == "slstm") {
        SLstmStep(from_x, W_hh, h, c, normalizer);
      } else {
        const Vector<T> from_h = AffineMap(W_hh, {}, h);
        if (config.architecture == "rnn" || config.architecture == "stack-rnn") {
          for (std::size_t j = 0; j < d; ++j) h[j] = tanh(from_x[j] + from_h[j]);
        } else if (config.architecture == "gru") {
          for (std::size_t j = 0; j < d; ++j) {
            const T r = Sigmoid(from_x[j] + from_h[j]), z = Sigmoid(from_x[d + j] + from_h[d + j]);
            const T candidate = tanh(from_x[2 * d + j] + r * from_h[2 * d + j]);
            h[j] = (1 - z) * candidate + z * h[j];
          }
        } else if (config.architecture == "lstm" || config.architecture == "stack-lstm") {
          for (std::size_t j = 0; j < d; ++j) {
            const auto pre = [&](std::size_t gate) {
              return from_x[gate * d + j] + from_h[gate * d + j];
            };
            const T i = Sigmoid(pre(0)), f = Sigmoid(pre(1)), g = tanh(pre(2)), o = Sigmoid(pre(3));
            c[j] = f * c[j] + i * g;
            h[j] = o * tanh(c[j]);
          }
        } else {
          ThrowNoReference(config.architecture);
        }
      }
      if (has_stack) stack.Update(AffineMap(w.at("rnn.weight_hs" + suffix), {}, h));
      output[t] = Drop(h, dropout, site, id, t);
    }
    input = output;
  }
  return input;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_RECURRENT_H_
