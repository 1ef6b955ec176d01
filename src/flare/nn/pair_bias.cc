#include "flare/nn/pair_bias.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "flare/nn/kernels/transformer_kernels.h"
#include "flare/nn/parameters.h"

namespace flare {
namespace {

constexpr std::size_t kBuckets = 32, kExactBuckets = 16, kFarthest = 128;
constexpr std::size_t kFireUnits = 32;
constexpr double kFireLength = 512, kFireEpsilon = 1e-6;

// A parameter, in double and in PyTorch's order.
class Numbers {
 public:
  Numbers(Parameters& parameters, ParameterSpec spec)
      : parameters_(parameters),
        columns_(spec.shape.back()),
        index_(parameters.Add(std::move(spec))),
        values_(parameters.specs()[index_].num_elements()),
        gradients_(values_.size()) {}

  void ParametersChanged() {
    const float* from = parameters_.value(index_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<double>(from[PlaceOf(i)]);
      gradients_[i] = 0;
    }
  }
  double operator[](std::size_t i) const { return values_[i]; }
  double& gradient(std::size_t i) { return gradients_[i]; }
  // Adds the gradients to the parameter's, and clears them.
  void GiveGradients() {
    float* to = parameters_.gradient(index_);
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      to[PlaceOf(i)] += static_cast<float>(gradients_[i]);
      gradients_[i] = 0;
    }
  }

 private:
  // Returns the place of element i behind the parameter's offset.
  std::size_t PlaceOf(std::size_t i) const {
    const ParameterSpec& spec = parameters_.specs()[index_];
    return spec.IndexOf(i / columns_, i % columns_) - spec.offset;
  }

  Parameters& parameters_;
  std::size_t columns_;
  std::size_t index_;
  std::vector<double> values_, gradients_;
};

class T5Bias : public PairBias {
 public:
  T5Bias(const MixerContext& c, std::size_t heads, std::size_t padded_heads, std::size_t lanes)
      : PairBias(heads, padded_heads, lanes),
        table_(c.parameters,
               ReferenceNormal(c.Matrix("relative_attention_bias.weight", kBuckets, heads),
                               1 / std::sqrt(static_cast<double>(c.d)))) {}

  void ParametersChanged() override {
    table_.ParametersChanged();
    Forget();
  }
  void Backward(std::size_t positions) override {
    for (std::size_t i = 0, pair = 0; i < positions; ++i) {
      for (std::size_t j = 0; j <= i; ++j, ++pair) {
        const std::size_t row = DistanceBucket(i - j) * heads();
        const float* g = GradientsOf(pair);
        for (std::size_t h = 0; h < heads(); ++h) {
          table_.gradient(row + h) += static_cast<double>(g[h]);
        }
      }
    }
    table_.GiveGradients();
  }

 protected:
  void Compute(std::size_t i, std::size_t j, float* biases) override {
    const std::size_t row = DistanceBucket(i - j) * heads();
    for (std::size_t h = 0; h < heads(); ++h) biases[h] = static_cast<float>(table_[row + h]);
  }

 private:
  Numbers table_;
};

ParameterSpec StartsAt(ParameterSpec spec, double value) {
  spec.Draw([value](std::size_t, Rng&) { return value; });
  return spec;
}

// The last linear map has a bias in the source, but none here: a constant that is added to all
// scores of a query changes nothing.
class FireBias : public PairBias {
 public:
  FireBias(const MixerContext& c, std::size_t heads, std::size_t padded_heads, std::size_t lanes)
      : PairBias(heads, padded_heads, lanes),
        c_(c.parameters, StartsAt(c.Vector("fire.c", 1), 0.1)),
        m_(c.parameters, StartsAt(c.Vector("fire.L_multiplier", 1), 1)),
        w1_(c.parameters, ReferenceLinear(c.Matrix("fire.mlp.0.weight", kFireUnits, 1))),
        b1_(c.parameters, ReferenceUniform(c.Vector("fire.mlp.0.bias", kFireUnits), 1)),
        w2_(c.parameters, ReferenceLinear(c.Matrix("fire.mlp.2.weight", heads, kFireUnits))) {}

  void ParametersChanged() override {
    for (Numbers* numbers : {&c_, &m_, &w1_, &b1_, &w2_}) numbers->ParametersChanged();
    Forget();
  }
  void Backward(std::size_t positions) override {
    for (std::size_t i = 0, pair = 0; i < positions; ++i) {
      for (std::size_t j = 0; j <= i; ++j, ++pair) BackwardOfPair(i, j, GradientsOf(pair));
    }
    for (Numbers* numbers : {&c_, &m_, &w1_, &b1_, &w2_}) numbers->GiveGradients();
  }

