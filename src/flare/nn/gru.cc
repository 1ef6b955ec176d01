// The gated recurrent unit (Cho et al. 2014), in PyTorch's form with one bias per gate:
//
//   r = σ(W_r [x_t; h_{t−1}] + b_r)        z = σ(W_z [x_t; h_{t−1}] + b_z)
//   n = tanh(W_in x_t + b_n + r ⊙ (W_hn h_{t−1}))
//   h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}
//
// Not in the paper: the example of docs/how-to/adding-an-architecture.md.

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/recurrent_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

constexpr std::size_t kGruGates = 3;

class GruCell : public GatedCell {
 public:
  explicit GruCell(const CellContext& c) : GatedCell(c, kGruGates, Linear::Result::kReplaces) {}

  std::size_t kept_width() const override { return width_; }  // W_hn h_{t−1}

  void Forward(const Step& s) const override {
    Grow(products_, s.rows * kGruGates * width_);
    from_state_.Forward(s.rows, s.h_prev, products_.data());
    GruForward(s.rows, width_, bias(), products_.data(), s.h_prev, s.pre, s.kept, s.h);
  }

  void Backward(const Step& s, const StepGradient& g) override {
    Grow(products_, s.rows * kGruGates * width_);
    // The state's part of the pre-activations has a different gradient from the input's: n's is
    // scaled by r.
    GruBackward(s.rows, width_, s.h_prev, s.kept, g.dh, s.pre, products_.data(), g.dh_prev);
    from_state_.Backward(s.rows, s.h_prev, products_.data(), g.dh_prev);
    AddColumnSums(s.rows, kGruGates * width_, s.pre, bias_gradient());
  }

 private:
  mutable FloatArray products_;  // (rows, 3·width), of one step
};

std::unique_ptr<Encoder> MakeGru(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, kGruGates, MakeCell<GruCell>, parameters);
}

}  // namespace

Architecture DescribeGru() {
  return {.name = "gru",
          .make = MakeGru,
          .size_step = AnySize,
          .reads_bos = false,
          .arithmetic = "0.2"};
}

}  // namespace flare
