// The simple RNN (paper, Appendix C.1):
//
//   h_t = tanh(W_ih x_t + W_hh h_{t−1} + b)      with one bias per layer.

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/recurrent_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

class RnnCell : public RecurrentCell {
 public:
  explicit RnnCell(const CellContext& c) : RecurrentCell(c, 1, Linear::Result::kAdds) {}

  bool has_memory() const override { return false; }

  void Forward(std::size_t rows, const float* h_prev, const float*, float* pre, float* h,
               float*) const override {
    from_state_.Forward(rows, h_prev, pre);
    TanhForward(rows, width_, bias(), pre, h);
  }

  void Backward(std::size_t rows, const float* h_prev, const float*, const float* h, const float*,
                const float* dh, const float*, float* pre, float* dh_prev, float*) override {
    TanhBackward(rows * width_, h, dh, pre);
    from_state_.Backward(rows, h_prev, pre, dh_prev);
    AddColumnSums(rows, width_, pre, bias_gradient());
  }
};

}  // namespace

// Embeddings; per layer two matrices, a bias and an initial state.
std::size_t CountRnn(std::size_t vocabulary, std::size_t layers, std::size_t d) {
  return vocabulary * d + layers * (2 * d * d + 2 * d);
}

std::unique_ptr<Encoder> MakeRnn(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, 1, MakeCell<RnnCell>, parameters);
}

}  // namespace flare
