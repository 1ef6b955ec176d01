// The gated recurrent unit (Cho et al. 2014), in PyTorch's form with one bias per gate:
//
//   r = σ(W_r [x_t; h_{t−1}] + b_r)        z = σ(W_z [x_t; h_{t−1}] + b_z)
//   n = tanh(W_in x_t + b_n + r ⊙ (W_hn h_{t−1}))
//   h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}
//
// Not in the paper: the example of docs/adding-an-architecture.md.

#include <fmt/format.h>

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/elementwise.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

constexpr std::size_t kGates = 3;

class GruCell : public RecurrentCell {
 public:
  explicit GruCell(const CellContext& c)
      : parameters_(c.parameters),
        width_(c.width),
        weights_(c.parameters.Add(MatrixSpec(fmt::format("{}.weight_hh_l{}", c.prefix, c.layer),
                                             kGates * c.hidden, c.hidden, kGates))),
        bias_(c.parameters.Add(
            VectorSpec(fmt::format("{}.bias_l{}", c.prefix, c.layer), kGates * c.hidden, kGates))),
        transposed_(kGates * c.width * c.width),
        product_(kGates * c.width, c.width, c.width, kGates * c.width, kGates * c.width, false),
        gradient_(c.width, kGates * c.width, kGates * c.width, c.width, c.width, true),
        weight_gradient_(kGates * c.width, c.width, c.width, kGates * c.width, kGates * c.width) {}

  std::size_t gates() const override { return kGates; }
  // W_hn h, which the backward pass needs once more.
  bool has_memory() const override { return true; }
  void ParametersChanged() override {
    Transpose(width_, kGates * width_, parameters_.value(weights_), transposed_.data());
  }

  void Forward(std::size_t rows, const float* h_prev, const float*, float* pre, float* h,
               float* candidate) const override {
    Grow(rows);
    product_(rows, h_prev, parameters_.value(weights_), from_state_.data());
    GruForward(rows, width_, parameters_.value(bias_), from_state_.data(), h_prev, pre, candidate,
               h);
  }

  void Backward(std::size_t rows, const float* h_prev, const float*, const float*,
                const float* candidate, const float* dh, const float*, float* pre, float* dh_prev,
                float*) override {
    Grow(rows);
    // The state's part of the pre-activations has another gradient than the input's: n's is scaled
    // by r.
    GruBackward(rows, width_, h_prev, candidate, dh, pre, from_state_.data(), dh_prev);
    gradient_(rows, from_state_.data(), transposed_.data(), dh_prev);
    weight_gradient_(rows, h_prev, from_state_.data(), parameters_.gradient(weights_));
    AddColumnSums(rows, kGates * width_, pre, parameters_.gradient(bias_));
  }

 private:
  void Grow(std::size_t rows) const {
    if (from_state_.size() < rows * kGates * width_) from_state_.resize(rows * kGates * width_);
  }

  Parameters& parameters_;
  std::size_t width_;
  std::size_t weights_, bias_;
  FloatArray transposed_;
  mutable FloatArray from_state_;  // (rows, 3·width), of one step
  Gemm product_, gradient_;
  GemmTransposed weight_gradient_;
};

}  // namespace

// Embeddings; per layer two matrices and a bias for each gate, and an initial state.
std::size_t CountGru(std::size_t vocabulary, std::size_t layers, std::size_t d) {
  return vocabulary * d + layers * (kGates * (2 * d * d + d) + d);
}

std::unique_ptr<Encoder> MakeGru(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(
      config, kGates,
      +[](const CellContext& c) -> std::unique_ptr<RecurrentCell> {
        return std::make_unique<GruCell>(c);
      },
      parameters);
}

}  // namespace flare
