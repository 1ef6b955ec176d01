// Which process it is, and whether it is alive: what a lock says about its owner.

#ifndef FLARE_BASE_PROCESS_IDENTITY_H_
#define FLARE_BASE_PROCESS_IDENTITY_H_

#include <cstdint>
#include <string>

namespace flare {

struct ProcessIdentity {
  std::string host;
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  // in clock ticks since boot
  // Where pids and start times mean something: boot id, pid namespace and, unless it is the first,
  // time namespace. Empty if the kernel does not say.
  std::string boot;
};

// `proc` is where the kernel describes processes.
ProcessIdentity OwnIdentity(const std::string& proc = "/proc");

enum class Life {
  kThere,
  kGone,
  kUnknown,  // it is elsewhere, or we are not allowed to look
};

Life LookAtProcess(const ProcessIdentity& process, const std::string& proc = "/proc");

}  // namespace flare

#endif  // FLARE_BASE_PROCESS_IDENTITY_H_
