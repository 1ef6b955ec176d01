// The parameters of a model: one flat array of values, one of gradients, with named views.
//
// A parameter has the name and shape that PyTorch's module would give it, and a place in the flat
// array, where it is laid out for the kernels: rows padded to whole vectors, matrices transposed to
// (in, out). The padding is zero and stays zero, because its gradient is: no optimizer step moves
// it.

#ifndef FLARE_NN_PARAMETERS_H_
#define FLARE_NN_PARAMETERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/target.h"

namespace flare {

class Rng;

// How a parameter starts (paper, Appendix D); kOwn is a rule that its mechanism needs.
enum class Initialization { kUniform, kXavierUniform, kZero, kOne, kOwn };
// An initial value that is uniform in ±0.1, as most are.
double DrawUniform(Rng& rng);

struct ParameterSpec {
  std::string name;                // as PyTorch would call it
  std::vector<std::size_t> shape;  // as PyTorch would shape it: {out, in} or {size}
  Initialization initialization = Initialization::kUniform;
  // The value of element i, in PyTorch's order, if it has a rule of its own.
  std::function<double(std::size_t i, Rng& rng)> draw = {};
  // The same by the rule of the architecture's source, if that is another one (below).
  std::function<double(std::size_t i, Rng& rng)> reference = {};
  // The layout of the parameter: element (row, column) of the PyTorch shape lies in a matrix of
  // `padded_rows` × `padded_columns`, transposed or not. A vector is one row.
  std::size_t padded_rows = 0, padded_columns = 0;
  bool transposed = false;
  // The places of output (the first index, or a vector's only one) and input i among the padded
  // ones; empty: at i. They are functions, so that declaring a parameter of any size costs nothing.
  using Place = std::function<std::size_t(std::size_t i)>;
  Place output_place = {}, input_place = {};
  // The place of element (row, column) in the padded matrix, if both indices decide together; then
  // the two above are ignored.
  std::function<std::size_t(std::size_t row, std::size_t column)> element_place = {};
  // Elements that do not count towards a budget: all of auxiliary heads, EOS's of the embeddings.
  std::size_t uncounted = 0;
  std::size_t offset = 0;  // set by Parameters::Add

  std::size_t num_elements() const;
  // Gives it a rule of its own.
  void Draw(std::function<double(std::size_t i, Rng& rng)> rule) {
    initialization = Initialization::kOwn;
    draw = std::move(rule);
  }
  // The index of element (row, column) in the flat array.
  std::size_t IndexOf(std::size_t row, std::size_t column) const;
};

class Parameters {
 public:
  // Throws InputError if the CPU does not have the target.
  explicit Parameters(Target target = Target::kNative) : target_(target) { CheckTarget(target); }

  // Returns the instruction set that computes with the parameters.
  Target target() const { return target_; }
  // Returns the index of the parameter. Call Allocate after the last one, or never if they are
  // declared only to be counted. Names differ, but for what is shared: see Sharing.
  std::size_t Add(ParameterSpec spec);
  // While it lives, adding a parameter whose name exists returns the existing one, so that parts of
  // a model that are made twice share their weights.
  class Sharing {
   public:
    explicit Sharing(Parameters& parameters) : parameters_(parameters) { ++parameters_.sharing_; }
    ~Sharing() { --parameters_.sharing_; }
    Sharing(const Sharing&) = delete;
    Sharing& operator=(const Sharing&) = delete;

   private:
    Parameters& parameters_;
  };
  void Allocate();

  const std::vector<ParameterSpec>& specs() const { return specs_; }
  std::size_t flat_size() const { return flat_size_; }
  float* value(std::size_t parameter) { return values_.data() + specs_[parameter].offset; }
  const float* value(std::size_t parameter) const {
    return values_.data() + specs_[parameter].offset;
  }
  float* gradient(std::size_t parameter) { return gradients_.data() + specs_[parameter].offset; }
  FloatArray& values() { return values_; }
  FloatArray& gradients() { return gradients_; }

  // Draws the initial values; each parameter has a random stream of its own, named after it. What
  // has no rule of its own is uniform in ±0.1, as in the paper; or, by Xavier's rule (Glorot &
  // Bengio 2010), matrices are uniform in ±√(6/(in + out)) and vectors zero; or, by reference, each
  // starts as the architecture's source has it, and as in the paper where that says nothing.
  enum class Scheme { kPaper, kXavier, kReference };
  // Returns the scheme that the setting `init` names.
  static Scheme SchemeOf(const std::string& init);
  void Initialize(std::uint64_t seed, Scheme scheme = Scheme::kPaper);

  // The elements of a parameter in PyTorch's order, and back.
  std::vector<float> Get(std::size_t parameter) const;
  void Set(std::size_t parameter, const std::vector<float>& elements);
  std::vector<float> GetGradient(std::size_t parameter) const;

  // Returns the number of parameters, of those that count towards a budget or of all.
  std::size_t Count(bool only_counted) const;

 private:
  std::vector<float> Gather(const ParameterSpec& spec, const FloatArray& flat) const;

  Target target_;
  std::vector<ParameterSpec> specs_;
  std::map<std::string, std::size_t> index_;  // the place in specs_ by name
  std::size_t sharing_ = 0;
  std::size_t flat_size_ = 0;
  FloatArray values_, gradients_;
};

// Specs for the usual kinds: a bias or initial state of `size`, and a matrix {out, in} that is kept
// as (in, out), padded. With `gates`, the outputs are that many gates of units, side by side in
// PyTorch and interleaved here in blocks of eight units: unit u of gate g at 8·(gates·⌊u/8⌋ + g) +
// u mod 8.
ParameterSpec VectorSpec(std::string name, std::size_t size, std::size_t gates = 1);
ParameterSpec MatrixSpec(std::string name, std::size_t out, std::size_t in, std::size_t gates = 1);

// Initial values of newer architectures' parameters, as in their sources.
//
// A decay is exp(−exp(a)·softplus(x + b)); from an arbitrary start, a state would forget at once or
// never, so these two start as in the source under every scheme of initialization. All other rules
// are those of init = reference (Parameters::Scheme): a spec that has none starts as in the paper.

// b such that softplus(b) is log-uniform in [0.001, 0.1] (Gu, Dao 2023, §3.6).
double DrawStepBias(Rng& rng);
// a such that exp(a) is uniform in (0, 16] (Dao, Gu 2024; Yang et al. 2024).
double DrawLogRate(Rng& rng);
// Draws from the standard normal distribution.
double DrawNormal(Rng& rng);

// The spec, which starts as named by reference: uniform in ±limit, normal with mean 0, or at one
// value.
ParameterSpec ReferenceUniform(ParameterSpec spec, double limit);
ParameterSpec ReferenceNormal(ParameterSpec spec, double deviation);
ParameterSpec ReferenceConstant(ParameterSpec spec, double value);
// A matrix that starts as PyTorch's linear maps and convolutions do: uniform in ±1/√inputs, with
// its second extent for the inputs.
ParameterSpec ReferenceLinear(ParameterSpec spec);

}  // namespace flare

#endif  // FLARE_NN_PARAMETERS_H_
