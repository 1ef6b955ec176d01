#include "flare/cli/live_line.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/cli/tell.h"

namespace flare {
namespace {

// What matters most comes first: a narrow terminal shows no more.
std::vector<std::string> Pieces(const CheckpointReport& r) {
  std::string validation = "-";
  if (r.validation) {
    validation = fmt::format("{:.4f} {:.2f}%{}", r.validation->cross_entropy,
                             100 * r.validation->accuracy, r.is_best ? "*" : " ");
  }
  const double left = r.seconds_per_epoch * static_cast<double>(r.max_epochs - r.epoch);
  std::vector<std::string> pieces = {
      fmt::format("epoch {}", r.epoch),
      fmt::format("loss {:.4f}", r.loss),
      "validation " + validation,
      fmt::format("{} to epoch {}", FormatDuration(left), r.max_epochs),
      fmt::format("rate {:.2g}", r.learning_rate),
      fmt::format("{:.0f} ex/s", r.examples_per_second),
  };
  if (r.term_losses.empty()) return pieces;
  pieces.push_back(fmt::format("rec {:.4f}", r.recognition_loss));
  for (const auto& [term, value] : r.term_losses) {
    pieces.push_back(fmt::format("{} {:.4f}", term, value));
  }
  return pieces;
}

}  // namespace

void LiveLine::Show(const CheckpointReport& report) {
  if (!terminal_) return;
  Control(kEraseLine);
  Tell("{}", WhatFits(Pieces(report), "  ", SizeOfTerminal().columns));
  std::fflush(stderr);
}

LiveLine::~LiveLine() {
  if (terminal_) Control(kEraseLine);
}

}  // namespace flare
