// Recurrent networks with a stack (Joulin, Mikolov 2015; DuSell, Chiang 2023): each layer's
// controller, an RNN or an LSTM, has a stack V of vectors, a superposition of those that its
// actions could have led to.
//
//   h_t = controller(x_t, h_{t−1}), its gates with W_r V_{t−1}[0] added
//   (push, pop, no-op) = softmax(W_a h_t)         v = σ(W_v h_t)
//   V_t[i] = push V_{t−1}[i−1] + pop V_{t−1}[i+1] + no-op V_{t−1}[i],      V_{t−1}[−1] = v
//
// The stack is empty at first, and what is below it is zero.
//
// Of a string of T symbols V_t has at most t elements, and element i cannot come to the top before
// t + i: only the first min(t, T − t) are computed, which changes nothing that is read.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/stack_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/recurrent.h"

namespace flare {
namespace {

// W_r, from the top of the stack to the controller's gates.
ParameterSpec ReadingSpec(const CellContext& c, std::size_t gates, std::size_t width) {
  ParameterSpec spec = c.Matrix("weight_sh", gates);
  spec.shape[1] = width;
  spec.padded_rows = Padded(width);
  return spec;
}

// W_a and W_v: what h says to the stack.
ParameterSpec SignalsSpec(const CellContext& c, std::size_t width) {
  ParameterSpec spec = c.Matrix("weight_hs", 1);
  spec.shape[0] = 3 + width;
  spec.padded_columns = kLanes + Padded(width);
  spec.output_place = [](std::size_t i) { return i < 3 ? i : kLanes + i - 3; };
  return spec;
}

class StackCell : public RecurrentCell {
 public:
  StackCell(const CellContext& c, std::size_t gates, std::unique_ptr<RecurrentCell> controller)
      : units_(OptionNumber(c.options, "stack_width")),
        element_(Padded(units_)),
        controller_(std::move(controller)),
        stack_(controller_->state_widths().size()),
        reading_(c.parameters, ReadingSpec(c, gates, units_), Linear::Result::kAdds),
        signals_(c.parameters, SignalsSpec(c, units_), Linear::Result::kReplaces,
                 Linear::Result::kAdds) {}

  std::vector<std::size_t> state_widths() const override {
    std::vector<std::size_t> widths = controller_->state_widths();
    widths.push_back(0);  // the stack
    return widths;
  }
  std::size_t GrowingWidth(std::size_t longest) const override {
    return std::max<std::size_t>(longest / 2, 1) * element_;
  }
  // The signals, and what was read.
  std::size_t kept_width() const override { return kLanes + 2 * element_; }
  void ParametersChanged() override {
    controller_->ParametersChanged();
    reading_.ParametersChanged();
    signals_.ParametersChanged();
  }

  void Forward(const Step& s) const override {
    const StackShape shape = ShapeOf(s);
    float* signals = s.kept;
    float* read = s.kept + s.rows * shape.signals();
    ReadTops(shape, s.state_prev[stack_], read);
    reading_.Forward(s.rows, read, s.pre);
    controller_->Forward(s);
    if (shape.depth == 0) return;
    signals_.Forward(s.rows, s.h, signals);
    StackForward(shape, s.state_prev[stack_], signals, s.state[stack_]);
  }

  void Backward(const Step& s, const StepGradient& g) override {
    const StackShape shape = ShapeOf(s);
    float* signals = s.kept;
    float* read = s.kept + s.rows * shape.signals();
    float* d_before = g.d_state_prev[stack_];
    if (shape.depth > 0) {
      StackBackward(shape, s.state_prev[stack_], g.d_state[stack_], signals, d_before);
      signals_.Backward(s.rows, s.h, signals, g.dh);
    } else {
      for (std::size_t r = 0; r < s.rows; ++r) {
        std::fill_n(d_before + r * shape.stride, shape.depth_before * element_, 0.0f);
      }
    }
    controller_->Backward(s, g);
    Grow(d_read_, s.rows * element_);
    reading_.Backward(s.rows, read, s.pre, d_read_.data());
    if (shape.depth_before == 0) return;
    for (std::size_t r = 0; r < s.rows; ++r) {
      for (std::size_t j = 0; j < element_; ++j) {
        d_before[r * shape.stride + j] += d_read_[r * element_ + j];
      }
    }
  }

 private:
  StackShape ShapeOf(const Step& s) const {
    const auto depth = [&](std::size_t t) { return std::min(t, s.longest - t); };
    return {.rows = s.rows,
            .units = units_,
            .width = element_,
            .stride = GrowingWidth(s.longest),
            .depth = depth(s.t),
            .depth_before = depth(s.t - 1)};
  }
  void ReadTops(const StackShape& shape, const float* before, float* read) const {
    if (shape.depth_before == 0) {
      std::fill_n(read, shape.rows * element_, 0.0f);
      return;
    }
    for (std::size_t r = 0; r < shape.rows; ++r) {
      std::copy_n(before + r * shape.stride, element_, read + r * element_);
    }
  }

  std::size_t units_, element_;  // of a vector on the stack; the same, padded
  std::unique_ptr<RecurrentCell> controller_;
  std::size_t stack_;  // the stack's index among the states
  Linear reading_, signals_;
  FloatArray d_read_;  // (rows, element)
};

std::unique_ptr<RecurrentCell> MakeStackRnnCell(const CellContext& c) {
  return std::make_unique<StackCell>(c, 1, MakeRnnCell(c));
}
std::unique_ptr<RecurrentCell> MakeStackLstmCell(const CellContext& c) {
  return std::make_unique<StackCell>(c, 4, MakeLstmCell(c));
}

std::unique_ptr<Encoder> MakeStackRnn(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, 1, MakeStackRnnCell, parameters);
}
std::unique_ptr<Encoder> MakeStackLstm(const EncoderConfig& config, Parameters& parameters) {
  return std::make_unique<RecurrentEncoder>(config, 4, MakeStackLstmCell, parameters);
}

Architecture Describe(const char* name, EncoderFactory* make) {
  return {.name = name,
          .make = make,
          .size_step = AnySize,
          .reads_bos = false,
          .arithmetic = "0.2",
          .options = {{.name = "stack_width",
                       .values = {},
                       .least = 1,
                       .most = 256,
                       .default_value = "10",
                       .help = "the size of the vectors on the stack"}}};
}

}  // namespace

Architecture DescribeStackRnn() { return Describe("stack-rnn", MakeStackRnn); }
Architecture DescribeStackLstm() { return Describe("stack-lstm", MakeStackLstm); }

}  // namespace flare
