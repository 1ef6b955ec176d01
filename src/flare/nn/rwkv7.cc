// RWKV-7's time mixing (Peng et al. 2025): a matrix memory under a generalized delta rule, with a
// decay and a rate of learning for every dimension of the keys, as the mixer of residual layers
// (residual.h). With x' the position before x (zero before the first) and
// x_c = x + μ_c ⊙ (x' − x) for c = r, w, k, v, a, g,
//
//   r = W_r x_r,  k = W_k x_k,  v = W_v x_v          g = U_g σ(D_g x_g)
//   w = exp(−e^(−½) σ(U_w tanh(D_w x_w) + b_w))      a = σ(U_a D_a x_a + b_a)
//   κ = normalized k ⊙ ξ                             k̃ = k ⊙ (1 + (a − 1) ⊙ α)
//   S ← (diag(w) − (a ⊙ κ) κᵀ) S + k̃ vᵀ              o = Sᵀ r             in each head
//   out = W_o (g ⊙ (norm of o + (r·(k̃ ⊙ ρ)) v))      the norm and the product in each head
//
// with S (d/H, d/H) from zero and the D of `rank` rows; normalized is x/√(x·x + 10⁻⁶), the norm a
// layer norm within the head with a gain.
//
// Initialization: μ, ξ, α, ρ, b_w and b_a as in the source; the rest as everywhere. With
// init = reference the D and W_o are 0, and W_r, W_v normal with deviation 1/√d, W_k 0.1/√d and the
// U 0.1/√rank: as large as the orthogonal matrices of the source.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "flare/nn/architectures.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/kernels/delta_kernels.h"
#include "flare/nn/kernels/memory_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/mixer.h"
#include "flare/nn/norm.h"
#include "flare/nn/parameters.h"
#include "flare/nn/residual.h"

namespace flare {
namespace {

constexpr float kDecayRate = 0.6065306597126334f;  // e^(−½)
enum Mixture : std::size_t { kR, kW, kK, kV, kA, kG };
constexpr std::size_t kMixtures = 6;

// μ, ξ, α, ρ and the biases: a vector of d numbers each, by the rule of the source.
class StartRules {
 public:
  explicit StartRules(const MixerContext& c)
      : d_(static_cast<double>(c.d)),
        dims_(static_cast<double>(c.d / OptionNumber(c.options, "heads"))),
        depth_(static_cast<double>(c.layer) / static_cast<double>(c.layers)),
        ratio_(c.layers == 1 ? 0
                             : static_cast<double>(c.layer) / static_cast<double>(c.layers - 1)) {}

  double Shift(std::size_t i, double power) const {
    return 1 - std::pow(static_cast<double>(i) / d_, power * (1 - depth_));
  }
  double DecayBias(std::size_t i) const {
    const double along = static_cast<double>(i) / (d_ - 1);
    return -5.5 + 6 * std::pow(along, 1 + std::pow(ratio_, 0.3)) + 2.5 * Zigzag(i);
  }
  double RateBias(std::size_t i) const { return -0.19 + 0.3 * Zigzag(i) + 0.4 * Linear(i); }
  double KeyGain(std::size_t i) const { return 0.71 - 0.1 * Linear(i); }

 private:
  double Linear(std::size_t i) const { return static_cast<double>(i) / (d_ - 1) - 0.5; }
  double Zigzag(std::size_t i) const {
    if (dims_ == 1) return 0;
    const double middle = (dims_ - 1) / 2;
    const double z = (std::fmod(static_cast<double>(i), dims_) - middle) / middle;
    return z * std::abs(z);
  }

