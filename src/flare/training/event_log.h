// events.jsonl: what happened in a run, one JSON object per line.
//
// Lines are appended as they come; a checkpoint records how long the file was, and a resumed run
// starts a new file with so much of the old one, so that what it does again is not told twice. The
// old one is not cut: a process that was suspended and lost the run may still have it open.

#ifndef FLARE_TRAINING_EVENT_LOG_H_
#define FLARE_TRAINING_EVENT_LOG_H_

#include <cstdint>
#include <string>

#include "flare/base/json.h"

namespace flare {

class EventLog {
 public:
  // Keeps the first `size` bytes of the file. Throws IoError, or InputError if it is shorter.
  EventLog(const std::string& path, std::uint64_t size);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Adds {"event": name, "time": now, ...fields}.
  void Append(const std::string& name, const Json& fields);
  // Makes what was appended last.
  void Sync();
  std::uint64_t size() const { return size_; }

 private:
  std::string path_;
  int fd_;
  std::uint64_t size_;
};

}  // namespace flare

#endif  // FLARE_TRAINING_EVENT_LOG_H_
