// The LSTM with decoupled gates (paper, Appendix C.2). With x_t the input and h_{t−1} the state:
//
//   i = σ(W_i [x_t; h_{t−1}] + b_i)        f = σ(W_f [x_t; h_{t−1}] + b_f)
//   g = tanh(W_g [x_t; h_{t−1}] + b_g)     o = σ(W_o [x_t; h_{t−1}] + b_o)
//   c_t = f ⊙ c_{t−1} + i ⊙ g              h_t = o ⊙ tanh(c_t)
//
// one bias per gate, c₀ = 0. The four gates of eight units stand side by side, so that one vector
// of each is at hand at once.

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/recurrent_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

constexpr std::size_t kGates = 4;

class LstmCell : public RecurrentCell {
 public:
  explicit LstmCell(const CellContext& c) : RecurrentCell(c, kGates, Linear::Result::kAdds) {}

  bool has_memory() const override { return true; }

  void Forward(std::size_t rows, const float* h_prev, const float* c_prev, float* pre, float* h,
               float* c) const override {
    from_state_.Forward(rows, h_prev, pre);
    LstmForward(rows, width_, bias(), c_prev, pre, c, h);
  }

  void Backward(std::size_t rows, const float* h_prev, const float* c_prev, const float*,
                const float* c, const float* dh, const float* dc, float* pre, float* dh_prev,
                float* dc_prev) override {
    LstmBackward(rows, width_, c, c_prev, dh, dc, pre, dc_prev);
    from_state_.Backward(rows, h_prev, pre, dh_prev);
    AddColumnSums(rows, kGates * width_, pre, bias_gradient());
  }
};

}  // namespace

// Embeddings; per layer two matrices and a bias for each gate, and an initial state.
std::size_t CountLstm(std::size_t vocabulary, std::size_t layers, std::size_t d) {
  return vocabulary * d + layers * (kGates * (2 * d * d + d) + d);
}

std::unique_ptr<Encoder> MakeLstm(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, kGates, MakeCell<LstmCell>, parameters);
}

}  // namespace flare
