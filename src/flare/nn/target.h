// The instruction set that the kernels use. Results are promised to the bit per target, so the
// target is a setting of a run, not a property of the machine: the default, avx2, is what most
// machines have. A model keeps to its own; models of several targets can live and work in one
// process.

#ifndef FLARE_NN_TARGET_H_
#define FLARE_NN_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

namespace flare {

enum class Target {
  kAvx2,      // AVX2 with FMA; x86-64 of the last ten years
  kAvx512,    // AVX-512 F, BW, CD, DQ and VL; the same bits on all CPUs that have them
  kNative,    // the best that this CPU has
  kPortable,  // no vector unit beyond the baseline, and no just-in-time code
};

// The target of runs that name none: avx2, and portable on a CPU without it. `native` would serve
// there too, but means something else on another machine.
std::string DefaultTarget();
std::string DefaultTarget(bool has_avx2);

// Does this CPU have it?
bool HasTarget(Target target);
// Throws InputError if not.
void CheckTarget(Target target);

// Returns what `native` means on this CPU, for Highway and libxsmm.
std::string NativeTargetName();

// "avx2", "avx512", "native", "portable".
std::vector<std::string> TargetNames();
// Throws InputError for anything else.
Target ParseTarget(std::string_view name);

// While it lives, this thread computes as the target does: it calls the kernels of that target
// (native, where there is no scope), and rounds denormal numbers to zero, as every training step
// does: decaying Adam moments become denormal, and those are many times slower.
class TargetScope {
 public:
  explicit TargetScope(Target target);
  ~TargetScope();
  TargetScope(const TargetScope&) = delete;
  TargetScope& operator=(const TargetScope&) = delete;

 private:
  Target outer_;
  unsigned saved_ = 0;
};

}  // namespace flare

#endif  // FLARE_NN_TARGET_H_
