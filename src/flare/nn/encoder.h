// An architecture: turns strings into hidden vectors h₀, …, h_n, and gradients of those back into
// gradients of its parameters. Each one is a file of its own (rnn.cc, lstm.cc, …) and a line in
// architectures.cc.

#ifndef FLARE_NN_ENCODER_H_
#define FLARE_NN_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "flare/base/option.h"
#include "flare/nn/dropout.h"
#include "flare/nn/group.h"
#include "flare/nn/parameters.h"

namespace flare {

struct EncoderConfig {
  std::size_t vocabulary = 0;  // |Σ|
  std::size_t layers = 5;
  std::size_t hidden = 0;      // d, the size of the hidden vectors
  bool embeds_eos = false;     // is there a vector for EOS, after those of the symbols?
  bool reads_eos = false;      // may strings have EOS as their last symbol? Then there is one.
  bool reads_padding = false;  // does recognition read the encoder's padding?
  OptionTexts options = {};    // a value for each of the architecture's
};

class Encoder {
 public:
  virtual ~Encoder() = default;

  // d, padded: the distance between the rows of hidden vectors.
  virtual std::size_t width() const = 0;
  // The input embeddings, a matrix of (rows, width); row a is symbol a, row |Σ| is EOS if there is
  // one.
  virtual std::size_t embedding_parameter() const = 0;
  // The symbols that recognition appends to a string, before EOS if it reads that. Recognition
  // reads the vector after them.
  virtual std::vector<std::uint32_t> padding() const { return {}; }
  // Does a hidden vector depend on how many symbols follow it? Then a prefix is recognized as a
  // string of its own.
  virtual bool knows_length() const { return false; }
  // The most strings and rows that go through together and still fit a core's second-level cache.
  struct GroupLimit {
    std::size_t strings;
    std::size_t rows = std::numeric_limits<std::size_t>::max();
  };
  virtual GroupLimit training_group() const = 0;
  virtual GroupLimit inference_group() const = 0;
  // The bytes that Forward and Backward, and Encode, take for a string of that length.
  virtual double TrainingBytes(std::size_t length) const = 0;
  virtual double EncodingBytes(std::size_t length) const { return TrainingBytes(length); }
  // The longest string that Infer and Encode are meant for.
  virtual std::size_t longest() const { return std::numeric_limits<std::size_t>::max(); }
  // To be called after the parameters changed and before Forward: refreshes what is derived from
  // them.
  virtual void ParametersChanged() = 0;

  // The hidden vectors of a group, (num_rows, width), in the group's order; they stay valid until
  // the next call. If only the last of each string are wanted, the others may be anything: an
  // encoder that need not compute them is free not to.
  enum class Positions { kAll, kLast };
  virtual const float* Forward(const Group& group, const Dropout& dropout, Positions wanted) = 0;
  // Takes the gradient of the hidden vectors, which it may overwrite, zero for those that were not
  // wanted; adds to the gradients of the parameters. Requires: the last call was Forward, with the
  // same group, dropout and positions.
  virtual void Backward(const Group& group, const Dropout& dropout, Positions wanted,
                        float* d_hidden) = 0;

  // Returns the last hidden vector of each string, (num_strings, width), without dropout and
  // without keeping anything for Backward. Valid until the next call.
  virtual const float* Infer(const Group& group) = 0;
  // The same for all hidden vectors, laid out as by Forward.
  virtual const float* Encode(const Group& group) { return Forward(group, {}, Positions::kAll); }
};

}  // namespace flare

#endif  // FLARE_NN_ENCODER_H_
