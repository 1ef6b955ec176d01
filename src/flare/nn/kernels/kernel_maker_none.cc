#include "flare/nn/kernels/kernel_maker.h"

namespace flare {

KernelMaker::KernelMaker(Target target) : target_(target), lock_(mutex_) {}

Kernel KernelMaker::Make(std::size_t, std::size_t, std::size_t, std::size_t, std::size_t,
                         std::size_t, bool, bool) const {
  return nullptr;
}

std::string NativeKernelsName() { return "loops"; }

}  // namespace flare
