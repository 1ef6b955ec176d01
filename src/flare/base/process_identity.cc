#include "flare/base/process_identity.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <sstream>

namespace flare {
namespace {

// Nothing if it cannot be read.
std::optional<std::string> ReadProc(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return std::nullopt;
  std::array<char, 1024> buffer;
  const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file);
  std::string text(buffer.data(), count);
  std::fclose(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string ReadLink(const std::string& path) {
  std::array<char, 64> target{};
  const ssize_t count = ::readlink(path.c_str(), target.data(), target.size());
  return std::string(target.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
}

std::string Host() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

std::string Boot(const std::string& proc) {
  // A /proc that a container got from another one says nothing about our pids.
  if (ReadLink(proc + "/self") != std::to_string(::getpid())) return "";
  const std::string id = ReadProc(proc + "/sys/kernel/random/boot_id").value_or("");
  const std::string pids = ReadLink(proc + "/self/ns/pid");
  if (id.empty() || pids.empty()) return "";
  // Start times are given in the reader's time namespace. The first one has this number.
  const std::string times = ReadLink(proc + "/self/ns/time");
  const bool is_first = times.empty() || times == "time:[4026531834]";
  return id + " " + pids + (is_first ? "" : " " + times);
}

struct Status {
  char state = 0;
  std::uint64_t start_time = 0;
};

std::optional<Status> ReadStatus(std::int64_t pid, const std::string& proc) {
  const auto text = ReadProc(proc + "/" + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  // The second field is a name in parentheses, which may contain anything.
  const std::size_t end = text->rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(text->substr(end + 1));
  Status status;
  std::string skipped;
  fields >> status.state;
  for (int i = 4; i < 22; ++i) fields >> skipped;
  if (!(fields >> status.start_time)) return std::nullopt;
  return status;
}

}  // namespace

ProcessIdentity OwnIdentity(const std::string& proc) {
  ProcessIdentity self{.host = Host(), .pid = ::getpid(), .start_time = 0, .boot = Boot(proc)};
  const auto status = ReadStatus(self.pid, proc);
  // A process that cannot say when it started cannot be recognized by that.
  if (status) self.start_time = status->start_time;
  if (!status) self.boot.clear();
  return self;
}

Life LookAtProcess(const ProcessIdentity& process, const std::string& proc) {
  const bool is_here =
      !process.boot.empty() && process.boot == Boot(proc) && process.host == Host();
  if (!is_here || process.pid <= 0) return Life::kUnknown;
  // The kernel always answers this, even where /proc hides other users' processes.
  if (::kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return Life::kGone;
  const auto status = ReadStatus(process.pid, proc);
  if (!status) return Life::kUnknown;
  const bool is_it = status->start_time == process.start_time;
  return is_it && status->state != 'Z' && status->state != 'X' ? Life::kThere : Life::kGone;
}

}  // namespace flare
