// Extracts the automaton of the strings that a trained recognizer accepts (query_learner.h), and
// compares it with the language that the network was to learn.
//
// One thread, and every draw named: the outcome is the same bytes whatever else is running.

#ifndef FLARE_EXTRACTION_EXTRACT_H_
#define FLARE_EXTRACTION_EXTRACT_H_

#include <cstddef>
#include <optional>

#include "flare/automata/dfa.h"
#include "flare/extraction/extraction_report.h"
#include "flare/extraction/query_learner.h"
#include "flare/nn/model.h"
#include "flare/runs/run_directory.h"
#include "flare/training/run.h"

namespace flare {

struct ExtractionOptions {
  // The length up to which the automaton must agree with the network; by default, that of the
  // longest training string.
  std::optional<std::size_t> max_length = {};
  std::size_t max_states = LearnerLimits{}.max_states;
  std::size_t max_queries = LearnerLimits{}.max_queries;
};

struct Extraction {
  Dfa automaton;  // minimal and trim
  ExtractionReport report;
  double network_seconds = 0;  // of the network's own passes
};

// Leaves out the hashes of files. Throws InputError if strings of these lengths are too long for
// the model, or if the training split is needed and missing.
Extraction ExtractAutomaton(Model& model, const RunPlan& plan, const ExtractionOptions& options);

// The extraction of a finished run, ready to be written. Throws InputError if the run is not
// finished, or if another program trained it, whose network we cannot ask.
struct RunExtraction {
  SavedExtraction saved;
  double network_seconds = 0;
};
RunExtraction ExtractFromRun(const RunDirectory& run, const ExtractionOptions& options);

}  // namespace flare

#endif  // FLARE_EXTRACTION_EXTRACT_H_
