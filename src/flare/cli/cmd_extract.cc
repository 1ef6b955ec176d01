// flare extract RUN: the automaton that a trained recognizer has learned.

#include <filesystem>
#include <memory>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/cli/command.h"
#include "flare/cli/run_arguments.h"
#include "flare/cli/terminal.h"
#include "flare/runs/run_directory.h"
#include "flare/training/run.h"

namespace flare {
namespace {

struct ExtractArguments {
  explicit ExtractArguments(CLI::App& app) : extraction(app) {
    app.add_option("RUN", run, "directory of a finished run")->required();
    app.add_option("--out", out, "also write the automaton here, as AT&T text")->type_name("FILE");
    app.add_flag("--json", json, "print the report as JSON");
  }

  std::string run, out;
  ExtractionArguments extraction;
  bool json = false;
};

int Extract(const ExtractArguments& arguments) {
  if (!arguments.out.empty()) {
    CheckIsOutsideRuns(std::filesystem::absolute(arguments.out).parent_path());
  }
  const Stopwatch watch;
  const RunDirectory directory(arguments.run);
  ReadPlan(directory);  // throws if there is no run: opening one would begin it
  const StopSignals signals;
  const auto run = OpenRun(arguments.run, signals);
  if (run == nullptr) return kNegativeAnswer;
  const RunExtraction extraction = ExtractFromRun(directory, arguments.extraction.Get());
  WriteExtraction(*run, extraction.saved);
  if (!arguments.out.empty()) WriteFileAtomically(arguments.out, extraction.saved.automaton);
  Tell("flare: {}: {:.1f} s, {:.0f} % of it in the network\n", arguments.run, watch.Seconds(),
       100 * extraction.network_seconds / watch.Seconds());
  Print(arguments.json ? JsonText(ExtractionToJson(extraction.saved.report))
                       : ExtractionText(extraction.saved.report));
  return kDone;
}

}  // namespace

std::function<int()> ExtractCommand(CLI::App& app) {
  const auto arguments = std::make_shared<ExtractArguments>(app);
  return [arguments] { return Extract(*arguments); };
}

}  // namespace flare
