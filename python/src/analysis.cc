// What is known about languages, networks and sweeps: classes, extracted automata, reports.
// ../flarelang/analysis.py makes classes of this.

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dfa.h"
#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/lock_file.h"
#include "flare/classes/classification_formats.h"
#include "flare/extraction/extract.h"
#include "flare/extraction/extraction_report.h"
#include "flare/nn/architectures.h"
#include "flare/report/automaton_svg.h"
#include "flare/report/report.h"
#include "flare/runs/run_directory.h"
#include "flare/theory/predictions.h"
#include "interrupts.h"
#include "language.h"

namespace flare::python {
namespace {

namespace fs = std::filesystem;

// As JSON, as text, and as a short text.
py::tuple Classify(const BoundLanguage& l, const std::string& read_out, std::size_t max_elements) {
  const Dfa* dfa = l.language().dfa();
  if (dfa == nullptr) {
    throw InputError("", fmt::format("{} is {}: only regular languages are classified",
                                     l.named.name, LongName(l.named.language_class)));
  }
  if (read_out != "last" && read_out != "eos") {
    throw InputError("readout", fmt::format("'{}' is neither 'last' nor 'eos'", read_out));
  }
  Json json = {{"name", l.named.name}, {"definition", l.named.definition}};
  std::string text, brief;
  {
    const py::gil_scoped_release unlock;
    const auto classification = classes::Classify(*dfa, {.max_elements = max_elements});
    std::vector<std::string> architectures;
    for (const Architecture& one : Architectures()) architectures.push_back(one.name);
    const auto predictions =
        theory::Predict(classification, architectures, theory::ReadOutOf(read_out));
    json.update(classes::ClassificationToJson(classification));
    json["readout"] = read_out;
    json["predictions"] = theory::PredictionsToJson(predictions);
    text = fmt::format("{}\n{}\n{}\n{}", l.named.name, l.named.definition,
                       classes::ClassificationText(classification),
                       theory::PredictionsText(predictions));
    brief = fmt::format("{}\n{}\n{}", l.named.name, classes::ClassesText(classification),
                        theory::VerdictsText(predictions));
  }
  return py::make_tuple(json.dump(), text, brief);
}

// A network that accepts nothing has an empty file, which is no automaton in AT&T text.
Dfa AutomatonOf(const SavedExtraction& saved, const fs::path& run) {
  if (saved.automaton.empty()) {
    DfaBuilder nothing(Alphabet(saved.report.alphabet));
    const StateId start = nothing.AddState(false);
    return std::move(nothing).Build(start);
  }
  return ParseAtt(saved.automaton, (run / "extract/automaton.att").string(),
                  {.extra_symbols = saved.report.alphabet});
}

// As `flare extract`, and leaves the same files: the report as JSON and as text, and the automaton.
py::tuple Extract(const fs::path& path, const std::optional<std::size_t>& max_length,
                  std::size_t max_states, std::size_t max_queries) {
  constexpr std::size_t kLongestClaim = 10'000;
  if (max_length.value_or(0) > kLongestClaim) {
    throw InputError("max_length", fmt::format("{} is above {}", *max_length, kLongestClaim));
  }
  if (max_states == 0) throw InputError("max_states", "expected at least 1 state");
  if (max_queries == 0) throw InputError("queries", "expected at least 1 string");
  SavedExtraction saved;
  {
    const py::gil_scoped_release unlock;
    const InterruptibleWork work;
    const RunDirectory directory(path);
    ReadPlan(directory);  // a run that is not there is not begun by opening it
    LockObserver observer;
    LockOwner owner;
    const auto attempt = [&](LockState& state) {
      return OwnedRun::TryOpen(path, observer, &owner, &state);
    };
    const auto run = WhileUndecided(attempt, [] {
      Interruption::Check();
      return false;
    });
    if (run == nullptr) {
      throw InputError(path, fmt::format("{} is working on this run", owner.Describe()));
    }
    saved = ExtractFromRun(
                directory,
                {.max_length = max_length, .max_states = max_states, .max_queries = max_queries})
                .saved;
    WriteExtraction(*run, saved);
  }
  return py::make_tuple(ExtractionToJson(saved.report).dump(), ExtractionText(saved.report),
                        BoundDfa(AutomatonOf(saved, path)));
}

// What became of the runs, as JSON, with all that is damaged.
std::string Report(const std::vector<fs::path>& sweeps, const fs::path& to, bool published,
                   bool whole_trials, const std::string& metric, const fs::path& tables) {
  const report::ReportSummary summary = report::WriteReport(
      sweeps, to,
      {.published = published, .whole_trials = whole_trials, .metric = metric, .tables = tables});
  return Json{{"text", summary.Text()},
              {"runs", summary.runs},
              {"finished", summary.finished},
              {"diverged", summary.diverged},
              {"failed", summary.failed},
              {"running", summary.running},
              {"left_out", summary.left_out},
              {"damaged_runs", summary.damaged_runs},
              {"damaged_baselines", summary.damaged_baselines},
              {"damaged_manifests", summary.damaged_manifests}}
      .dump();
}

}  // namespace

void BindAnalysis(py::module_& module) {
  module.def("classify", &Classify);
  module.def("default_max_elements",
             [] { return std::size_t{classes::MonoidLimits::kDefaultElements}; });
  module.def("extract", &Extract);
  module.def("default_extraction", [] {
    const ExtractionOptions options;
    return py::make_tuple(options.max_states, options.max_queries);
  });
  module.def("report", &Report, py::call_guard<py::gil_scoped_release>());
  // Graphviz is not thread-safe: the lock stays.
  module.def("automaton_svg", [](const BoundDfa& automaton, const std::string& title) {
    return report::AutomatonSvg(*automaton.dfa, title);
  });
}

}  // namespace flare::python
