// A mixer lets a position of a string look at those before it. It is the part of a residual layer
// that distinguishes one architecture from another (attention, a selective scan, a fast-weight
// memory).
// The rest of the layer is in residual.h. Rows are string-major: the positions of a string lie side
// by side.
//
// Shapes are given in these letters:
//   R  rows: the positions of all strings of a group
//   Q  those of them that a layer has an output for, R or one per string
//   d  the size of the hidden vectors

#ifndef FLARE_NN_MIXER_H_
#define FLARE_NN_MIXER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "flare/nn/dropout.h"
#include "flare/nn/output_rows.h"
#include "flare/nn/parameters.h"
#include "flare/nn/row_arrays.h"

namespace flare {

// What a mixer needs to make its parameters and products.
struct MixerContext {
  Parameters& parameters;
  const OptionTexts& options;
  std::string prefix;  // begins its parameters' names
  std::size_t layer, layers;
  std::size_t d;

  // Blocks of all layers that add to the residual stream: mixers and feed-forward blocks.
  std::size_t blocks() const { return layers * (options.at("feed_forward") == "0" ? 1 : 2); }
  ParameterSpec Matrix(const std::string& name, std::size_t out, std::size_t in) const {
    return MatrixSpec(prefix + name, out, in);
  }
  ParameterSpec Vector(const std::string& name, std::size_t size) const {
    return VectorSpec(prefix + name, size);
  }
};

// One layer's mixer.
class Mixer {
 public:
  virtual ~Mixer() = default;

  // Call this after the parameters changed and before Forward.
  virtual void ParametersChanged() = 0;
  // The widths of what Forward computes of every row, and leaves to Backward.
  virtual std::vector<std::size_t> kept_widths() const = 0;
  // The widths of what Backward needs room for.
  virtual std::vector<std::size_t> scratch_widths() const = 0;
  // Bytes besides these: what Forward keeps for a string of that many positions, and what all
  // layers share.
  virtual double KeptBytes(std::size_t) const { return 0; }
  virtual double SharedBytes(std::size_t) const { return 0; }
  // Are the causal pairs to be named, for dropout?
  virtual bool names_pairs() const { return false; }

  struct Pass {
    const OutputRows& outputs;
    const Dropout& dropout;
    std::uint32_t site;              // names the mixer's own dropout
    bool training;                   // does Backward follow?
    const std::uint32_t* positions;  // (R)
    RowArrays::Rows kept, scratch;

    std::size_t rows() const { return outputs.num_rows; }
  };
  // Computes out (Q, d) from x (R, d), still without bias().
  virtual void Forward(const Pass& pass, const float* x, float* out) = 0;
  // Computes dx (R, d) from d_out (Q, d), and adds to the parameters' gradients.
  virtual void Backward(const Pass& pass, const float* x, const float* d_out, float* dx) = 0;
  // (d), or null if there is none.
  virtual const float* bias() const { return nullptr; }
};

using MixerFactory = std::unique_ptr<Mixer>(const MixerContext&);
template <class M>
std::unique_ptr<Mixer> MakeMixer(const MixerContext& c) {
  return std::make_unique<M>(c);
}

}  // namespace flare

#endif  // FLARE_NN_MIXER_H_
