// The LSTM with decoupled gates (paper, Appendix C.2). With x_t the input and h_{t−1} the state:
//
//   i = σ(W_i [x_t; h_{t−1}] + b_i)        f = σ(W_f [x_t; h_{t−1}] + b_f)
//   g = tanh(W_g [x_t; h_{t−1}] + b_g)     o = σ(W_o [x_t; h_{t−1}] + b_o)
//   c_t = f ⊙ c_{t−1} + i ⊙ g              h_t = o ⊙ tanh(c_t)
//
// one bias per gate, c₀ = 0. The four gates of eight units are side by side, so that one vector
// of each is at hand at once.

#include "flare/nn/architectures.h"
#include "flare/nn/controllers.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/recurrent_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

constexpr std::size_t kLstmGates = 4;

class LstmCell : public GatedCell {
 public:
  explicit LstmCell(const CellContext& c) : GatedCell(c, kLstmGates, Linear::Result::kAdds) {}

  std::vector<std::size_t> state_widths() const override { return {width_}; }  // c

  void Forward(const Step& s) const override {
    from_state_.Forward(s.rows, s.h_prev, s.pre);
    LstmForward(s.rows, width_, bias(), s.state_prev[0], s.pre, s.state[0], s.h);
  }

  void Backward(const Step& s, const StepGradient& g) override {
    LstmBackward(s.rows, width_, s.state[0], s.state_prev[0], g.dh, g.d_state[0], s.pre,
                 g.d_state_prev[0]);
    from_state_.Backward(s.rows, s.h_prev, s.pre, g.dh_prev);
    AddColumnSums(s.rows, kLstmGates * width_, s.pre, bias_gradient());
  }
};

std::unique_ptr<Encoder> MakeLstm(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, kLstmGates, MakeCell<LstmCell>, parameters);
}

}  // namespace

std::unique_ptr<RecurrentCell> MakeLstmCell(const CellContext& context) {
  return std::make_unique<LstmCell>(context);
}

Architecture DescribeLstm() {
  return {.name = "lstm",
          .make = MakeLstm,
          .size_step = AnySize,
          .reads_bos = false,
          .arithmetic = "0.2"};
}

}  // namespace flare
