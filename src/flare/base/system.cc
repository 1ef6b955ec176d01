#include "flare/base/system.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

namespace flare {
namespace {

namespace fs = std::filesystem;

#ifndef __linux__
// Another thread that starts a program between the two calls hands it the descriptors, too.
bool CloseOnExec(std::array<int, 2>& ends) {
  for (const int fd : ends) {
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return false;
  }
  return true;
}
#endif

}  // namespace

fs::path ProgramFile() {
#ifdef __APPLE__
  std::uint32_t size = 0;
  ::_NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  if (::_NSGetExecutablePath(path.data(), &size) != 0) {
    throw fs::filesystem_error("the program's file",
                               std::error_code(ENOENT, std::generic_category()));
  }
  return fs::canonical(path.c_str());
#else
  return fs::read_symlink("/proc/self/exe");
#endif
}

void EndWithParent([[maybe_unused]] int signal) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, signal);
#endif
}

bool OpenPipe(std::array<int, 2>& ends) {
#ifdef __linux__
  return ::pipe2(ends.data(), O_CLOEXEC) == 0;
#else
  return ::pipe(ends.data()) == 0 && CloseOnExec(ends);
#endif
}

bool OpenSocketPair(std::array<int, 2>& ends) {
#ifdef __linux__
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
#else
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0 || !CloseOnExec(ends)) return false;
#ifdef SO_NOSIGPIPE
  const int yes = 1;
  for (const int fd : ends) ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
  return true;
#endif
}

bool DrawRandomBytes(std::span<unsigned char> bytes) {
#ifdef __linux__
  return ::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
#else
  return ::getentropy(bytes.data(), bytes.size()) == 0;
#endif
}

}  // namespace flare
