#include "flare/experiments/extract_runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <mutex>

#include "flare/base/error.h"
#include "flare/base/lock_file.h"
#include "flare/base/long_work.h"
#include "flare/base/text.h"
#include "flare/runs/run.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// Is the extraction that the run has the one that is wanted?
bool HasExtraction(const RunDirectory& run, const std::string& model_sha256,
                   const ExtractionOptions& options) {
  try {
    const auto there = ReadExtraction(run, model_sha256);
    return there && there->report.max_states == options.max_states &&
           there->report.max_queries == options.max_queries &&
           (!options.max_length || there->report.max_length == *options.max_length);
  } catch (...) {
    CaughtFault();
    return false;  // making it again will report a fault of the disk
  }
}

// The runs whose networks can be asked, and how many cannot.
std::vector<Run> Askable(const Sweep& sweep, const RunFilter& only, ExtractSummary& summary) {
  std::vector<Run> askable;
  for (Run& run : ReadRuns(sweep, only)) {
    if (run.state == RunState::kDamaged) {
      summary.failed.push_back(fmt::format("{}: {}", run.at.Path(), run.fault));
    } else if (!run.result) {
      ++summary.unfinished;
    } else if (run.config->external) {
      ++summary.external;
    } else if (run.result->model_sha256.empty()) {
      ++summary.without_model;
    } else {
      askable.push_back(std::move(run));
    }
  }
  return askable;
}

std::string LineOf(const Run& run, const ExtractionReport& report) {
  return fmt::format("{}: {}", run.at.Path(), ExtractionSentence(report));
}

}  // namespace

ExtractSummary ExtractRuns(const Sweep& sweep, const ExtractRunsOptions& options,
                           ProgressObserver& observer) {
  FLARE_CHECK(!sweep.is_records);
  ExtractSummary summary;
  const std::vector<Run> runs = Askable(sweep, options.only, summary);
  Progress progress(observer, runs.size(), "runs");
  std::mutex mutex;  // guards the summary
  ForEachInParallel(runs.size(), options.jobs, [&](std::size_t i) {
    const Run& run = runs[i];
    const RunDirectory directory(sweep.RunPath(run.at));
    const auto count = [&](std::size_t& kind, const std::string& line = "") {
      const std::lock_guard lock(mutex);
      ++kind;
      progress.Step(line);
    };
    const auto fail = [&](const std::string& reason) {
      const std::lock_guard lock(mutex);
      summary.failed.push_back(fmt::format("{}: {}", run.at.Path(), reason));
      progress.Step("");
    };
    if (options.stop) {
      if (std::string reason = options.stop(); !reason.empty()) {
        const std::lock_guard lock(mutex);
        summary.stopped = std::move(reason);
        return;
      }
    }
    if (HasExtraction(directory, run.result->model_sha256, options.extraction)) {
      return count(summary.known);
    }
    try {
      LockObserver locks;
      const auto owned = WhileUndecided(
          [&](LockState& state) {
            return OwnedRun::TryOpen(directory.path(), locks, nullptr, &state);
          },
          [&] { return options.stop && !options.stop().empty(); });
      if (owned == nullptr) return count(summary.held);
      const RunExtraction extraction = ExtractFromRun(directory, options.extraction);
      WriteExtraction(*owned, extraction.saved);
      count(summary.extracted, LineOf(run, extraction.saved.report));
    } catch (...) {
      fail(CaughtFault());
    }
  });
  return summary;
}

}  // namespace flare
