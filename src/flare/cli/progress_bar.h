// A progress bar on a terminal, plain lines elsewhere; always on stderr.

#ifndef FLARE_CLI_PROGRESS_BAR_H_
#define FLARE_CLI_PROGRESS_BAR_H_

#include <cstddef>
#include <mutex>
#include <string>

#include "flare/base/long_work.h"

namespace flare {

class ProgressBar : public ProgressObserver {
 public:
  ProgressBar();

  void Begin(std::size_t total, const std::string& unit) override;
  // Where there is no terminal, `line` is printed, unless it is empty; on one, the bar moves.
  void Step(const std::string& line) override;
  void Say(const std::string& line) override;
  // The bar is removed.
  void End() override;

 private:
  void Draw();
  void Erase();

  std::mutex mutex_;
  std::size_t done_ = 0, total_ = 0;
  std::string unit_;
  const bool terminal_;
};

}  // namespace flare

#endif  // FLARE_CLI_PROGRESS_BAR_H_
