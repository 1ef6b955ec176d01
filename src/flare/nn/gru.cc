// The gated recurrent unit (Cho et al. 2014), in PyTorch's form with one bias per gate:
//
//   r = σ(W_r [x_t; h_{t−1}] + b_r)        z = σ(W_z [x_t; h_{t−1}] + b_z)
//   n = tanh(W_in x_t + b_n + r ⊙ (W_hn h_{t−1}))
//   h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}
//
// Not in the paper: the example of docs/adding-an-architecture.md.

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/recurrent_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

constexpr std::size_t kGates = 3;

class GruCell : public RecurrentCell {
 public:
  explicit GruCell(const CellContext& c) : RecurrentCell(c, kGates, Linear::Result::kReplaces) {}

  // W_hn h, which the backward pass needs once more.
  bool has_memory() const override { return true; }

  void Forward(std::size_t rows, const float* h_prev, const float*, float* pre, float* h,
               float* candidate) const override {
    Grow(products_, rows * kGates * width_);
    from_state_.Forward(rows, h_prev, products_.data());
    GruForward(rows, width_, bias(), products_.data(), h_prev, pre, candidate, h);
  }

  void Backward(std::size_t rows, const float* h_prev, const float*, const float*,
                const float* candidate, const float* dh, const float*, float* pre, float* dh_prev,
                float*) override {
    Grow(products_, rows * kGates * width_);
    // The state's part of the pre-activations has another gradient than the input's: n's is scaled
    // by r.
    GruBackward(rows, width_, h_prev, candidate, dh, pre, products_.data(), dh_prev);
    from_state_.Backward(rows, h_prev, products_.data(), dh_prev);
    AddColumnSums(rows, kGates * width_, pre, bias_gradient());
  }

 private:
  mutable FloatArray products_;  // (rows, 3·width), of one step
};

}  // namespace

// Embeddings; per layer two matrices and a bias for each gate, and an initial state.
std::size_t CountGru(std::size_t vocabulary, std::size_t layers, std::size_t d) {
  return vocabulary * d + layers * (kGates * (2 * d * d + d) + d);
}

std::unique_ptr<Encoder> MakeGru(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, kGates, MakeCell<GruCell>, parameters);
}

}  // namespace flare
