#include "flare/nn/parameters.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/rng.h"

namespace flare {

namespace {

constexpr double kUniformLimit = 0.1;

}  // namespace

double DrawUniform(Rng& rng) { return kUniformLimit * (2 * rng.Uniform() - 1); }

std::size_t ParameterSpec::num_elements() const {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

std::size_t ParameterSpec::IndexOf(std::size_t row, std::size_t column) const {
  if (element_place) return offset + element_place(row, column);
  const bool vector = shape.size() == 1;
  std::size_t out = vector ? column : row;
  std::size_t in = vector ? 0 : column;
  if (output_place) out = output_place(out);
  if (input_place) in = input_place(in);
  return offset + (vector || transposed ? in * padded_columns + out : out * padded_columns + in);
}

namespace {

ParameterSpec::Place InterleavedGates(std::size_t units, std::size_t gates) {
  if (gates == 1) return {};
  return [units, gates](std::size_t i) {
    const std::size_t gate = i / units, unit = i % units;
    return kLanes * (gates * (unit / kLanes) + gate) + unit % kLanes;
  };
}

}  // namespace

ParameterSpec VectorSpec(std::string name, std::size_t size, std::size_t gates) {
  ParameterSpec spec;
  spec.name = std::move(name);
  spec.shape = {size};
  spec.padded_rows = 1;
  spec.padded_columns = gates * Padded(size / gates);
  spec.output_place = InterleavedGates(size / gates, gates);
  return spec;
}

ParameterSpec MatrixSpec(std::string name, std::size_t out, std::size_t in, std::size_t gates) {
  ParameterSpec spec = VectorSpec(std::move(name), out, gates);
  spec.shape = {out, in};
  spec.transposed = true;
  spec.padded_rows = Padded(in);
  return spec;
}

std::size_t Parameters::Add(ParameterSpec spec) {
  FLARE_CHECK(spec.shape.size() == 1 || spec.shape.size() == 2);
  FLARE_CHECK(values_.empty());
  if (const auto [there, is_new] = index_.emplace(spec.name, specs_.size()); !is_new) {
    FLARE_CHECK(sharing_ > 0 && specs_[there->second].shape == spec.shape);
    return there->second;
  }
  spec.offset = flat_size_;
  // Each starts on a cache line.
  const std::size_t per_line = kAlignment / sizeof(float);
  const std::size_t size = spec.padded_rows * spec.padded_columns;
  flat_size_ += (size + per_line - 1) / per_line * per_line;
  specs_.push_back(std::move(spec));
  return specs_.size() - 1;
}

void Parameters::Allocate() {
  values_.assign(flat_size_, 0);
  gradients_.assign(flat_size_, 0);
}

Parameters::Scheme Parameters::SchemeOf(const std::string& init) {
  if (init == "xavier") return Scheme::kXavier;
  if (init == "reference") return Scheme::kReference;
  FLARE_CHECK(init == "paper");
  return Scheme::kPaper;
}

void Parameters::Initialize(std::uint64_t seed, Scheme scheme) {
  std::fill(values_.begin(), values_.end(), 0.0f);
  for (std::size_t p = 0; p < specs_.size(); ++p) {
    const ParameterSpec& spec = specs_[p];
    Rng rng = Rng::For(seed, "initialize/" + spec.name);
    Initialization initialization = spec.initialization;
    if (scheme == Scheme::kXavier && initialization == Initialization::kUniform) {
      initialization =
          spec.shape.size() == 2 ? Initialization::kXavierUniform : Initialization::kZero;
    }
    auto draw = spec.draw;
    if (scheme == Scheme::kReference && spec.reference) {
      initialization = Initialization::kOwn;
      draw = spec.reference;
    }
    double limit = kUniformLimit;
    if (initialization == Initialization::kXavierUniform) {
      limit = std::sqrt(6.0 / static_cast<double>(spec.shape[0] + spec.shape[1]));
    }
    std::vector<float> elements(spec.num_elements());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      float& element = elements[i];
      switch (initialization) {
        case Initialization::kZero:
          element = 0;
          break;
        case Initialization::kOne:
          element = 1;
          break;
        case Initialization::kOwn:
          element = static_cast<float>(draw(i, rng));
          break;
        case Initialization::kUniform:
        case Initialization::kXavierUniform:
          element = static_cast<float>(limit * (2 * rng.Uniform() - 1));
          break;
      }
    }
    Set(p, elements);
  }
}

std::vector<float> Parameters::Gather(const ParameterSpec& spec, const FloatArray& flat) const {
  const std::size_t columns = spec.shape.back();
  std::vector<float> elements(spec.num_elements());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = flat[spec.IndexOf(i / columns, i % columns)];
  }
  return elements;
}

std::vector<float> Parameters::Get(std::size_t parameter) const {
  return Gather(specs_[parameter], values_);
}

std::vector<float> Parameters::GetGradient(std::size_t parameter) const {
  return Gather(specs_[parameter], gradients_);
}

void Parameters::Set(std::size_t parameter, const std::vector<float>& elements) {
  const ParameterSpec& spec = specs_[parameter];
  FLARE_CHECK(elements.size() == spec.num_elements());
  const std::size_t columns = spec.shape.back();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    values_[spec.IndexOf(i / columns, i % columns)] = elements[i];
  }
}

std::size_t Parameters::Count(bool only_counted) const {
  std::size_t count = 0;
  for (const ParameterSpec& spec : specs_) {
    count += spec.num_elements() - (only_counted ? spec.uncounted : 0);
  }
  return count;
}

double DrawStepBias(Rng& rng) {
  constexpr double kLeast = 0.001, kMost = 0.1;
  const double step =
      std::exp(std::log(kLeast) + rng.Uniform() * (std::log(kMost) - std::log(kLeast)));
  // The inverse of softplus.
  return step + std::log(-std::expm1(-step));
}

double DrawLogRate(Rng& rng) { return std::log(16 * (1 - rng.Uniform())); }

// Box, Muller 1958.
double DrawNormal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.Uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.Uniform());
}

ParameterSpec ReferenceUniform(ParameterSpec spec, double limit) {
  spec.reference = [limit](std::size_t, Rng& rng) { return limit * (2 * rng.Uniform() - 1); };
  return spec;
}

ParameterSpec ReferenceNormal(ParameterSpec spec, double deviation) {
  spec.reference = [deviation](std::size_t, Rng& rng) { return deviation * DrawNormal(rng); };
  return spec;
}

ParameterSpec ReferenceConstant(ParameterSpec spec, double value) {
  spec.reference = [value](std::size_t, Rng&) { return value; };
  return spec;
}

ParameterSpec ReferenceLinear(ParameterSpec spec) {
  FLARE_CHECK(spec.shape.size() == 2);
  const double limit = 1 / std::sqrt(static_cast<double>(spec.shape[1]));
  return ReferenceUniform(std::move(spec), limit);
}

}  // namespace flare
