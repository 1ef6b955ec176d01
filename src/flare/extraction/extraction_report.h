// The outcome of an extraction: what is known about the automaton, as a value, as text for people,
// and as the files that `flare extract` leaves in a run's directory: extract/automaton.att (AT&T
// text) and extract/report.json (docs/reference/extraction.md).

#ifndef FLARE_EXTRACTION_EXTRACTION_REPORT_H_
#define FLARE_EXTRACTION_EXTRACTION_REPORT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/base/json.h"
#include "flare/runs/run_directory.h"

namespace flare {

// The laws by which fresh strings are drawn.
inline constexpr const char* kDatasetLaw = "dataset";
inline constexpr const char* kUniformLaw = "uniform";

// The agreement of automaton and network on fresh strings of one kind, law and range of lengths.
struct Fidelity {
  // "members" and "negatives" by the dataset's law, "strings" uniform. Version 0.2 measured uniform
  // "non-members" instead of the last two.
  std::string kind;
  std::string law;
  std::size_t min_length = 0, max_length = 0;
  std::size_t strings = 0, agree = 0;
  double low = 0, high = 0;  // Wilson's 95 % interval of the share that agrees
  // The number of these strings that each gets wrong; nothing if the target is not known, or
  // version 0.2 wrote the report.
  std::optional<std::size_t> automaton_wrong = {}, network_wrong = {};
  // The probability that the automaton is wrong on such a string, where it is known exactly.
  std::optional<double> error = {};
};

// How the automaton's language differs from the target, computed exactly (difference.h). Strings
// are tokens separated by spaces.
struct ExactError {
  std::optional<std::string> first_wrongly_accepted, first_wrongly_rejected;
  // All strings on which they differ, if there are only a few; nothing if there are more, or nobody
  // counted them.
  std::optional<std::vector<std::string>> only_differs_on = {};
  // By length, from 0. Numbers of strings are decimal, with an exponent where they are not exact.
  std::vector<std::string> wrongly_accepted, wrongly_rejected;
  // The probability that a member is rejected, by the paper's law and uniformly, and that a uniform
  // non-member is accepted; nothing if the length has none.
  std::vector<std::optional<double>> rejects_by_paper, rejects_uniformly, accepts_uniformly;
  // Longer strings were not compared. If nothing, all were: where no first string is given, there
  // is none of any length.
  std::optional<std::size_t> known_up_to = {};

  bool equal() const { return !first_wrongly_accepted && !first_wrongly_rejected; }
};

struct ExtractionReport {
  std::string model_sha256, automaton_sha256;
  std::vector<std::string> alphabet;
  std::size_t max_length = 0;  // the automaton is a claim about strings up to here
  std::size_t max_states = 0, max_queries = 0;
  std::size_t states = 0;  // minimal, without a sink
  std::size_t queries = 0;
  // The limit that was reached; else empty. If there is one, the automaton is the smallest
  // hypothesis that agrees with the network nearly as often as the best one, which has
  // `best_states`.
  std::string limit = {};
  std::optional<std::size_t> best_states = {};
  std::vector<std::string> classes = {};  // the smallest that the automaton's language belongs to
  std::string circuit_class = {};
  std::vector<Fidelity> fidelity = {};
  std::string language = {};    // the target; empty if it is not known
  std::string not_judged = {};  // why there is no exact error; else empty
  std::optional<ExactError> error = {};
};

// "3 states; differs from the target, even-pairs, only on ε": the finding in one sentence, without
// a period.
std::string ExtractionSentence(const ExtractionReport& report);
// All that people want to know, beginning with that sentence.
std::string ExtractionText(const ExtractionReport& report);

// The share of the fresh strings of one law, up to the length that the automaton is a claim about,
// to which network and automaton give the same answer; nothing if there are none.
std::optional<double> FidelityUnder(const ExtractionReport& report, std::string_view law);

Json ExtractionToJson(const ExtractionReport& report);
// Throws InputError.
ExtractionReport ExtractionFromJson(const JsonValue& json);

struct SavedExtraction {
  ExtractionReport report;
  std::string automaton;  // AT&T text
};

// The report is written last, so that there is one only if all is there. Throws InputError if
// extract/ is a link to somewhere else.
void WriteExtraction(const OwnedRun& run, const SavedExtraction& extraction);
// Returns nothing if no extraction was made. Throws InputError if it is damaged, belongs to another
// model, or was interrupted while it was made again.
std::optional<SavedExtraction> ReadExtraction(const RunDirectory& run,
                                              const std::string& model_sha256);

// The automaton over the report's alphabet. AT&T text without a line is that of the empty language,
// of a network that rejects everything. `file` is named in errors.
Dfa AutomatonOf(const SavedExtraction& extraction, const std::string& file);

}  // namespace flare

#endif  // FLARE_EXTRACTION_EXTRACTION_REPORT_H_
