// Time, for people and for durations. Nothing that decides a result ever looks at it.

#ifndef FLARE_BASE_CLOCK_H_
#define FLARE_BASE_CLOCK_H_

#include <chrono>
#include <string>

namespace flare {

// Now, as 2026-01-31T12:00:00Z.
std::string UtcNow();

// Seconds since its construction, by a clock that never goes back.
class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Seconds of processor time that this process has used, on all its threads.
double ProcessCpuSeconds();

// 90, 90s, 15m, 2h, 1h30m, 2-12:00:00 and 00:15:00 (as Slurm writes them) in seconds. Throws
// InputError.
double ParseDuration(const std::string& text, const std::string& where);

// Short, for people: 8s, 3m 20s, 2h 05m, 3d 04h.
std::string FormatDuration(double seconds);

}  // namespace flare

#endif  // FLARE_BASE_CLOCK_H_
