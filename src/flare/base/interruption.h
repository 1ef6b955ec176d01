// Lets the caller of a library end its long work: loops that may take a while call a check once per
// string or so, if the caller has set one. Python does, for Ctrl-C.

#ifndef FLARE_BASE_INTERRUPTION_H_
#define FLARE_BASE_INTERRUPTION_H_

#include <functional>
#include <utility>

namespace flare {

class Interruption {
 public:
  // While it lives, `check` is called by the loops of this thread. It throws to end them.
  explicit Interruption(std::function<void()> check)
      : check_(std::move(check)), before_(std::exchange(current_, this)) {}
  ~Interruption() { current_ = before_; }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static void Check() {
    if (current_ != nullptr) current_->check_();
  }

 private:
  std::function<void()> check_;
  Interruption* before_;
  static inline thread_local Interruption* current_ = nullptr;
};

}  // namespace flare

#endif  // FLARE_BASE_INTERRUPTION_H_
