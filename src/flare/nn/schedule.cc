#include "flare/nn/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "flare/base/error.h"

namespace flare {
namespace {

double ConstantShare(double, double, double) { return 1; }

// Returns the share of steps that are done, from 0 at the end of the warm-up to 1 after the last
// step.
double PartDone(double step, double warmup, double length) {
  return std::clamp((step - warmup) / std::max(length - warmup, 1.0), 0.0, 1.0);
}

double LinearShare(double step, double warmup, double length) {
  return 1 - PartDone(step, warmup, length);
}

double CosineShare(double step, double warmup, double length) {
  return (1 + std::cos(std::numbers::pi * PartDone(step, warmup, length))) / 2;
}

// 1 at the last step of the warm-up, or at the first of all (Vaswani et al. 2017).
double InverseSqrtShare(double step, double warmup, double) {
  return std::sqrt(std::max(warmup, 1.0) / std::max(step + 1, std::max(warmup, 1.0)));
}

}  // namespace

std::span<const ScheduleInfo> ScheduleCatalog() {
  static const std::vector<ScheduleInfo> schedules = {
      {"plateau",
       "falls after checkpoints without an improvement",
       {"learning_rate_factor", "learning_rate_patience"},
       false,
       nullptr},
      {"constant", "stays as it is", {}, false, ConstantShare},
      {"linear", "falls to the floor in a straight line", {}, true, LinearShare},
      {"cosine", "falls to the floor in half a cosine", {}, true, CosineShare},
      {"inverse-sqrt", "falls with the root of the steps", {}, false, InverseSqrtShare},
  };
  return schedules;
}

const ScheduleInfo* FindSchedule(std::string_view name) {
  for (const ScheduleInfo& schedule : ScheduleCatalog()) {
    if (schedule.name == name) return &schedule;
  }
  return nullptr;
}

Schedule::Schedule(const ScheduleConfig& config)
    : info_(FindSchedule(config.name)), config_(config), state_{config.learning_rate, 0} {
  FLARE_CHECK(info_ != nullptr && (config.length > 0 || !info_->needs_length));
}

double Schedule::RateAt(std::size_t step) const {
  const auto t = static_cast<double>(step), warmup = static_cast<double>(config_.warmup_steps);
  const double warm = t < warmup ? (t + 1) / warmup : 1;
  if (info_->share == nullptr) {
    return warm * std::max(state_.learning_rate, config_.floor * config_.learning_rate);
  }
  // Schedules that end with the training end at the floor; the others stop there.
  const double share = info_->share(t, warmup, static_cast<double>(config_.length));
  return config_.learning_rate * warm *
         (info_->needs_length ? config_.floor + (1 - config_.floor) * share
                              : std::max(share, config_.floor));
}

void Schedule::Observe(bool is_best) {
  if (is_best) {
    state_.since_reduction = 0;
  } else if (info_->share == nullptr && ++state_.since_reduction == config_.patience) {
    state_.learning_rate *= config_.factor;
    state_.since_reduction = 0;
  }
}

}  // namespace flare
