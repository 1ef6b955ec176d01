// Contract checks: a broken precondition or invariant is our fault. It is thrown, so that a program
// that we are a part of survives it; our own prints where and aborts (cli/main.cc). Bad input is
// never handled here: see error.h.

#ifndef FLARE_BASE_CHECK_H_
#define FLARE_BASE_CHECK_H_

#include <stdexcept>

namespace flare {

// "wfa.h:75: check failed: a.alphabet == b.alphabet"
class CheckError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

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
