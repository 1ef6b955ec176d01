#include "flare/extraction/extraction_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"

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
          {"law", row.law},
          {"min_length", row.min_length},
          {"max_length", row.max_length},
          {"strings", row.strings},
          {"agree", row.agree},
          {"low", row.low},
          {"high", row.high},
          {"automaton_wrong", OrNull(row.automaton_wrong)},
          {"network_wrong", OrNull(row.network_wrong)},
          {"error", OrNull(row.error)}};
}

// Version 0.2 did not name laws: it drew members as the dataset did, and all else uniformly.
std::string LawOf(const JsonValue& json) {
  if (const auto law = MaybeString(json, "law")) return *law;
  return json.String("kind") == "members" ? kDatasetLaw : kUniformLaw;
}

Fidelity FidelityFromJson(const JsonValue& json) {
  return {.kind = json.String("kind"),
          .law = LawOf(json),
          .min_length = json.Count("min_length"),
          .max_length = json.Count("max_length"),
          .strings = json.Count("strings"),
          .agree = json.Count("agree"),
          .low = json.Number("low"),
          .high = json.Number("high"),
          .automaton_wrong = json.MaybeCount("automaton_wrong"),
          .network_wrong = json.MaybeCount("network_wrong"),
          .error = json.MaybeNumber("error")};
}

Json ErrorToJson(const ExactError& error) {
  return {{"first_wrongly_accepted", OrNull(error.first_wrongly_accepted)},
          {"first_wrongly_rejected", OrNull(error.first_wrongly_rejected)},
          {"only_differs_on", OrNull(error.only_differs_on)},
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
                   .only_differs_on = json.Find("only_differs_on")
                                          ? std::optional(json.Strings("only_differs_on"))
                                          : std::nullopt,
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

std::string WordText(const std::string& w) { return w.empty() ? "ε" : w; }

// "differs from the target, even-pairs, only on ε"
std::string ComparisonText(const ExtractionReport& report) {
  if (!report.error) {
    return report.language.empty()
               ? fmt::format("not compared with a target ({})", report.not_judged)
               : fmt::format("not compared with the target, {} ({})", report.language,
                             report.not_judged);
  }
  const ExactError& error = *report.error;
  const std::string up_to =
      error.known_up_to ? fmt::format(" up to length {}", *error.known_up_to) : "";
  if (error.equal())
    return fmt::format("the same language as the target, {}{}", report.language, up_to);
  if (error.only_differs_on) {
    std::vector<std::string> words;
    for (const std::string& w : *error.only_differs_on) words.push_back(WordText(w));
    return fmt::format("differs from the target, {}, only on {}", report.language,
                       fmt::join(words, ", "));
  }
  const auto part = [&](const char* verb, const char* kind, const std::optional<std::string>& w) {
    return w ? fmt::format("{} {}s (the shortest is {})", verb, kind, WordText(*w))
             : fmt::format("{} no {}{}", verb, kind, up_to);
  };
  return fmt::format("differs from the target, {}: it {} and {}", report.language,
                     part("accepts", "non-member", error.first_wrongly_accepted),
                     part("rejects", "member", error.first_wrongly_rejected));
}

std::string PercentText(const std::optional<double>& share) {
  return share ? fmt::format("{:.4g} %", 100 * *share) : "-";
}

std::string KindText(const Fidelity& row) {
  if (row.law == kUniformLaw) return "uniform " + row.kind;
  return row.kind + ", as in the data";
}

std::string FidelityText(const std::vector<Fidelity>& rows) {
  const auto of = [](const std::optional<std::size_t>& count, std::size_t all) {
    return count ? fmt::format("{} of {}", *count, all) : "-";
  };
  std::string text = fmt::format(
      "\nOn fresh strings, drawn as the data was and uniformly:\n"
      "{:<25}  {:<7}  {:>12}  {:>16}  {:>15}  {:>13}\n",
      "STRINGS", "LENGTHS", "SAME ANSWER", "95 % INTERVAL", "AUTOMATON WRONG", "NETWORK WRONG");
  for (const Fidelity& row : rows) {
    text += fmt::format("{:<25}  {:<7}  {:>12}  {:.4f} to {:.4f}  {:>15}  {:>13}\n", KindText(row),
                        fmt::format("{}-{}", row.min_length, row.max_length),
                        of(row.agree, row.strings), row.low, row.high,
                        of(row.automaton_wrong, row.strings), of(row.network_wrong, row.strings));
  }
  return text;
}

std::string ErrorText(const ExactError& error) {
  std::string text = fmt::format(
      "\nThe automaton's errors by length, computed exactly: how many strings there are, and how "
      "probable\none is if a string is drawn by the language's own law or uniformly:\n"
      "{:6}  {:^34}  {:^26}  {:>20}\n{:6}  {:>16}  {:>16}  {:>12}  {:>12}  {:>20}\n",
      "", "STRINGS WRONGLY", "MEMBERS REJECTED", "NON-MEMBERS ACCEPTED", "LENGTH", "ACCEPTED",
      "REJECTED", "BY ITS LAW", "UNIFORMLY", "UNIFORMLY");
  for (const std::size_t n : {5u, 10u, 20u, 40u, 80u, 160u, 500u}) {
    if (n >= error.wrongly_accepted.size()) break;
    text += fmt::format(
        "{:>6}  {:>16}  {:>16}  {:>12}  {:>12}  {:>20}\n", n, error.wrongly_accepted[n],
        error.wrongly_rejected[n], PercentText(error.rejects_by_paper[n]),
        PercentText(error.rejects_uniformly[n]), PercentText(error.accepts_uniformly[n]));
  }
  return text;
}

}  // namespace

std::string ExtractionSentence(const ExtractionReport& report) {
  return fmt::format(
      "{}{}; {}", Counted(report.states, "state"),
      report.limit.empty() ? "" : fmt::format(", an approximation (stopped at {})", report.limit),
      ComparisonText(report));
}

std::string ExtractionText(const ExtractionReport& report) {
  std::string text =
      fmt::format("{}.\n\nclaims   strings of up to {} symbols, from answers to {} strings\n",
                  ExtractionSentence(report), report.max_length, report.queries);
  if (!report.limit.empty()) {
    text += fmt::format(
        "limit    {}: this is the smallest hypothesis within 1 % of the best, which has {}\n",
        report.limit, Counted(*report.best_states, "state"));
  }
  text += fmt::format(
      "classes  {}\n         {}\n",
      report.classes.empty() ? "unknown" : fmt::format("{}", fmt::join(report.classes, "; ")),
      report.circuit_class);
  text += FidelityText(report.fidelity);
  if (report.error && !report.error->equal()) text += ErrorText(*report.error);
  return text;
}

std::optional<double> FidelityUnder(const ExtractionReport& report, std::string_view law) {
  std::size_t strings = 0, agree = 0;
  for (const Fidelity& row : report.fidelity) {
    if (row.law != law || row.max_length > report.max_length) continue;
    strings += row.strings;
    agree += row.agree;
  }
  if (strings == 0) return std::nullopt;
  return static_cast<double>(agree) / static_cast<double>(strings);
}

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

Dfa AutomatonOf(const SavedExtraction& extraction, const std::string& file) {
  const std::vector<std::string>& alphabet = extraction.report.alphabet;
  if (extraction.automaton.empty()) {
    DfaBuilder empty_language{Alphabet(alphabet)};
    const StateId start = empty_language.AddState(false);
    return std::move(empty_language).Build(start);
  }
  return ParseAtt(extraction.automaton, file, {.extra_symbols = alphabet});
}

}  // namespace flare
