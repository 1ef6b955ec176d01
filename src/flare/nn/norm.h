// Norms, with what Backward needs.

#ifndef FLARE_NN_NORM_H_
#define FLARE_NN_NORM_H_

#include <cstddef>
#include <string>
#include <utility>

#include "flare/nn/aligned.h"
#include "flare/nn/kernels/head_kernels.h"
#include "flare/nn/kernels/transformer_kernels.h"
#include "flare/nn/parameters.h"

namespace flare {

// A layer norm.
class Norm {
 public:
  Norm(Parameters& parameters, const std::string& name, std::size_t d)
      : parameters_(parameters), d_(d) {
    ParameterSpec gain = VectorSpec(name + ".weight", d);
    gain.initialization = Initialization::kOne;
    gain_ = parameters.Add(gain);
    ParameterSpec bias = VectorSpec(name + ".bias", d);
    bias.initialization = Initialization::kZero;
    bias_ = parameters.Add(bias);
  }
  void Resize(std::size_t rows) {
    Grow(normalized_, rows * d_);
    Grow(deviation_, rows);
  }
  void Forward(std::size_t rows, const float* x, float* y) {
    LayerNormForward(rows, d_, parameters_.value(gain_), parameters_.value(bias_), x,
                     normalized_.data(), deviation_.data(), y);
  }
  // dx += ...
  void Backward(std::size_t rows, const float* dy, float* dx) {
    LayerNormBackward(rows, d_, parameters_.value(gain_), normalized_.data(), deviation_.data(), dy,
                      parameters_.gradient(gain_), parameters_.gradient(bias_), dx);
  }

 private:
  Parameters& parameters_;
  std::size_t d_;
  std::size_t gain_, bias_;
  FloatArray normalized_;  // (rows, d)
  FloatArray deviation_;   // (rows): 1/√(var + ε)
};

// Maps PyTorch's unit i of vectors of heads · dims units, side by side, to its place among ours.
inline ParameterSpec::Place HeadPlaces(const HeadLayout& layout) {
  return [layout](std::size_t i) {
    const std::size_t d = layout.heads * layout.dims;
    return i / d * layout.width() + layout.Place(i % d);
  };
}

// Returns the spec of a matrix that reads one such vector.
inline ParameterSpec ReadsHeads(ParameterSpec spec, const HeadLayout& layout) {
  spec.padded_rows = layout.width();
  spec.input_place = HeadPlaces(layout);
  return spec;
}

// A norm within each head of an output, with a gain per unit, and what Backward needs.
class HeadNorm {
 public:
  HeadNorm(Parameters& parameters, const std::string& name, const HeadLayout& layout, bool centred)
      : parameters_(parameters), layout_(layout), centred_(centred) {
    ParameterSpec gain = VectorSpec(name + ".weight", layout.heads * layout.dims);
    gain.initialization = Initialization::kOne;
    gain.padded_columns = layout.width();
    gain.output_place = HeadPlaces(layout);
    gain_ = parameters.Add(std::move(gain));
  }
  // Returns the width of what a row keeps: the normalized vector, and a factor per head.
  std::size_t kept_width() const { return layout_.width(); }
  std::size_t factors() const { return layout_.heads; }

  void Forward(std::size_t rows, const float* x, float* normalized, float* factor, float* y) const {
    HeadNormForward(rows, layout_, centred_, parameters_.value(gain_), x, normalized, factor, y);
  }
  void Backward(std::size_t rows, const float* normalized, const float* factor, const float* dy,
                float* dx) {
    HeadNormBackward(rows, layout_, centred_, parameters_.value(gain_), normalized, factor, dy,
                     parameters_.gradient(gain_), dx);
  }

 private:
  Parameters& parameters_;
  HeadLayout layout_;
  bool centred_;  // is the mean taken out, as a layer norm does?
  std::size_t gain_;
};

}  // namespace flare

#endif  // FLARE_NN_NORM_H_
