// The part that recurrent architectures share (paper, Appendices C.1 and C.2): embeddings, layers,
// dropout between them, learned initial states, and the walk through time. A cell supplies the
// step.
//
// Notation: W is the padded hidden width, G·W the width of a cell's pre-activations. The products
// with the inputs of a layer do not depend on each other in time and are done at once, for all rows
// of the group; the products with the previous state are done step by step.

#ifndef FLARE_NN_RECURRENT_H_
#define FLARE_NN_RECURRENT_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/embedding.h"
#include "flare/nn/encoder.h"
#include "flare/nn/linear.h"
#include "flare/nn/row_arrays.h"

namespace flare {

// What a cell needs to make its parameters and products.
struct CellContext {
  Parameters& parameters;
  const OptionTexts& options;
  std::size_t layer, layers;
  std::size_t hidden, width;

  // The parameters of this layer, by PyTorch's names, for this many gates.
  ParameterSpec Matrix(const char* name, std::size_t gates) const;
  ParameterSpec Vector(const char* name, std::size_t gates) const;
};

// One layer's cell. Rows are those of one step; the previous step's rows of the same strings come
// first in their block.
class RecurrentCell {
 public:
  virtual ~RecurrentCell() = default;

  // The widths of what a step leaves to the next besides h, such as a memory cell. All of it is
  // zero before the first step.
  virtual std::vector<std::size_t> state_widths() const { return {}; }
  // The last of these widths if it grows with the longest of the strings, as a stack does; in the
  // list it is then 0.
  virtual std::size_t GrowingWidth(std::size_t longest) const {
    static_cast<void>(longest);
    return 0;
  }
  // The width of what Forward leaves to Backward besides h, the state and `pre`.
  virtual std::size_t kept_width() const { return 0; }

  struct Step {
    std::size_t t, longest;  // the step, from 1, and the length of the longest string
    std::size_t rows;
    const float* h_prev;  // (rows, W)
    RowArrays::Rows state_prev;
    float* pre;  // (rows, G·W)
    float* h;    // (rows, W)
    RowArrays::Rows state;
    float* kept;  // (rows, kept width)
  };
  struct StepGradient {
    float* dh;
    RowArrays::Rows d_state;
    float* dh_prev;
    RowArrays::Rows d_state_prev;
  };
  // `pre` holds the inputs' part of the pre-activations; adds the part of h_prev, and computes h
  // and the state. What it leaves in `pre`, Backward gets back.
  virtual void Forward(const Step& step) const = 0;
  // Computes the gradient of the pre-activations, which replaces `pre`, from those of h and the
  // state. Adds to dh_prev, sets d_state_prev, and adds to the parameters' gradients. May overwrite
  // dh.
  virtual void Backward(const Step& step, const StepGradient& gradient) = 0;
  // Called when Backward has been through all steps.
  virtual void FinishBackward() {}
  virtual void ParametersChanged() = 0;
};

// What most cells have: a matrix for the previous h and a bias, of G gates.
class GatedCell : public RecurrentCell {
 public:
  // `state_product`: is the product with the previous state added to what is there?
  GatedCell(const CellContext& c, std::size_t gates, Linear::Result state_product)
      : GatedCell(c, gates, state_product, c.Matrix("weight_hh", gates), c.Vector("bias", gates)) {}
  GatedCell(const CellContext& c, std::size_t gates, Linear::Result state_product,
            ParameterSpec state_matrix, ParameterSpec bias)
      : width_(c.width),
        gates_(gates),
        from_state_(c.parameters, std::move(state_matrix), state_product, Linear::Result::kAdds),
        parameters_(c.parameters),
        bias_(c.parameters.Add(std::move(bias))) {}
  void ParametersChanged() override { from_state_.ParametersChanged(); }

 protected:
  const float* bias() const { return parameters_.value(bias_); }
  float* bias_gradient() { return parameters_.gradient(bias_); }

  const std::size_t width_;  // W
  const std::size_t gates_;  // G
  Linear from_state_;

 private:
  Parameters& parameters_;
  std::size_t bias_;
};

using CellFactory = std::unique_ptr<RecurrentCell>(const CellContext&);
template <class Cell>
std::unique_ptr<RecurrentCell> MakeCell(const CellContext& c) {
  return std::make_unique<Cell>(c);
}

// The cells of rnn.cc and lstm.cc, for cells that add something to them.
std::unique_ptr<RecurrentCell> MakeRnnCell(const CellContext& context);
std::unique_ptr<RecurrentCell> MakeLstmCell(const CellContext& context);

class RecurrentEncoder : public Encoder {
 public:
  // `gates` is the cell's G. Parameters are added to `parameters`, which must outlive the encoder.
  RecurrentEncoder(const EncoderConfig& config, std::size_t gates, CellFactory* make_cell,
                   Parameters& parameters);