  double d_, dims_, depth_, ratio_;
};

class Rwkv7Mixer : public Mixer {
 public:
  explicit Rwkv7Mixer(const MixerContext& c)
      : parameters_(c.parameters),
        d_(c.d),
        rank_(OptionNumber(c.options, "rank")),
        heads_{OptionNumber(c.options, "heads"), c.d / OptionNumber(c.options, "heads")},
        shifts_(Shifts(c)),
        r_(c.parameters, OfHeads(Normal(c.Matrix("r_proj.weight", d_, d_), 1))),
        k_(c.parameters, OfHeads(Normal(c.Matrix("k_proj.weight", d_, d_), 0.1))),
        v_(c.parameters, OfHeads(Normal(c.Matrix("v_proj.weight", d_, d_), 1))),
        w_(c, *this, "w"),
        a_(c, *this, "a"),
        g_(c, *this, "g"),
        decay_bias_(Vector(c, "w_up.bias", &StartRules::DecayBias)),
        rate_bias_(Vector(c, "a_up.bias", &StartRules::RateBias)),
        key_gain_(Vector(c, "k_k", &StartRules::KeyGain)),
        rate_gain_(Constant(c, "k_a", 1.02)),
        bonus_(Constant(c, "r_k", -0.04)),
        norm_(c.parameters, c.prefix + "norm", heads_, true),
        out_(c.parameters,
             ReadsHeads(ReferenceConstant(c.Matrix("out_proj.weight", d_, d_), 0), heads_)),
        rates_(heads_.width(), kDecayRate),
        d_rates_(heads_.width()) {}

  void ParametersChanged() override {
    for (Linear* map : {&r_, &k_, &v_, &out_}) map->ParametersChanged();
    for (LowRank* map : {&w_, &a_, &g_}) map->ParametersChanged();
  }
  std::vector<std::size_t> kept_widths() const override {
    const std::size_t w = heads_.width(), low = Padded(rank_);
    return {d_, d_, d_, d_, d_,           d_, low, low, low,          w, w, w, w, w, w,
            w,  w,  w,  w,  heads_.heads, w,  w,   w,   heads_.heads, w};
  }
  std::vector<std::size_t> scratch_widths() const override {
    const std::size_t w = heads_.width();
    return {w, w, w, w, w, w, w, w, w, Padded(rank_), d_};
  }
  double SharedBytes(std::size_t positions) const override {
    return static_cast<double>(ShapeOf(positions, 0).backward_scratch() * sizeof(float));
  }

