// The function that libFuzzer calls; CMakeLists.txt says which target it is.

#include <cstddef>
#include <cstdint>

#include "target.h"

// Always returns 0, as libFuzzer requires.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FLARE_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
