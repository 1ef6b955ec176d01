// The LSTM with decoupled gates (paper, Appendix C.2). With x_t the input and h_{t−1} the state:
//
//   i = σ(W_i [x_t; h_{t−1}] + b_i)        f = σ(W_f [x_t; h_{t−1}] + b_f)
//   g = tanh(W_g [x_t; h_{t−1}] + b_g)     o = σ(W_o [x_t; h_{t−1}] + b_o)
//   c_t = f ⊙ c_{t−1} + i ⊙ g              h_t = o ⊙ tanh(c_t)
//
// one bias per gate, c₀ = 0. The four gates of eight units are side by side, so that one vector
// of each is at hand at once.

#include <vector>

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/recurrent_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

constexpr std::size_t kLstmGates = 4;

class LstmCell : public GatedCell {
 public:
  // `gathers`: do states and `pre` stay where they are until FinishBackward?
  LstmCell(const CellContext& c, bool gathers)
      : GatedCell(c, kLstmGates, Linear::Result::kAdds), gathers_(gathers) {}

  std::vector<std::size_t> state_widths() const override { return {width_}; }  // c

  void Forward(const Step& s) const override {
    from_state_.Forward(s.rows, s.h_prev, s.pre);
    LstmForward(s.rows, width_, bias(), s.state_prev[0], s.pre, s.state[0], s.h);
  }

  void Backward(const Step& s, const StepGradient& g) override {
    LstmBackward(s.rows, width_, s.state[0], s.state_prev[0], g.dh, g.d_state[0], s.pre,
                 g.d_state_prev[0]);
    if (gathers_ && from_state_.IsLarge()) {
      from_state_.InputGradient(s.rows, s.pre, g.dh_prev);
      steps_.push_back({s.rows, s.h_prev, s.pre});
    } else {
      from_state_.Backward(s.rows, s.h_prev, s.pre, g.dh_prev);
    }
    AddColumnSums(s.rows, kLstmGates * width_, s.pre, bias_gradient());
  }
  void FinishBackward() override {
    if (!steps_.empty()) from_state_.WeightGradient(steps_);
    steps_.clear();
  }

 private:
  const bool gathers_;
  std::vector<RowsOfBoth> steps_;  // their gradient of the weights is still to be added
};

class LayersLstmCell : public LstmCell {
 public:
  explicit LayersLstmCell(const CellContext& c) : LstmCell(c, true) {}
};

std::unique_ptr<Encoder> MakeLstm(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, kLstmGates, MakeCell<LayersLstmCell>,
                                            parameters);
}

}  // namespace

std::unique_ptr<RecurrentCell> MakeLstmCell(const CellContext& context) {
  return std::make_unique<LstmCell>(context, false);
}

Architecture DescribeLstm() {
  return {.name = "lstm",
          .make = MakeLstm,
          .size_step = AnySize,
          .reads_bos = false,
          .arithmetic = "0.2"};
}

}  // namespace flare
