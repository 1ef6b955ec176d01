#include "flare/extraction/extraction_report.h"

#include <filesystem>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/integrity.h"
#include "flare/base/sha256.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kExtractionFormat = 1;

constexpr const char* kMakesItAgain = "flare extract makes it again";

fs::path AutomatonFile(const RunDirectory& run) { return run.extraction() / "automaton.att"; }
fs::path ReportFile(const RunDirectory& run) { return run.extraction() / "report.json"; }

Json OrNullEach(const std::vector<std::optional<double>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(OrNull(value));
  return list;
}

std::vector<std::optional<double>> MaybeNumbers(const JsonValue& json, std::string_view name) {
  std::vector<std::optional<double>> values;
  for (const JsonValue& value : json.Array(name)) {
    values.push_back(value.IsNull() ? std::nullopt : std::optional(value.AsNumber(name)));
  }
  return values;
}

std::optional<std::string> MaybeString(const JsonValue& json, std::string_view name) {
  const auto found = json.Find(name);
  return found ? std::optional(found->AsString(name)) : std::nullopt;
}

Json FidelityToJson(const Fidelity& row) {
  return {{"kind", row.kind},
          {"min_length", row.min_length},
          {"max_length", row.max_length},
          {"strings", row.strings},
          {"agree", row.agree},
          {"low", row.low},
          {"high", row.high},
          {"error", OrNull(row.error)},
          {"error_low", OrNull(row.error_low)},
          {"error_high", OrNull(row.error_high)}};
}

Fidelity FidelityFromJson(const JsonValue& json) {
  return {.kind = json.String("kind"),
          .min_length = json.Count("min_length"),
          .max_length = json.Count("max_length"),
          .strings = json.Count("strings"),
          .agree = json.Count("agree"),
          .low = json.Number("low"),
          .high = json.Number("high"),
          .error = json.MaybeNumber("error"),
          .error_low = json.MaybeNumber("error_low"),
          .error_high = json.MaybeNumber("error_high")};
}

Json ErrorToJson(const ExactError& error) {
  return {{"first_wrongly_accepted", OrNull(error.first_wrongly_accepted)},
          {"first_wrongly_rejected", OrNull(error.first_wrongly_rejected)},
          {"wrongly_accepted", error.wrongly_accepted},
          {"wrongly_rejected", error.wrongly_rejected},
          {"rejects_by_paper", OrNullEach(error.rejects_by_paper)},
          {"rejects_uniformly", OrNullEach(error.rejects_uniformly)},
          {"accepts_uniformly", OrNullEach(error.accepts_uniformly)},
          {"known_up_to", OrNull(error.known_up_to)}};
}

ExactError ErrorFromJson(const JsonValue& json) {
  ExactError error{.first_wrongly_accepted = MaybeString(json, "first_wrongly_accepted"),
                   .first_wrongly_rejected = MaybeString(json, "first_wrongly_rejected"),
                   .wrongly_accepted = json.Strings("wrongly_accepted"),
                   .wrongly_rejected = json.Strings("wrongly_rejected"),
                   .rejects_by_paper = MaybeNumbers(json, "rejects_by_paper"),
                   .rejects_uniformly = MaybeNumbers(json, "rejects_uniformly"),
                   .accepts_uniformly = MaybeNumbers(json, "accepts_uniformly"),
                   .known_up_to = json.MaybeCount("known_up_to")};
  const std::size_t lengths = error.wrongly_accepted.size();
  if (error.wrongly_rejected.size() != lengths || error.rejects_by_paper.size() != lengths ||
      error.rejects_uniformly.size() != lengths || error.accepts_uniformly.size() != lengths) {
    json.Fail("error: expected lists of the same length");
  }
  return error;
}

}  // namespace

Json ExtractionToJson(const ExtractionReport& report) {
  Json fidelity = Json::array();
  for (const Fidelity& row : report.fidelity) fidelity.push_back(FidelityToJson(row));
  return {{kFormatMember, kExtractionFormat},
          {"model_sha256", report.model_sha256},
          {"automaton_sha256", report.automaton_sha256},
          {"alphabet", report.alphabet},
          {"max_length", report.max_length},
          {"max_states", report.max_states},
          {"max_queries", report.max_queries},
          {"states", report.states},
          {"queries", report.queries},
          {"limit", report.limit},
          {"best_states", OrNull(report.best_states)},
          {"classes", report.classes},
          {"circuit_class", report.circuit_class},
          {"fidelity", std::move(fidelity)},
          {"language", report.language},
          {"not_judged", report.not_judged},
          {"error", report.error ? ErrorToJson(*report.error) : Json(nullptr)}};
}

ExtractionReport ExtractionFromJson(const JsonValue& json) {
  CheckFormat(json, kExtractionFormat);
  ExtractionReport report{.model_sha256 = json.String("model_sha256"),
                          .automaton_sha256 = json.String("automaton_sha256"),
                          .alphabet = json.Strings("alphabet"),
                          .max_length = json.Count("max_length"),
                          .max_states = json.Count("max_states"),
                          .max_queries = json.Count("max_queries"),
                          .states = json.Count("states"),
                          .queries = json.Count("queries"),
                          .limit = json.String("limit"),
                          .best_states = json.MaybeCount("best_states"),
                          .classes = json.Strings("classes"),
                          .circuit_class = json.String("circuit_class"),
                          .fidelity = {},
                          .language = json.String("language"),
                          .not_judged = json.String("not_judged"),
                          .error = {}};
  for (const JsonValue& row : json.Array("fidelity")) {
    report.fidelity.push_back(FidelityFromJson(row));
  }
  if (const auto error = json.Find("error")) report.error = ErrorFromJson(*error);
  return report;
}

void WriteExtraction(const OwnedRun& run, const SavedExtraction& extraction) {
  run.Write(AutomatonFile(run.directory()), extraction.automaton);
  run.Write(ReportFile(run.directory()), CheckedText(ExtractionToJson(extraction.report)));
}

std::optional<SavedExtraction> ReadExtraction(const RunDirectory& run,
                                              const std::string& model_sha256) {
  if (!fs::exists(ReportFile(run)) || !fs::exists(AutomatonFile(run))) return std::nullopt;
  JsonReader reader;
  const std::string text = ReadRegularFile(ReportFile(run));
  const JsonValue json = reader.Parse(text, ReportFile(run));
  SavedExtraction extraction{ExtractionFromJson(json), ReadRegularFile(AutomatonFile(run))};
  VerifyText(text, json, kMakesItAgain);
  if (extraction.report.model_sha256 != model_sha256) {
    throw InputError(ReportFile(run), "is of another model than the run's", kMakesItAgain);
  }
  if (extraction.report.automaton_sha256 != Sha256(extraction.automaton)) {
    throw InputError(AutomatonFile(run), "is not the automaton that report.json is about",
                     kMakesItAgain);
  }
  return extraction;
}

}  // namespace flare
