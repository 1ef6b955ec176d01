// Faults as exceptions: the user's, the machine's, and our own. cli/main.cc turns them into exit
// codes; a sweep's worker records the run that failed and continues. Libraries never print and
// never exit.

#ifndef FLARE_BASE_ERROR_H_
#define FLARE_BASE_ERROR_H_

#include <cstddef>
#include <stdexcept>
#include <string>

namespace flare {

// The user's fault: flags, patterns, file contents. Exit code 2. The message reads
//   grid.toml:14: model.hidden: 0 is outside [1, 4096]
// that is: where, what is wrong with which text, and, if it helps, a hint on what was expected.
class InputError : public std::runtime_error {
 public:
  // `where` is a file, `file:line`, an option or a language; empty where there is only one input.
  InputError(std::string where, const std::string& what, std::string hint = "");

  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }

 private:
  std::string where_;
  std::string hint_;
};

// Something is missing now or on this machine, such as data on a disk that is not mounted, or an
// instruction set that the CPU lacks. A command that needs it treats this as bad input. A sweep's
// worker does not count it as a failure of the run, since another machine, or this one later, can
// finish the run.
class Unavailable : public InputError {
 public:
  using InputError::InputError;
};

// The machine's fault: disk, permissions, memory. Exit code 3.
class IoError : public std::runtime_error {
 public:
  // `operation` is a verb: "open", "write", "rename". `error_number` is an errno value.
  IoError(const std::string& path, const std::string& operation, int error_number);
  const std::string& path() const { return path_; }
  int error_number() const { return error_number_; }

 private:
  std::string path_;
  int error_number_;
};

// Within a catch (...): the fault in words, and what to do about it, for callers that continue
// without what failed. Knows InputError, IoError and the standard library's file errors; rethrows
// the rest.
std::string CaughtFault();

// "file:line", with lines counted from 1.
std::string FileLine(const std::string& file, std::size_t line);

// Our own fault: a precondition or an invariant that is broken. It is thrown, so that a program
// that we are a part of survives it; our own prints where and aborts. The message reads
//   operations.cc:75: check failed: a.alphabet() == b.alphabet()
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

#endif  // FLARE_BASE_ERROR_H_
