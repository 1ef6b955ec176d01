// Initial values of newer architectures' parameters, as in their sources.
//
// A decay is exp(−exp(a)·softplus(x + b)); from an arbitrary start, a state would forget at once or
// never, so these two start as in the source under every scheme of initialization. All other rules
// are those of init = reference (Parameters::Scheme): a spec that has none starts as in the paper.

#ifndef FLARE_NN_INITIAL_RULES_H_
#define FLARE_NN_INITIAL_RULES_H_

#include "flare/base/rng.h"
#include "flare/nn/parameters.h"

namespace flare {

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

#endif  // FLARE_NN_INITIAL_RULES_H_
