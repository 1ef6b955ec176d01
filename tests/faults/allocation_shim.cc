// Preloaded into flare, it refuses memory: of the allocations from main on, the one of number
// FAULT_ALLOCATION, from 1, calls the new-handler or else throws std::bad_alloc. With 0 it only
// counts, and writes the number to the file FAULT_LOG when the process ends.

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

int (*real_main)(int, char**, char**) = nullptr;

struct {
  std::atomic<bool> counted{false};
  std::atomic<long> count{0};
} allocations;

void Write() {
  const char* log = std::getenv("FAULT_LOG");
  if (log == nullptr) return;
  if (std::FILE* file = std::fopen(log, "w")) {
    std::fprintf(file, "%ld\n", allocations.count.load());
    std::fclose(file);
  }
}

void Count() {
  static const char* wanted = std::getenv("FAULT_ALLOCATION");
  static const long nth = wanted == nullptr ? 0 : std::atol(wanted);
  if (!allocations.counted || ++allocations.count != nth) return;
  // As the real one does without memory.
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

// Before main nobody could catch anything.
int CountedMain(int argc, char** argv, char** environment) {
  std::atexit(Write);
  allocations.counted = true;
  return real_main(argc, argv, environment);
}

template <class Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// What they give back is freed as ever.
// NOLINTBEGIN(misc-new-delete-overloads)
void* operator new(std::size_t size) {
  static auto* real = Real<void*(std::size_t)>("_Znwm");
  Count();
  return real(size);
}

void* operator new[](std::size_t size) {
  static auto* real = Real<void*(std::size_t)>("_Znam");
  Count();
  return real(size);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  static auto* real = Real<void*(std::size_t, std::align_val_t)>("_ZnwmSt11align_val_t");
  Count();
  return real(size, alignment);
}
// NOLINTEND(misc-new-delete-overloads)

extern "C" int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv,
                                 void (*init)(), void (*fini)(), void (*rtld_fini)(),
                                 void* stack_end) {
  real_main = main;
  return Real<decltype(__libc_start_main)>("__libc_start_main")(CountedMain, argc, argv, init, fini,
                                                                rtld_fini, stack_end);
}
