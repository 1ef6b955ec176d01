// The simple RNN (paper, Appendix C.1):
//
//   h_t = tanh(W_ih x_t + W_hh h_{t−1} + b)      with one bias per layer.

#include <fmt/format.h>

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/elementwise.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

class RnnCell : public RecurrentCell {
 public:
  explicit RnnCell(const CellContext& c)
      : parameters_(c.parameters),
        width_(c.width),
        weights_(c.parameters.Add(
            MatrixSpec(fmt::format("{}.weight_hh_l{}", c.prefix, c.layer), c.hidden, c.hidden))),
        bias_(
            c.parameters.Add(VectorSpec(fmt::format("{}.bias_l{}", c.prefix, c.layer), c.hidden))),
        transposed_(c.width * c.width),
        product_(c.width, c.width, c.width, c.width, c.width, true),
        weight_gradient_(c.width, c.width, c.width, c.width, c.width) {}

  std::size_t gates() const override { return 1; }
  bool has_memory() const override { return false; }
  void ParametersChanged() override {
    Transpose(width_, width_, parameters_.value(weights_), transposed_.data());
  }

  void Forward(std::size_t rows, const float* h_prev, const float*, float* pre, float* h,
               float*) const override {
    product_(rows, h_prev, parameters_.value(weights_), pre);
    TanhForward(rows, width_, parameters_.value(bias_), pre, h);
  }

  void Backward(std::size_t rows, const float* h_prev, const float*, const float* h, const float*,
                const float* dh, const float*, float* pre, float* dh_prev, float*) override {
    TanhBackward(rows * width_, h, dh, pre);
    product_(rows, pre, transposed_.data(), dh_prev);
    weight_gradient_(rows, h_prev, pre, parameters_.gradient(weights_));
    AddColumnSums(rows, width_, pre, parameters_.gradient(bias_));
  }

 private:
  Parameters& parameters_;
  std::size_t width_;
  std::size_t weights_, bias_;
  FloatArray transposed_;
  Gemm product_;
  GemmTransposed weight_gradient_;
};

}  // namespace

// Embeddings; per layer two matrices, a bias and an initial state.
std::size_t CountRnn(std::size_t vocabulary, std::size_t layers, std::size_t d) {
  return vocabulary * d + layers * (2 * d * d + 2 * d);
}

std::unique_ptr<Encoder> MakeRnn(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(
      config, 1,
      +[](const CellContext& c) -> std::unique_ptr<RecurrentCell> {
        return std::make_unique<RnnCell>(c);
      },
      parameters);
}

}  // namespace flare
