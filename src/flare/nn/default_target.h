// The instruction set (target.h) of runs that name none: avx2, and portable on a CPU without it.
// `native` would serve there too, but means something else on another machine.

#ifndef FLARE_NN_DEFAULT_TARGET_H_
#define FLARE_NN_DEFAULT_TARGET_H_

#include <string>

namespace flare {

std::string DefaultTarget();  // on this CPU
std::string DefaultTarget(bool has_avx2);

}  // namespace flare

#endif  // FLARE_NN_DEFAULT_TARGET_H_
