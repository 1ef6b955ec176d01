// Preloaded into flare, it makes the clock that people set go back: each look at it shows a time an
// hour before the last one, in every process. The monotonic clock is left alone.

#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>

namespace {

time_t Backwards(time_t now) {
  static std::atomic<long> looks{0};
  return now - 3600 * ++looks;
}

}  // namespace

extern "C" {

time_t time(time_t* result) noexcept {
  static auto* real = reinterpret_cast<time_t (*)(time_t*)>(::dlsym(RTLD_NEXT, "time"));
  const time_t now = Backwards(real(nullptr));
  if (result != nullptr) *result = now;
  return now;
}

int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  static auto* real =
      reinterpret_cast<int (*)(clockid_t, struct timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec = Backwards(now->tv_sec);
  return result;
}

int gettimeofday(struct timeval* __restrict now, void* __restrict zone) noexcept {
  static auto* real =
      reinterpret_cast<int (*)(struct timeval*, void*)>(::dlsym(RTLD_NEXT, "gettimeofday"));
  const int result = real(now, zone);
  now->tv_sec = Backwards(now->tv_sec);
  return result;
}

}  // extern "C"
