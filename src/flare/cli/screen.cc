#include "flare/cli/screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/text.h"
#include "flare/cli/terminal.h"

namespace flare {
namespace {

std::string TimeLeft(const CheckpointReport& r) {
  const double per_step =
      r.seconds_per_epoch / static_cast<double>(std::max<std::size_t>(r.steps_per_epoch, 1));
  const auto left = [](std::size_t limit, std::size_t done) {
    return static_cast<double>(limit > done ? limit - done : 0);
  };
  if (r.max_epochs == 0) {
    return fmt::format("{} to step {}", FormatDuration(per_step * left(r.max_steps, r.step)),
                       r.max_steps);
  }
  return fmt::format("{} to epoch {}",
                     FormatDuration(r.seconds_per_epoch * left(r.max_epochs, r.epoch)),
                     r.max_epochs);
}

// The most important part comes first, since a narrow terminal cuts off the rest.
std::vector<std::string> Pieces(const CheckpointReport& r) {
  std::string validation = "-";
  if (r.validation) {
    validation = fmt::format("{:.4f}", FindFigure(*r.validation, r.select).value_or(kNotANumber));
    if (const auto accuracy = FindFigure(*r.validation, kRecognitionAccuracy)) {
      validation += fmt::format(" {:.2f}%", 100 * *accuracy);
    } else {
      for (const auto& [figure, value] : *r.validation) {
        if (figure.ends_with("_accuracy_strings"))
          validation += fmt::format(" {:.2f}%", 100 * value);
      }
    }
    validation += r.is_best ? "*" : " ";
  }
  std::vector<std::string> pieces = {
      fmt::format("epoch {}", r.epoch),
      fmt::format("loss {:.4f}", r.loss),
      "validation " + validation,
      TimeLeft(r),
      fmt::format("rate {:.2g}", r.learning_rate),
      fmt::format("{:.0f} ex/s", r.examples_per_second),
  };
  for (const auto& [term, value] : r.term_losses) {
    pieces.push_back(fmt::format("{} {:.4f}", term, value));
  }
  return pieces;
}

}  // namespace

void LiveLine::Show(const CheckpointReport& report) {
  if (!terminal_) {
    if (report.validation && pace_.IsDue()) {
      Tell("flare: {}: step {}  {}\n", run_, report.step,
           fmt::format("{}", fmt::join(Pieces(report), "  ")));
    }
    return;
  }
  Control(kEraseLine);
  Tell("{}", WhatFits(Pieces(report), "  ", SizeOfTerminal().columns));
  std::fflush(stderr);
}

LiveLine::~LiveLine() {
  if (terminal_) Control(kEraseLine);
}

SweepScreen::SweepScreen() : terminal_(HasTerminal()) {}

SweepScreen::~SweepScreen() { Erase(); }

void SweepScreen::Erase() {
  for (; lines_ > 0; --lines_) Control("\033[A\033[2K");
}

void SweepScreen::Say(const std::string& line) {
  Erase();
  Tell("{}\n", line);
}

namespace {

// The most important part comes first.
std::vector<std::string> Pieces(const SweepView& view) {
  std::vector<std::string> pieces = {fmt::format("{}/{} done", view.finished, view.runs),
                                     fmt::format("{} running", view.running.size())};
  if (view.held > 0) pieces.push_back(fmt::format("{} elsewhere", view.held));
  if (view.failed > 0) pieces.push_back(fmt::format("{} failed", view.failed));
  if (view.damaged > 0) pieces.push_back(fmt::format("{} damaged", view.damaged));
  pieces.push_back(fmt::format("{} left", view.left));
  pieces.push_back("about " + FormatDuration(view.seconds_left));
  if (view.examples_per_second > 0) {
    pieces.push_back(fmt::format("{:.0f} ex/s per core", view.examples_per_second));
  }
  return pieces;
}

}  // namespace

void SweepScreen::Show(const SweepView& view) {
  std::vector<std::string> pieces = Pieces(view);
  if (!terminal_) {
    if (pace_.IsDue()) Tell("flare: {}\n", fmt::format("{}", fmt::join(pieces, ", ")));
    return;
  }
  Erase();
  // Lines that would wrap or scroll away could not be erased again.
  const TerminalSize screen = SizeOfTerminal();
  const auto print = [&](std::string line) {
    line.resize(std::min(line.size(), screen.columns - 1));
    Tell("{}\n", line);
    ++lines_;
  };
  const std::size_t bar = 20;
  const std::size_t filled = view.runs == 0 ? bar : bar * view.finished / view.runs;
  pieces[0] = fmt::format("[{:=<{}}{: <{}}] {}", "", filled, "", bar - filled, pieces[0]);
  print(WhatFits(pieces, ", ", screen.columns));
  for (const auto& [run, seconds] : view.running) {
    if (lines_ + 2 >= screen.rows) break;
    print(fmt::format("  {}  {}", run, FormatDuration(seconds)));
  }
  std::fflush(stderr);
}

namespace {

// A table for a loss without recognition, with a column per metric of its terms.
std::string TermTable(const RunResult& result, const SplitMetrics& first) {
  std::vector<std::string> figures;
  first.ForEachScalar([&](std::string_view name, double) {
    if (name != "examples" && name != "positives") figures.emplace_back(name);
  });
  std::string text = fmt::format("{:<20} {:>8}", "SPLIT", "EXAMPLES");
  for (const std::string& figure : figures) text += "  " + InCapitals(figure);
  text += "\n";
  for (const auto& [split, metrics] : result.splits) {
    text += fmt::format("{:<20} {:>8}", split,
                        metrics ? std::to_string(metrics->examples) : std::string("-"));
    for (const std::string& figure : figures) {
      const auto value = metrics ? metrics->Find(figure) : std::nullopt;
      text += fmt::format("  {:>{}}", value ? fmt::format("{:.6f}", *value) : "-", figure.size());
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string ResultTable(const RunResult& result, std::span<const BaselineRow> baselines) {
  for (const auto& [split, metrics] : result.splits) {
    if (metrics && !metrics->accuracy) return TermTable(result, *metrics);
  }
  const auto accuracy = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", *value) : "-";
  };
  const auto end_of_line = [&](const std::string& split) {
    const auto row = std::find_if(baselines.begin(), baselines.end(),
                                  [&](const BaselineRow& one) { return one.split == split; });
    if (row == baselines.end() || row->examples == 0) return std::string("\n");
    return fmt::format("  {:>8.4f}  {:>6}  {:>6.4f}  {:>7.4f}\n", row->majority,
                       accuracy(row->format_only), row->symbol_counts, row->ngrams);
  };
  std::string text = fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}", "SPLIT", "EXAMPLES",
                                 "ACCURACY", "CROSS-ENTROPY", "PERFECT");
  text += baselines.empty() ? "\n" : "  MAJORITY  FORMAT  COUNTS  N-GRAMS\n";
  for (const auto& [split, metrics] : result.splits) {
    if (!metrics) {
      text += fmt::format("{:<20} {:>8}  {:>8}  {:>13}  {:>7}\n", split, "-", "-", "-", "-");
      continue;
    }
    const double cross_entropy = metrics->recognition_cross_entropy.value_or(kNotANumber);
    text += fmt::format("{:<20} {:>8}  {:>8.4f}  {:>13}  {:>7}", split, metrics->examples,
                        *metrics->accuracy,
                        std::isnan(cross_entropy) ? "-" : fmt::format("{:.6f}", cross_entropy),
                        metrics->longest_perfect_length);
    text += end_of_line(split);
  }
  return text;
}

}  // namespace flare
