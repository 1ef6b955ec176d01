// What a fuzz target is: a function that gives bytes to a reader of ours. The reader accepts them,
// or reports bad input; anything else (another exception, a signal, a failed check, memory or time
// without bound) is a bug. libFuzzer calls the function with bytes that it makes up, replay.cc with
// those of the corpora.

#ifndef FLARE_FUZZ_TARGET_H_
#define FLARE_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "flare/base/error.h"

// Always returns 0, as libFuzzer requires.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace flare {

inline std::string_view AsText(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Calls read(); false if it reported bad input.
template <class Read>
bool Accepts(Read read) {
  try {
    read();
    return true;
  } catch (const InputError&) {
  } catch (const IoError&) {
  }
  return false;
}

}  // namespace flare

#endif  // FLARE_FUZZ_TARGET_H_
