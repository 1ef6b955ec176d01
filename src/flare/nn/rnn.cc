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

class RnnCell : public GatedCell {
 public:
  explicit RnnCell(const CellContext& c) : GatedCell(c, 1, Linear::Result::kAdds) {}

  void Forward(const Step& s) const override {
    from_state_.Forward(s.rows, s.h_prev, s.pre);
    TanhForward(s.rows, width_, bias(), s.pre, s.h);
  }

  void Backward(const Step& s, const StepGradient& g) override {
    TanhBackward(s.rows * width_, s.h, g.dh, s.pre);
    from_state_.Backward(s.rows, s.h_prev, s.pre, g.dh_prev);
    AddColumnSums(s.rows, width_, s.pre, bias_gradient());
  }
};

std::unique_ptr<Encoder> MakeRnn(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, 1, MakeCell<RnnCell>, parameters);
}

}  // namespace

std::unique_ptr<RecurrentCell> MakeRnnCell(const CellContext& context) {
  return std::make_unique<RnnCell>(context);
}

Architecture DescribeRnn() {
  return {.name = "rnn",
          .make = MakeRnn,
          .size_step = AnySize,
          .reads_bos = false,
          .arithmetic = "0.2"};
}

}  // namespace flare
