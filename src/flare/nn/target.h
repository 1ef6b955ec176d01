// Which instruction set the kernels use. Results are promised to the bit per target, so the target
// is a setting of a run, not a property of the machine: the default, avx2, is what most machines
// have.

#ifndef FLARE_NN_TARGET_H_
#define FLARE_NN_TARGET_H_

#include <string>
#include <string_view>

namespace flare {

enum class Target {
  kAvx2,      // AVX2 with FMA; x86-64 of the last ten years
  kNative,    // the best that this CPU has
  kPortable,  // no vector unit beyond the baseline, and no just-in-time code
};

// Chooses the target for the whole process: Highway's and libxsmm's alike. To be called before the
// first model is made. Throws InputError if the CPU does not have it.
void UseTarget(Target target);

// What `native` means on this CPU, for Highway and libxsmm.
std::string NativeTargetName();

// "avx2", "native", "portable". Throws InputError for anything else.
Target ParseTarget(std::string_view name);

// While it lives, this thread rounds denormal numbers to zero, as every training step does:
// decaying Adam moments become denormal, and those are many times slower. Part of a target's
// definition.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_ = 0;
};

}  // namespace flare

#endif  // FLARE_NN_TARGET_H_
