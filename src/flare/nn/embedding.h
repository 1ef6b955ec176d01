// The vectors of the tokens that an encoder reads: the symbols, EOS if the loss has a term that
// predicts it by its vector, and BOS and padding for an encoder that reads them.

#ifndef FLARE_NN_EMBEDDING_H_
#define FLARE_NN_EMBEDDING_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "flare/nn/parameters.h"

namespace flare {

class TokenEmbedding {
 public:
  struct Shape {
    std::size_t vocabulary;  // |Σ|
    std::size_t hidden;      // d
    bool eos, bos;
    bool eos_counts = false;  // does EOS's vector count towards a budget? It does if it is read.
    bool padding = false;     // is there a vector for padding?
  };
  // Adds a parameter to `parameters`, which must outlive this: a matrix of (tokens, padded d).
  TokenEmbedding(const Shape& shape, Parameters& parameters);

  std::size_t parameter() const { return parameter_; }
  std::size_t width() const { return width_; }  // d, padded
  // Row a is symbol a; then EOS, BOS and padding.
  const float* table() const { return parameters_.value(parameter_); }
  std::uint32_t bos() const { return bos_; }
  std::uint32_t padding() const { return padding_; }

  // x (tokens, width) = scale · the tokens' vectors.
  void Forward(std::span<const std::uint32_t> tokens, float scale, float* x) const;
  // Adds scale · dx to the gradients of the tokens' vectors.
  void Backward(std::span<const std::uint32_t> tokens, float scale, const float* dx);

 private:
  Parameters& parameters_;
  std::size_t width_;
  std::uint32_t bos_, padding_;
  std::size_t parameter_;
};

}  // namespace flare

#endif  // FLARE_NN_EMBEDDING_H_