 protected:
  void Compute(std::size_t i, std::size_t j, float* biases) override {
    const Units units = UnitsOf(InputOf(i, j).x());
    for (std::size_t h = 0; h < heads(); ++h) {
      double sum = 0;
      for (std::size_t k = 0; k < kFireUnits; ++k) sum += w2_[h * kFireUnits + k] * units[k];
      biases[h] = static_cast<float>(sum);
    }
  }

 private:
  using Units = std::array<double, kFireUnits>;
  // The parts of x = numerator / denominator: ψ of the distance, and ψ of the length plus ε.
  struct Input {
    double distance, length, numerator, denominator;
    bool is_short;  // is the length |512 m|?
    double x() const { return numerator / denominator; }
  };

  Input InputOf(std::size_t i, std::size_t j) const {
    const double c = std::abs(c_[0]), threshold = std::abs(kFireLength * m_[0]);
    Input input = {};
    input.distance = static_cast<double>(i - j);
    input.is_short = static_cast<double>(i) <= threshold;
    input.length = input.is_short ? threshold : static_cast<double>(i);
    input.numerator = std::log1p(c * input.distance);
    input.denominator = std::log1p(c * input.length) + kFireEpsilon;
    return input;
  }
  Units UnitsOf(double x) const {
    Units units;
    for (std::size_t k = 0; k < kFireUnits; ++k) units[k] = std::max(w1_[k] * x + b1_[k], 0.0);
    return units;
  }
  void BackwardOfPair(std::size_t i, std::size_t j, const float* g) {
    const Input input = InputOf(i, j);
    const Units units = UnitsOf(input.x());
    double dx = 0;
    for (std::size_t k = 0; k < kFireUnits; ++k) {
      if (units[k] == 0) continue;
      double d_unit = 0;
      for (std::size_t h = 0; h < heads(); ++h) {
        const auto g_h = static_cast<double>(g[h]);
        d_unit += g_h * w2_[h * kFireUnits + k];
        w2_.gradient(h * kFireUnits + k) += g_h * units[k];
      }
      w1_.gradient(k) += d_unit * input.x();
      b1_.gradient(k) += d_unit;
      dx += d_unit * w1_[k];
    }
    const double c = std::abs(c_[0]), d_numerator = dx / input.denominator,
                 d_denominator = -dx * input.x() / input.denominator;
    const double d_c = d_numerator * input.distance / (1 + c * input.distance) +
                       d_denominator * input.length / (1 + c * input.length);
    c_.gradient(0) += std::copysign(1.0, c_[0]) * d_c;
    if (!input.is_short) return;
    const double d_m = d_denominator * c / (1 + c * input.length) * kFireLength;
    m_.gradient(0) += std::copysign(1.0, m_[0]) * d_m;
  }

  Numbers c_, m_, w1_, b1_, w2_;
};

}  // namespace

std::size_t DistanceBucket(std::size_t distance) {
  if (distance < kExactBuckets) return distance;
  if (distance >= kFarthest) return kBuckets - 1;
  const double share = std::log2(static_cast<double>(distance) / kExactBuckets) /
                       std::log2(static_cast<double>(kFarthest) / kExactBuckets);
  return kExactBuckets + static_cast<std::size_t>(share * (kBuckets - kExactBuckets));
}

const float* PairBias::Forward(std::size_t positions) {
  if (known_ < positions) {
    biases_.resize(std::max(biases_.size(), CausalPairs(positions) * lanes_));
    for (std::size_t i = known_, pair = CausalPairs(known_); i < positions; ++i) {
      for (std::size_t j = 0; j <= i; ++j, ++pair) {
        float* biases = biases_.data() + pair * lanes_;
        Compute(i, j, biases);
        // Lanes of padding stay zero; few heads are repeated.
        for (std::size_t l = padded_heads_; l < lanes_; ++l) biases[l] = biases[l - padded_heads_];
      }
    }
    known_ = positions;
  }
  return biases_.data();
}

float* PairBias::ClearedGradients(std::size_t positions) {
  gradients_.assign(CausalPairs(positions) * lanes_, 0);
  return gradients_.data();
}

std::unique_ptr<PairBias> MakePairBias(const MixerContext& c, const std::string& positions,
                                       std::size_t heads, std::size_t padded_heads,
                                       std::size_t lanes) {
  if (positions == "t5") return std::make_unique<T5Bias>(c, heads, padded_heads, lanes);
  if (positions == "fire") return std::make_unique<FireBias>(c, heads, padded_heads, lanes);
  return nullptr;
}

}  // namespace flare
