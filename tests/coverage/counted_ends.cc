// How a process of a build with --coverage hands in its counts of lines. libgcov does it when a
// process exits, by rewriting files: what ends otherwise (a sweep's workers, what aborts on
// purpose) would not count, and what is killed meanwhile, or may not write large files, as some
// tests have it, would leave half a file. So the calls that end a process are caught (ld's --wrap),
// and a grandchild, which is beyond the reach of what the tests do, hands in the counts.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

extern "C" {

#include <gcov.h>

[[noreturn]] void __real__exit(int code);
[[noreturn]] void __real__Exit(int code);
[[noreturn]] void __real_abort();
int __real_raise(int signal);
}

namespace {

void HandIn() {
  int done[2] = {-1, -1};
  const bool waits = pipe(done) == 0;
  const pid_t child = fork();
  if (child == 0) {
    // Its parent is gone at once, so that nobody takes it for one of the processes under test.
    if (fork() != 0) __real__exit(0);
    setsid();
    rlimit size;
    getrlimit(RLIMIT_FSIZE, &size);
    size.rlim_cur = size.rlim_max;
    setrlimit(RLIMIT_FSIZE, &size);
    __gcov_dump();
    __real__exit(0);
  }
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!waits) return;
  close(done[1]);
  char none;
  while (read(done[0], &none, 1) < 0 && errno == EINTR) {
  }
  close(done[0]);
}

// Instead of what libgcov would do now.
void AtExit(int code, void*) {
  HandIn();
  std::fflush(nullptr);
  __real__exit(code);
}

// The first to be registered runs last.
[[gnu::constructor(101)]] void Register() { on_exit(AtExit, nullptr); }

}  // namespace

extern "C" {

[[noreturn]] void __wrap__exit(int code) {
  HandIn();
  __real__exit(code);
}

[[noreturn]] void __wrap__Exit(int code) {
  HandIn();
  __real__Exit(code);
}

[[noreturn]] void __wrap_abort() {
  HandIn();
  __real_abort();
}

int __wrap_raise(int signal) {
  HandIn();
  __gcov_reset();
  return __real_raise(signal);
}

}  // extern "C"
