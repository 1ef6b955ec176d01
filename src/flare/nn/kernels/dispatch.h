// Calls the version of a kernel for this thread's target (target.h). Highway itself chooses one
// target for the whole process.

#ifndef FLARE_NN_KERNELS_DISPATCH_H_
#define FLARE_NN_KERNELS_DISPATCH_H_

#include <hwy/targets.h>

#include <cstddef>

namespace flare {

// Highway's choice for this thread's target.
const hwy::ChosenTarget& ThreadTarget();

// The kernel to call, of a table that HWY_EXPORT has made.
template <class Kernel, std::size_t kVersions>
Kernel ForThread(const Kernel (&versions)[kVersions]) {
  // A kernel that is compiled for one instruction set only leaves no choice.
  return versions[kVersions == 1 ? 0 : ThreadTarget().GetIndex()];
}

}  // namespace flare

#endif  // FLARE_NN_KERNELS_DISPATCH_H_
