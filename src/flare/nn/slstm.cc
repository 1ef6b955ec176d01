// The sLSTM of xLSTM (Beck et al. 2024), with memory mixing within heads: R below is
// block-diagonal, a unit sees the h of its own head.
//
//   i = exp(W_i x_t + R_i h_{t−1} + b_i)     f = σ(W_f x_t + R_f h_{t−1} + b_f)
//   z = tanh(W_z x_t + R_z h_{t−1} + b_z)    o = σ(W_o x_t + R_o h_{t−1} + b_o)
//   c_t = f ⊙ c_{t−1} + i ⊙ z                n_t = f ⊙ n_{t−1} + i
//   h_t = o ⊙ c_t/n_t
//
// from c₀ = n₀ = 0. i may be huge: what is computed is c exp(−m) and n exp(−m) for
// m_t = max(log f + m_{t−1}, log i), m₁ = log i, on which h does not depend.
//
// R is kept as a whole matrix whose other blocks are zero and stay zero: one product of all heads
// is faster than several small ones.
//
// Initialization: b_f of unit j of a head of D units, in layer l of L, is
// 5 − 12 (j/(D−1))^(0.3 + 1.3 l/(L−1)), as in the source: memories from long to short; the rest as
// everywhere. With init = reference, as in the source, R and the other biases are 0.

#include <cmath>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/slstm_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/parameters.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

constexpr std::size_t kSlstmGates = 4;
enum State : std::size_t { kC, kN, kM };

std::size_t HeadSize(const CellContext& c) { return c.hidden / OptionNumber(c.options, "heads"); }

// R, {4d, d/H} in PyTorch: row (gate, unit) has the weights of the units of its own head.
ParameterSpec BlockDiagonal(const CellContext& c) {
  ParameterSpec spec = ReferenceConstant(c.Matrix("weight_hh", kSlstmGates), 0);
  const std::size_t dims = HeadSize(c), hidden = c.hidden, columns = spec.padded_columns;
  spec.shape = {kSlstmGates * hidden, dims};
  spec.element_place = [=, output = spec.output_place](std::size_t row, std::size_t column) {
    const std::size_t unit = row % hidden;
    return (unit / dims * dims + column) * columns + output(row);
  };
  return spec;
}

ParameterSpec Bias(const CellContext& c) {
  ParameterSpec spec = c.Vector("bias", kSlstmGates);
  const std::size_t dims = HeadSize(c), hidden = c.hidden;
  const double depth =
      c.layers == 1 ? 0 : static_cast<double>(c.layer) / static_cast<double>(c.layers - 1);
  const auto forget = [=](std::size_t i) {
    const std::size_t unit = i % hidden % dims;
    const double along = dims == 1 ? 0 : static_cast<double>(unit) / static_cast<double>(dims - 1);
    return 5 - 12 * std::pow(along, 0.3 + 1.3 * depth);
  };
  spec.Draw(
      [=](std::size_t i, Rng& rng) { return i / hidden == 1 ? forget(i) : DrawUniform(rng); });
  spec.reference = [=](std::size_t i, Rng&) { return i / hidden == 1 ? forget(i) : 0; };
  return spec;
}

class SLstmCell : public GatedCell {
 public:
  explicit SLstmCell(const CellContext& c)
      : GatedCell(c, kSlstmGates, Linear::Result::kAdds, BlockDiagonal(c), Bias(c)),
        parameters_(c.parameters),
        hidden_(c.hidden),
        dims_(HeadSize(c)) {}

  std::vector<std::size_t> state_widths() const override { return {width_, width_, width_}; }
  std::size_t kept_width() const override { return width_; }  // σ(−f̃)

  void Forward(const Step& s) const override {
    from_state_.Forward(s.rows, s.h_prev, s.pre);
    SLstmForward(s.rows, width_, bias(), Of(s.state_prev), s.pre, Of(s.state), s.kept, s.h);
  }

  void Backward(const Step& s, const StepGradient& g) override {
    SLstmBackward(s.rows, width_, Of(s.state_prev), Of(s.state), s.kept, g.dh, Of(g.d_state), s.pre,
                  Of(g.d_state_prev));
    from_state_.Backward(s.rows, s.h_prev, s.pre, g.dh_prev);
    AddColumnSums(s.rows, kSlstmGates * width_, s.pre, bias_gradient());
  }

  // Blocks other than those of heads are not parameters.
  void FinishBackward() override {
    float* gradient = parameters_.gradient(from_state_.weights());
    for (std::size_t input = 0; input < hidden_; ++input) {
      const std::size_t first = input / dims_ * dims_;
      for (std::size_t unit = 0; unit < width_; ++unit) {
        if (first <= unit && unit < first + dims_) continue;
        for (std::size_t gate = 0; gate < kSlstmGates; ++gate) {
          const std::size_t column =
              kLanes * (kSlstmGates * (unit / kLanes) + gate) + unit % kLanes;
          gradient[input * kSlstmGates * width_ + column] = 0;
        }
      }
    }
  }

 private:
  static SLstmState Of(const RowArrays::Rows& state) { return {state[kC], state[kN], state[kM]}; }

  Parameters& parameters_;
  std::size_t hidden_, dims_;  // units, of a head
};

std::unique_ptr<Encoder> MakeSLstm(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, kSlstmGates, MakeCell<SLstmCell>, parameters);
}

std::size_t EqualHeads(const OptionTexts& options) { return OptionNumber(options, "heads"); }

}  // namespace

Architecture DescribeSLstm() {
  return {.name = "slstm",
          .make = MakeSLstm,
          .size_step = EqualHeads,
          .reads_bos = false,
          .arithmetic = "0.2",
          .options = {HeadsOption("4")}};
}

}  // namespace flare
