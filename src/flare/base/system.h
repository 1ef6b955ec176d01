// Features that Linux offers beyond POSIX, with the nearest replacement for other Unix systems such
// as macOS, on which nobody has built this yet.

#ifndef FLARE_BASE_SYSTEM_H_
#define FLARE_BASE_SYSTEM_H_

#include <array>
#include <filesystem>
#include <span>

namespace flare {

// The file of the program that runs. Throws a file error if the system does not tell.
std::filesystem::path ProgramFile();

// Asks the kernel to send this process a signal when the thread that started it ends. Only Linux
// can; elsewhere, what was started by a process that is killed ends by itself. Safe after fork().
void EndWithParent(int signal);

// Both ends of a pipe, for reading and for writing, and both ends of a socket. Programs that are
// started do not get them. Return false, with errno, if that fails.
bool OpenPipe(std::array<int, 2>& ends);
bool OpenSocketPair(std::array<int, 2>& ends);

// Fills it with random bytes; false, with errno, if that fails.
bool DrawRandomBytes(std::span<unsigned char> bytes);

}  // namespace flare

#endif  // FLARE_BASE_SYSTEM_H_
