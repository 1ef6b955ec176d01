// Two names of newer C libraries that g++'s own library asks for, so that the Python module loads
// where they are missing (cmake/static.cmake). Both are seen in the module alone.

#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

// "There may be other threads", which costs an atomic operation where a plain one might do.
__attribute__((visibility("hidden"))) extern char __libc_single_threaded;
char __libc_single_threaded = 0;

// std::random_device.
__attribute__((visibility("hidden"))) std::uint32_t arc4random();
std::uint32_t arc4random() {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) std::abort();
  return number;
}
}
