// flare sweep extract OUT: what the networks of all finished runs have learned.

#include <algorithm>
#include <memory>
#include <thread>

#include "flare/base/error.h"
#include "flare/base/long_work.h"
#include "flare/base/text.h"
#include "flare/cli/extraction_arguments.h"
#include "flare/cli/progress_bar.h"
#include "flare/cli/sweep_commands.h"
#include "flare/cli/tell.h"
#include "flare/experiments/extract_runs.h"

namespace flare {

std::function<int()> SweepExtract(CLI::App& app) {
  struct Options {
    explicit Options(CLI::App& a) : extraction(a) {
      a.add_option("OUT", out, "directory of a sweep")->required();
      AddCount(a, "--jobs", jobs, "threads, one run each")->default_str("all cores");
      AddOnly(a, only);
    }
    std::string out;
    ExtractionArguments extraction;
    std::uint64_t jobs = std::max<std::uint64_t>(1, std::thread::hardware_concurrency());
    std::vector<std::string> only;
  };
  const auto options = std::make_shared<Options>(app);
  return [options] {
    if (options->jobs == 0) throw InputError("--jobs", "expected at least 1 thread");
    const Sweep sweep = ReadSweep(options->out);
    if (sweep.is_records) throw InputError(options->out, "holds records, which have no networks");
    const StopSignals signals;
    ExtractSummary summary;
    {
      ProgressBar bar;
      summary = ExtractRuns(sweep,
                            {.extraction = options->extraction.Get(),
                             .only = RunFilter(options->only, sweep.grid),
                             .jobs = options->jobs,
                             .stop = [&] { return signals.Received(); }},
                            bar);
    }
    for (const std::string& line : summary.failed) Tell("flare: left out: {}\n", line);
    if (summary.external > 0) {
      Tell("flare: left out: {} of other programs, whose networks only they can ask\n",
           Counted(summary.external, "run"));
    }
    if (summary.without_model > 0) {
      Tell("flare: left out: {} that diverged before they had a model\n",
           Counted(summary.without_model, "run"));
    }
    Tell("flare: {}: {} extracted, {} known, {} not finished, {} held by others{}\n", options->out,
         summary.extracted, summary.known, summary.unfinished, summary.held,
         summary.stopped.empty() ? "" : " (stopped: " + summary.stopped + ")");
    const bool whole = summary.failed.empty() && summary.held == 0 && summary.stopped.empty();
    return static_cast<int>(whole ? kDone : kNegativeAnswer);
  };
}

}  // namespace flare