  void Forward(const Pass& pass, const float* x, float* out) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), w = heads_.width();
    MixPositions(pass, x, k);
    r_.Forward(rows, k.mixed[kR], k.r);
    k_.Forward(rows, k.mixed[kK], k.k);
    v_.Forward(rows, k.mixed[kV], k.v);
    w_.down.Forward(rows, k.mixed[kW], k.w_low);
    TanhForward(rows * Padded(rank_), k.w_low);
    w_.up.Forward(rows, k.w_low, k.decay_rate);
    AddBias(rows, w, parameters_.value(decay_bias_), k.decay_rate);
    ScaledLogistic(rows * w, 1, k.decay_rate);
    DecayForward(rows, w, rates_.data(), k.decay_rate, k.decay);
    a_.down.Forward(rows, k.mixed[kA], k.a_low);
    a_.up.Forward(rows, k.a_low, k.a);
    AddBias(rows, w, parameters_.value(rate_bias_), k.a);
    ScaledLogistic(rows * w, 1, k.a);
    g_.down.Forward(rows, k.mixed[kG], k.g_low);
    ScaledLogistic(rows * Padded(rank_), 1, k.g_low);
    // σ(0) is not 0: padding must not reach the weights' gradient.
    for (std::size_t r = 0; r < rows; ++r) {
      std::fill(k.g_low + r * Padded(rank_) + rank_, k.g_low + (r + 1) * Padded(rank_), 0.0f);
    }
    g_.up.Forward(rows, k.g_low, k.g);
    const float *key_gain = parameters_.value(key_gain_),
                *rate_gain = parameters_.value(rate_gain_);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < w; ++j) {
        const std::size_t i = r * w + j;
        k.direction[i] = k.k[i] * key_gain[j];
        k.key[i] = k.k[i] * (1 + (k.a[i] - 1) * rate_gain[j]);
      }
    }
    NormalizeHeads(rows, heads_, w, k.direction, k.direction_factor);
    for (std::size_t i = 0; i < rows * w; ++i) k.written[i] = k.a[i] * k.direction[i];
    Grow(memory_, ShapeOf(1, 0).forward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      MemoryForward(ShapeOf(s.positions, s.first_query), VectorsOf(k, s.first_row), memory_.data(),
                    {k.o + s.first_output * w, w, heads_.padded()});
    }
    norm_.Forward(outputs, k.o, k.normalized, k.factor, k.y);
    ForEachOutput(pass, [&](std::size_t row, std::size_t output) {
      BonusForward(BonusOf(k, row), k.y + output * w);
      for (std::size_t j = 0; j < w; ++j) {
        k.gated[output * w + j] = k.y[output * w + j] * k.g[row * w + j];
      }
    });
    out_.Forward(outputs, k.gated, out);
  }

  void Backward(const Pass& pass, const float* x, const float* d_out, float* dx) override {
    const Kept k(pass.kept);
    const std::size_t rows = pass.rows(), outputs = pass.outputs.size(), w = heads_.width();
    float *dr = pass.scratch[0], *d_key = pass.scratch[1], *dv = pass.scratch[2],
          *d_decay = pass.scratch[3], *d_direction = pass.scratch[4], *d_written = pass.scratch[5],
          *dg = pass.scratch[6], *d_o = pass.scratch[7], *da = pass.scratch[8],
          *d_low = pass.scratch[9], *d_mixed = pass.scratch[10];
    for (float* gradient : {dr, d_key, dv, d_decay, d_direction, d_written, dg}) {
      std::fill_n(gradient, rows * w, 0.0f);
    }
    std::fill_n(dx, rows * d_, 0.0f);
    // d_o is in turn the gradient of gated, of y and, through the norm and da, of o.
    out_.Backward(outputs, k.gated, d_out, d_o);
    ForEachOutput(pass, [&](std::size_t row, std::size_t output) {
      float* dy = d_o + output * w;
      for (std::size_t j = 0; j < w; ++j) {
        dg[row * w + j] = dy[j] * k.y[output * w + j];
        dy[j] *= k.g[row * w + j];
      }
      BonusBackward(BonusOf(k, row), dy, dr + row * w, d_key + row * w, dv + row * w,
                    parameters_.gradient(bonus_));
    });
    norm_.Backward(outputs, k.normalized, k.factor, d_o, da);
    Grow(memory_, ShapeOf(pass.outputs.strings[0].positions, 0).backward_scratch());
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t at = s.first_row * w, head = heads_.padded();
      MemoryBackward(ShapeOf(s.positions, s.first_query), VectorsOf(k, s.first_row),
                     {da + s.first_output * w, w, head}, memory_.data(),
                     {.q = {dr + at, w, head},
                      .k = {d_key + at, w, head},
                      .v = {dv + at, w, head},
                      .w = {d_decay + at, w, head},
                      .p = {d_direction + at, w, head},
                      .b = {d_written + at, w, head}});
    }
    for (std::size_t i = 0; i < rows * w; ++i) {
      da[i] = d_written[i] * k.direction[i];
      d_direction[i] += d_written[i] * k.a[i];
    }
    NormalizeHeadsBackward(rows, heads_, w, k.direction, k.direction_factor, d_direction);
    float* dk = d_written;  // no longer needed
    KeysBackward({.rows = rows,
                  .width = w,
                  .k = k.k,
                  .a = k.a,
                  .xi = parameters_.value(key_gain_),
                  .alpha = parameters_.value(rate_gain_)},
                 d_key, d_direction, dk, da, parameters_.gradient(key_gain_),
                 parameters_.gradient(rate_gain_));

    MapBackward(r_, pass, x, k.mixed[kR], dr, kR, d_mixed, dx);
    MapBackward(k_, pass, x, k.mixed[kK], dk, kK, d_mixed, dx);
    MapBackward(v_, pass, x, k.mixed[kV], dv, kV, d_mixed, dx);
    std::fill(d_rates_.begin(), d_rates_.end(), 0.0f);
    DecayBackward(rows, w, rates_.data(), k.decay_rate, k.decay, d_decay, d_rates_.data());
    ScaledLogisticBackward(rows * w, 1, k.decay_rate, d_decay);
    AddColumnSums(rows, w, d_decay, parameters_.gradient(decay_bias_));
    w_.up.Backward(rows, k.w_low, d_decay, d_low);
    for (std::size_t i = 0; i < rows * Padded(rank_); ++i) d_low[i] *= 1 - k.w_low[i] * k.w_low[i];
    MapBackward(w_.down, pass, x, k.mixed[kW], d_low, kW, d_mixed, dx);
    ScaledLogisticBackward(rows * w, 1, k.a, da);
    AddColumnSums(rows, w, da, parameters_.gradient(rate_bias_));
    a_.up.Backward(rows, k.a_low, da, d_low);
    MapBackward(a_.down, pass, x, k.mixed[kA], d_low, kA, d_mixed, dx);
    g_.up.Backward(rows, k.g_low, dg, d_low);
    ScaledLogisticBackward(rows * Padded(rank_), 1, k.g_low, d_low);
    MapBackward(g_.down, pass, x, k.mixed[kG], d_low, kG, d_mixed, dx);
  }

 private:
  // Values that Forward computes for every row, or for the outputs.
  struct Kept {
    explicit Kept(const RowArrays::Rows& kept)
        : mixed{kept[0], kept[1], kept[2], kept[3], kept[4], kept[5]},
          w_low(kept[6]),
          a_low(kept[7]),
          g_low(kept[8]),
          r(kept[9]),
          k(kept[10]),
          v(kept[11]),
          decay_rate(kept[12]),
          decay(kept[13]),
          a(kept[14]),
          g(kept[15]),
          key(kept[16]),
          direction(kept[17]),
          written(kept[18]),
          direction_factor(kept[19]),
          o(kept[20]),
          normalized(kept[21]),
          y(kept[22]),
          factor(kept[23]),
          gated(kept[24]) {}

    std::array<float*, kMixtures> mixed;         // (R, d): x_c
    float *w_low, *a_low, *g_low;                // (R, rank), after tanh, nothing and σ
    float *r, *k, *v;                            // (R, width), heads padded
    float *decay_rate, *decay;                   // (R, width): σ(…) and w
    float *a, *g;                                // (R, width)
    float *key, *direction, *written;            // (R, width): k̃, κ, a ⊙ κ
    float* direction_factor;                     // (R, H): what normalized κ
    float *o, *normalized, *y, *factor, *gated;  // (Q, …): Sᵀ r, its norm, g ⊙ y
  };
  // U D, through `rank` numbers.
  struct LowRank {
    LowRank(const MixerContext& c, const Rwkv7Mixer& mixer, const std::string& name)
        : down(c.parameters,
               ReferenceConstant(c.Matrix(name + "_down.weight", mixer.rank_, c.d), 0)),
          up(c.parameters,
             mixer.OfHeads(ReferenceNormal(c.Matrix(name + "_up.weight", c.d, mixer.rank_),
                                           0.1 / std::sqrt(static_cast<double>(mixer.rank_))))) {}
    void ParametersChanged() {
      down.ParametersChanged();
      up.ParametersChanged();
    }
    Linear down, up;
  };

  ParameterSpec OfHeads(ParameterSpec spec) const {
    spec.padded_columns = heads_.width();
    spec.output_place = HeadPlaces(heads_);
    return spec;
  }
  ParameterSpec Normal(ParameterSpec spec, double gain) const {
    return ReferenceNormal(std::move(spec), gain / std::sqrt(static_cast<double>(d_)));
  }
  std::size_t Vector(const MixerContext& c, const char* name,
                     double (StartRules::*rule)(std::size_t) const) const {
    ParameterSpec spec = OfHeads(c.Vector(name, d_));
    spec.Draw([rules = StartRules(c), rule](std::size_t i, Rng&) { return (rules.*rule)(i); });
    return c.parameters.Add(std::move(spec));
  }
  std::size_t Constant(const MixerContext& c, const char* name, double value) const {
    ParameterSpec spec = OfHeads(c.Vector(name, d_));
    spec.Draw([value](std::size_t, Rng&) { return value; });
    return c.parameters.Add(std::move(spec));
  }
  static std::array<std::size_t, kMixtures> Shifts(const MixerContext& c) {
    constexpr const char* kNames[] = {"x_r", "x_w", "x_k", "x_v", "x_a", "x_g"};
    constexpr double kPowers[] = {0.2, 0.9, 0.7, 0.7, 0.9, 0.2};
    std::array<std::size_t, kMixtures> shifts;
    for (std::size_t m = 0; m < kMixtures; ++m) {
      ParameterSpec spec = c.Vector(kNames[m], c.d);
      spec.Draw([rules = StartRules(c), power = kPowers[m]](std::size_t i, Rng&) {
        return rules.Shift(i, power);
      });
      shifts[m] = c.parameters.Add(std::move(spec));
    }
    return shifts;
  }

  template <class Visit>
  static void ForEachOutput(const Pass& pass, Visit visit) {
    for (const OutputRows::String& s : pass.outputs.strings) {
      for (std::size_t t = s.first_query; t < s.positions; ++t) {
        visit(s.first_row + t, s.first_output + t - s.first_query);
      }
    }
  }
  void MixPositions(const Pass& pass, const float* x, const Kept& k) const {
    for (const OutputRows::String& s : pass.outputs.strings) {
      for (std::size_t m = 0; m < kMixtures; ++m) {
        const float* shift = parameters_.value(shifts_[m]);
        for (std::size_t t = 0; t < s.positions; ++t) {
          const float* row = x + (s.first_row + t) * d_;
          float* mixed = k.mixed[m] + (s.first_row + t) * d_;
          for (std::size_t j = 0; j < d_; ++j) {
            const float before = t == 0 ? 0.0f : (row - d_)[j];
            mixed[j] = row[j] + shift[j] * (before - row[j]);
          }
        }
      }
    }
  }
  // Through a map of mixture m to x, and to μ_m.
  void MapBackward(Linear& map, const Pass& pass, const float* x, const float* mixed,
                   const float* d_result, std::size_t m, float* d_mixed, float* dx) {
    map.Backward(pass.rows(), mixed, d_result, d_mixed);
    for (const OutputRows::String& s : pass.outputs.strings) {
      const std::size_t at = s.first_row * d_;
      ShiftBackward(s.positions, d_, parameters_.value(shifts_[m]), x + at, d_mixed + at,
                    parameters_.gradient(shifts_[m]), dx + at);
    }
  }
  Bonus BonusOf(const Kept& k, std::size_t row) const {
    const std::size_t at = row * heads_.width();
    return {.heads = heads_.heads,
            .size = heads_.padded(),
            .r = k.r + at,
            .k = k.key + at,
            .v = k.v + at,
            .rho = parameters_.value(bonus_)};
  }
  MemoryShape ShapeOf(std::size_t positions, std::size_t first) const {
    return {.n = positions,
            .first = first,
            .heads = heads_.heads,
            .keys = heads_.dims,
            .values = heads_.padded(),
            .one_decay = false,
            .corrects = true};
  }
  MemoryVectors<const float> VectorsOf(const Kept& k, std::size_t first_row) const {
    const std::size_t w = heads_.width(), at = first_row * w, head = heads_.padded();
    return {.q = {k.r + at, w, head},
            .k = {k.key + at, w, head},
            .v = {k.v + at, w, head},
            .w = {k.decay + at, w, head},
            .p = {k.direction + at, w, head},
            .b = {k.written + at, w, head}};
  }

  Parameters& parameters_;
  std::size_t d_, rank_;
  HeadLayout heads_;
  std::array<std::size_t, kMixtures> shifts_;  // parameters: μ
  Linear r_, k_, v_;
  LowRank w_, a_, g_;
  std::size_t decay_bias_, rate_bias_;        // parameters
  std::size_t key_gain_, rate_gain_, bonus_;  // parameters: ξ, α, ρ
  HeadNorm norm_;
  Linear out_;
  FloatArray rates_, d_rates_;  // (width): e^(−½), and what is not needed
  FloatArray memory_;           // what the memory's loops need
};

std::unique_ptr<Encoder> MakeRwkv7(const EncoderConfig& config, Parameters& parameters) {
  const ResidualShape shape = {.mixer_name = "mixer"};
  return std::make_unique<ResidualEncoder>(config, shape, MakeMixer<Rwkv7Mixer>, parameters);
}

}  // namespace

Architecture DescribeRwkv7() {
  return {.name = "rwkv7",
          .make = MakeRwkv7,
          .size_step = WholeHeads,
          .reads_bos = true,
          .arithmetic = "0.3",
          .options = WithResidualOptions(
              {{.name = "rank",
                .values = {},
                .least = 1,
                .most = 1024,
                .default_value = "8",
                .help = "the numbers through which decays, rates and gates are computed"},
               HeadsOption("4")}),
          .conflict = ResidualConflict};
}

}  // namespace flare
