// Schedules: how the learning rate changes. A catalogue: a function and a line each, in
// schedule.cc. Every schedule may begin with a linear warm-up, and has a floor.

#ifndef FLARE_NN_SCHEDULE_H_
#define FLARE_NN_SCHEDULE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flare {

struct ScheduleInfo {
  std::string name;
  std::string help;
  // The settings that it reads, of those that only some schedules have.
  std::vector<std::string> settings;
  // Does it end with the training, so that the number of steps must be known?
  bool needs_length;
  // The share of the learning rate, without warm-up and floor, at a step from 0 on. Null: the rate
  // follows the validation, not the step.
  double (*share)(double step, double warmup, double length);
};

// The first is the default.
std::span<const ScheduleInfo> ScheduleCatalog();
// Null if there is no such schedule.
const ScheduleInfo* FindSchedule(std::string_view name);

struct ScheduleConfig {
  std::string name = "plateau";
  double learning_rate = 0;      // at the start, after the warm-up
  double floor = 0;              // as a share of the learning rate
  std::size_t warmup_steps = 0;  // the rate rises linearly during these
  // The length of the training in steps, if only its limits end it; 0: not known.
  std::size_t length = 0;
  double factor = 0.5;  // plateau multiplies the rate by it
  std::size_t patience = 5;
};

class Schedule {
 public:
  struct State {
    double learning_rate = 0;         // plateau's rate, without the warm-up
    std::size_t since_reduction = 0;  // checkpoints without an improvement since the last reduction
  };

  // Requires: a known name, and a known length if the schedule needs it.
  explicit Schedule(const ScheduleConfig& config);

  // The learning rate of a step, from 0.
  double RateAt(std::size_t step) const;
  // After a checkpoint: plateau multiplies the rate by a factor after a number of them without an
  // improvement (paper, Appendix D: by ½ after 5).
  void Observe(bool is_best);

  const State& state() const { return state_; }
  void Restore(const State& state) { state_ = state; }

 private:
  const ScheduleInfo* info_;
  ScheduleConfig config_;
  State state_;
};

}  // namespace flare

#endif  // FLARE_NN_SCHEDULE_H_