  std::size_t width() const override { return width_; }
  std::size_t embedding_parameter() const override { return embedding_.parameter(); }
  // States that grow leave room for fewer strings.
  GroupLimit training_group() const override {
    return state_grows_ ? GroupLimit{8, 2048} : GroupLimit{32, 2048};
  }
  GroupLimit inference_group() const override {
    return state_grows_ ? GroupLimit{32, 20'000} : GroupLimit{32};
  }
  // If the state grows, time grows with the square of the length.
  std::size_t longest() const override {
    return state_grows_ ? 100'000 : std::numeric_limits<std::size_t>::max();
  }
  double TrainingBytes(std::size_t length) const override;
  double EncodingBytes(std::size_t length) const override;
  void ParametersChanged() override;
  // Every step needs the one before: nothing is saved if only the last is wanted.
  const float* Forward(const Group& group, const Dropout& dropout, Positions) override;
  void Backward(const Group& group, const Dropout& dropout, Positions, float* d_hidden) override;
  // Goes through all layers a few steps at a time, so that neither memory nor the number of strings
  // that fit the cache depends on their length.
  const float* Infer(const Group& group) override;
  // Works as Infer does if the state grows with the strings.
  const float* Encode(const Group& group) override;

 private:
  struct Layer {
    // Not an aggregate: clang 14, and so clang-tidy, does not make those in place.
    Layer(Linear linear, std::size_t initial, std::unique_ptr<RecurrentCell> made)
        : from_input(std::move(linear)),
          initial_state(initial),
          cell(std::move(made)),
          carried_state(cell->state_widths()),
          state(cell->state_widths()) {}

    Linear from_input;
    std::size_t initial_state;  // a parameter
    std::unique_ptr<RecurrentCell> cell;
    // Between the steps of Infer, a row per string.
    FloatArray carried_h = {};
    RowArrays carried_state;
    // Kept for Backward, with a row per row of the group.
    FloatArray pre = {};     // (rows, G·W)
    FloatArray h = {};       // (rows, W)
    RowArrays state;         // (rows, …)
    FloatArray kept = {};    // (rows, kept width)
    FloatArray output = {};  // (rows, W): h after dropout
    std::vector<std::uint8_t> mask = {};
  };

  void Resize(std::size_t rows, std::size_t strings);
  void ResizeForInference(std::size_t rows, std::size_t strings);
  // States are of the widths that strings of this length need.
  void FitStates(std::size_t longest);
  // Walks without dropout and keeps nothing. Calls visit(begin, end) when the last layer's h of
  // these steps are in h_.
  template <class Visit>
  void RunFewSteps(const Group& group, Visit visit);
  // h₀ = tanh(initial state), the same for every string.
  void InitialStates(const Layer& layer, std::size_t strings, float* h) const;
  std::size_t StateWidth(std::size_t longest) const;
  // Step t of a layer, among the rows of a whole group.
  RecurrentCell::Step StepOf(Layer& layer, const Group& group, std::size_t t) const;
  const float* Output(std::size_t layer, const Dropout& dropout) const;

  Parameters& parameters_;
  std::size_t tokens_;  // how many there are: |Σ|, and one more if EOS is read
  std::size_t hidden_, width_, gates_;
  TokenEmbedding embedding_;
  std::vector<Layer> layers_;
  std::size_t kept_width_ = 0;  // each cell's
  std::size_t fixed_state_width_ = 0;
  bool state_grows_ = false;  // with the length of strings
  FloatArray embedded_;       // (rows, W), after dropout
  std::vector<std::uint8_t> embedded_mask_;
  // Scratch of Infer, with a row per row of a few steps, used by all layers in turn; `last_` has
  // one per string.
  FloatArray pre_, h_, kept_, last_;
  FloatArray encoded_;  // (rows, W), for Encode
  RowArrays state_;
  FloatArray symbol_product_;  // (tokens, G·W)
  RowArrays d_state_, d_state_prev_;
  FloatArray zeros_;
};

}  // namespace flare

#endif  // FLARE_NN_RECURRENT_H_
