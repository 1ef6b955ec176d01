#include "flare/nn/embedding.h"

#include "flare/nn/aligned.h"

namespace flare {
namespace {

ParameterSpec TableSpec(const TokenEmbedding::Shape& shape) {
  ParameterSpec spec;
  spec.name = "embedding.weight";
  spec.shape = {
      shape.vocabulary + (shape.eos ? 1 : 0) + (shape.bos ? 1 : 0) + (shape.padding ? 1 : 0),
      shape.hidden};
  if (shape.eos && !shape.eos_counts) spec.uncounted = shape.hidden;
  spec.padded_rows = spec.shape[0];
  spec.padded_columns = Padded(shape.hidden);
  return spec;
}

}  // namespace

TokenEmbedding::TokenEmbedding(const Shape& shape, Parameters& parameters)
    : parameters_(parameters),
      width_(Padded(shape.hidden)),
      bos_(static_cast<std::uint32_t>(shape.vocabulary + (shape.eos ? 1 : 0))),
      padding_(bos_ + (shape.bos ? 1 : 0)),
      parameter_(parameters.Add(TableSpec(shape))) {}

void TokenEmbedding::Forward(std::span<const std::uint32_t> tokens, float scale, float* x) const {
  for (std::size_t r = 0; r < tokens.size(); ++r) {
    const float* row = table() + tokens[r] * width_;
    for (std::size_t j = 0; j < width_; ++j) x[r * width_ + j] = scale * row[j];
  }
}

void TokenEmbedding::Backward(std::span<const std::uint32_t> tokens, float scale, const float* dx) {
  float* d_table = parameters_.gradient(parameter_);
  for (std::size_t r = 0; r < tokens.size(); ++r) {
    float* d_row = d_table + tokens[r] * width_;
    for (std::size_t j = 0; j < width_; ++j) d_row[j] += scale * dx[r * width_ + j];
  }
}

}  // namespace flare
