// How the parameters of learned decays start. A decay is exp(−exp(a)·softplus(x + b)); with an
// arbitrary start, a state would forget at once or never.

#ifndef FLARE_NN_DECAY_RULES_H_
#define FLARE_NN_DECAY_RULES_H_

#include "flare/base/rng.h"

namespace flare {

// b such that softplus(b) is log-uniform in [0.001, 0.1] (Gu, Dao 2023, §3.6).
double DrawStepBias(Rng& rng);
// a such that exp(a) is uniform in (0, 16] (Dao, Gu 2024; Yang et al. 2024).
double DrawLogRate(Rng& rng);

}  // namespace flare

#endif  // FLARE_NN_DECAY_RULES_H_
