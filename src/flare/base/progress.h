// A progress bar on a terminal, plain lines elsewhere; always on stderr.

#ifndef FLARE_BASE_PROGRESS_H_
#define FLARE_BASE_PROGRESS_H_

#include <cstddef>
#include <mutex>
#include <string>

namespace flare {

// Thread-safe. The bar is removed when the object goes.
class Progress {
 public:
  // `unit` is what is counted: "languages".
  Progress(std::size_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more is done. `line`, unless empty, is printed where there is no terminal; on one, the bar
  // moves.
  void Step(const std::string& line);
  // Something a person should read, in both cases.
  void Say(const std::string& line);

 private:
  void Draw();
  void Erase();

  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t total_;
  std::string unit_;
  bool terminal_;
};

}  // namespace flare

#endif  // FLARE_BASE_PROGRESS_H_
