// events.jsonl: what happened in a run, one JSON object per line.
//
// Lines are appended as they come; a checkpoint records how long the file was, and a resumed run
// cuts it back to there, so that what it does again is not told twice.

#ifndef FLARE_TRAINING_EVENT_LOG_H_
#define FLARE_TRAINING_EVENT_LOG_H_

#include <cstdint>
#include <string>

#include "flare/base/json.h"

namespace flare {

class EventLog {
 public:
  // Opens the file and cuts it to `size` bytes. Throws IoError, or InputError if it is shorter.
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
