// Names of the C library that the Python module has for itself (CMakeLists.txt): two that g++'s
// own library asks for and that older C libraries lack, and the three streams. Nothing else sees
// them.

#include <dlfcn.h>
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

// Debian compiles its static GMP, liblinear and BLAS for programs: they look for these variables at
// a fixed distance from their own code, where a module, which is loaded anywhere, cannot have those
// of the C library. These are copies. <cstdio> is not included, as it declares them to be seen by
// all.
struct _IO_FILE;
__attribute__((visibility("hidden"))) extern _IO_FILE *stdin, *stdout, *stderr;
_IO_FILE *stdin, *stdout, *stderr;

// Before all constructors of C++, which may write.
__attribute__((constructor(101))) static void CopyStreams() {
  const auto stream = [](const char* name) {
    return *static_cast<_IO_FILE**>(dlsym(RTLD_DEFAULT, name));
  };
  stdin = stream("stdin");
  stdout = stream("stdout");
  stderr = stream("stderr");
}
}
