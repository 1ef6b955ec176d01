// What `flare extract` leaves of a run: extract/automaton.att, the automaton that its network has
// learned, and extract/report.json, what is known about it (docs/extract.md). The automaton is text
// of automata/att.h, which this room need not understand.

#ifndef FLARE_EXTRACTION_EXTRACTION_REPORT_H_
#define FLARE_EXTRACTION_EXTRACTION_REPORT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/run_directory.h"

namespace flare {

// How often the automaton answers as the network does, on fresh strings of one kind and range of
// lengths.
struct Fidelity {
  std::string kind;  // "members" by the language's law; "non-members" or "strings", uniform
  std::size_t min_length = 0, max_length = 0;
  std::size_t strings = 0, agree = 0;
  double low = 0, high = 0;  // Wilson's interval of the share that agrees, 95 %
  // Where it is compared exactly with the target: how often the automaton is wrong on strings of
  // this kind, exactly, and the bounds on the network's own error that follow if `low` is right.
  std::optional<double> error = {}, error_low = {}, error_high = {};
};

// For a target that is regular, by the product of automata, or that has an unambiguous grammar, by
// the product of grammar and automaton; strings are tokens separated by spaces.
struct ExactError {
  std::optional<std::string> first_wrongly_accepted, first_wrongly_rejected;
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
// Nothing if it was never made. Throws InputError if it is damaged or of another model, or was
// being made again and interrupted.
std::optional<SavedExtraction> ReadExtraction(const RunDirectory& run,
                                              const std::string& model_sha256);

}  // namespace flare

#endif  // FLARE_EXTRACTION_EXTRACTION_REPORT_H_
