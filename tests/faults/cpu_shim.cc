// Preloaded into flare, it takes away the CPU's vector instructions, as far as Highway is asked for
// them.

#include <cstdint>

namespace hwy {

std::int64_t SupportedTargets();
std::int64_t SupportedTargets() { return std::int64_t{1} << 62; }  // HWY_SCALAR

}  // namespace hwy
