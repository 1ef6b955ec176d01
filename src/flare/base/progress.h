// The progress of long work. Libraries report it and never print: their caller decides what becomes
// of it. The command line draws a bar (cli/progress_bar.h).

#ifndef FLARE_BASE_PROGRESS_H_
#define FLARE_BASE_PROGRESS_H_

#include <cstddef>
#include <string>

namespace flare {

// Receives the reports; this one ignores them. Threads may call it at the same time.
class ProgressObserver {
 public:
  virtual ~ProgressObserver() = default;

  // `unit` is what is counted: "languages".
  virtual void Begin([[maybe_unused]] std::size_t total, [[maybe_unused]] const std::string& unit) {
  }
  // One more is done. `line` says which, or is empty.
  virtual void Step([[maybe_unused]] const std::string& line) {}
  // Something a person should read.
  virtual void Say([[maybe_unused]] const std::string& line) {}
  // The work is done, or failed.
  virtual void End() {}
};

// Work of many pieces, which lasts as long as this object.
class Progress {
 public:
  Progress(ProgressObserver& observer, std::size_t total, const std::string& unit)
      : observer_(observer) {
    observer.Begin(total, unit);
  }
  ~Progress() { observer_.End(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Step(const std::string& line) { observer_.Step(line); }
  void Say(const std::string& line) { observer_.Say(line); }

 private:
  ProgressObserver& observer_;
};

}  // namespace flare

#endif  // FLARE_BASE_PROGRESS_H_
