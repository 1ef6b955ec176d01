// Contract checks: a broken precondition or invariant is our fault, so it prints where and aborts.
// Bad input is never handled here: see error.h.

#ifndef FLARE_BASE_CHECK_H_
#define FLARE_BASE_CHECK_H_

namespace flare {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace flare

// Always on; for cold paths.
#define FLARE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::flare::CheckFailed(__FILE__, __LINE__, #condition))

// Debug and sanitizer builds only; for hot loops.
#ifdef NDEBUG
#define FLARE_DCHECK(condition) static_cast<void>(0)
#else
#define FLARE_DCHECK(condition) FLARE_CHECK(condition)
#endif

#endif  // FLARE_BASE_CHECK_H_
