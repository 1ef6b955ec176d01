// flare classify LANG: where a regular language stands, and what theory predicts. `run:DIR` is the
// language that a run's network has learned, as `flare extract` found it.

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/classes/classification_formats.h"
#include "flare/cli/command.h"
#include "flare/extraction/extraction_report.h"
#include "flare/extraction/strings.h"
#include "flare/languages/catalog.h"
#include "flare/nn/architectures.h"
#include "flare/theory/predictions.h"
#include "flare/training/run.h"

namespace flare {
namespace {

using classes::Classification;
using classes::ReadOut;

struct ClassifyArguments {
  explicit ClassifyArguments(CLI::App& app) : language(app) {
    app.add_flag("--json", json, "as JSON");
    app.add_flag("--short", is_short, "print the classes and the verdicts alone");
    app.add_flag("--program", program, "print the C-RASP program of the language instead");
    app.add_option("--readout", read_out,
                   "where networks and programs answer: last (at the last symbol) or eos (after "
                   "the string)")
        ->default_str("last, or a run's own");
    AddCount(app, "--max-elements", max_elements,
             "give up on a syntactic monoid that has more elements");
    app.footer("LANG may also be run:DIR, what the network of a run has learned (flare extract).");
  }

  void CheckReadOut() const {
    const std::vector<std::string> known{"last", "eos"};
    if (!read_out.empty()) ExpectOneOf(known, read_out, "--readout");
  }

  LanguageArgument language;
  bool json = false, is_short = false, program = false;
  std::string read_out;  // empty if it was not given
  std::uint64_t max_elements = classes::MonoidLimits::kDefaultElements;
};

// The language that is classified and, if a network has learned it, its comparison with the target.
struct Subject {
  std::string name, definition;
  Dfa automaton;
  ReadOut read_out = ReadOut::kLast;  // unless one was given
  Json run = nullptr;
  std::string comparison = {};
};

Subject SubjectOfLanguage(const ClassifyArguments& arguments) {
  const NamedLanguage l = arguments.language.Resolve();
  const Dfa* dfa = l.language->dfa();
  if (dfa == nullptr) {
    throw InputError("", fmt::format("{} is {}: only regular languages are classified", l.name,
                                     LongName(l.language_class)));
  }
  return {l.name, l.definition, *dfa};
}

std::string CompareWithTarget(const Classification& learned, const ExtractionReport& report,
                              const std::optional<NamedLanguage>& target,
                              const ClassifyArguments& arguments) {
  if (!target) return "the target is not known";
  if (report.error && report.error->equal() && !report.error->known_up_to) {
    return fmt::format("{} itself, at all lengths", target->name);
  }
  const Dfa* dfa = target->language->dfa();
  if (dfa == nullptr) {
    return fmt::format(
        "{} is {}: this automaton stands for the network up to length {}, and its "
        "classes are not classes of the target",
        target->name, LongName(target->language_class), report.max_length);
  }
  const auto wanted = classes::Classify(*dfa, {.max_elements = arguments.max_elements});
  const bool differs = report.error && !report.error->equal();
  return fmt::format("{} {}: {}", differs ? "another language than" : "not known to be",
                     target->name, classes::DifferenceInClasses(learned, wanted));
}

Subject SubjectOfRun(const std::string& path, const ClassifyArguments& arguments) {
  const RunDirectory directory(path);
  const RunPlan plan = ReadPlan(directory);
  if (!directory.is_finished()) {
    throw InputError(path, "the run is not finished", "flare train continues it");
  }
  const auto saved = ReadExtraction(directory, directory.ReadResult().model_sha256);
  if (!saved) {
    throw InputError(path, "nothing was extracted from this run", "run flare extract first");
  }
  const ExtractionReport& report = saved->report;
  Subject subject{
      path, fmt::format("what the network of a run accepts, up to length {}", report.max_length),
      AutomatonOf(*saved, path + "/extract/automaton.att")};
  subject.read_out = theory::ReadOutOf(plan.settings.readout, plan.settings.options);
  auto target = TargetOf(plan.data).language;
  // The data may be gone; a name of the catalogue or a pattern still means the same.
  if (!target && (FindInCatalog(report.language) || report.language.starts_with("regex:"))) {
    target = ResolveLanguage(report.language);
    if (target->language->alphabet().names() != report.alphabet) target.reset();
  }
  const auto learned =
      classes::Classify(subject.automaton, {.max_elements = arguments.max_elements});
  subject.comparison = CompareWithTarget(learned, report, target, arguments);
  subject.run = {
      {"target", target ? Json(target->name) : Json(nullptr)},
      {"target_is_regular", target ? Json(target->language->dfa() != nullptr) : Json(nullptr)},
      {"max_length", report.max_length},
      {"comparison", subject.comparison}};
  return subject;
}

int PrintProgram(const Subject& subject, const Classification& classification, ReadOut read_out) {
  const bool at_last = read_out == ReadOut::kLast;
  const char* where = at_last ? "at the last symbol" : "after the string";
  const auto& proof = at_last ? classification.c_rasp_last_proof : classification.c_rasp_proof;
  const classes::Property& property = classification.At(at_last ? "c_rasp_last" : "c_rasp");
  if (property.holds != true || !proof) {
    throw InputError("", property.holds == false
                             ? fmt::format("{} is not in C-RASP, read {}: it has no program",
                                           subject.name, where)
                             : fmt::format("{}: {}", subject.name, property.limit));
  }
  Print(fmt::format(
      "# {}: a C-RASP program, read {}.\n"
      "# Q(\"a\"): the symbol here is a. #[f]: how many earlier positions f is true "
      "at.\n{}",
      subject.name, where,
      classes::CountingProgram(classes::SyntacticAutomaton(subject.automaton), *proof, read_out)));
  return kDone;
}

int ClassifyLanguage(const ClassifyArguments& arguments) {
  arguments.CheckReadOut();
  if (arguments.json + arguments.is_short + arguments.program > 1) {
    throw InputError("", "--json, --short and --program are three different answers");
  }
  constexpr std::string_view kRun = "run:";
  const std::string& text = arguments.language.text();
  const Subject subject = text.starts_with(kRun) ? SubjectOfRun(text.substr(kRun.size()), arguments)
                                                 : SubjectOfLanguage(arguments);
  const ReadOut read_out =
      arguments.read_out.empty() ? subject.read_out : theory::ReadOutOf(arguments.read_out);
  const auto classification =
      classes::Classify(subject.automaton, {.max_elements = arguments.max_elements});
  if (arguments.program) return PrintProgram(subject, classification, read_out);
  std::vector<std::string> architectures;
  for (const Architecture& architecture : Architectures())
    architectures.push_back(architecture.name);
  const auto predictions = theory::Predict(classification, architectures, read_out);
  if (arguments.json) {
    Json json = {{"name", subject.name}, {"definition", subject.definition}};
    if (!subject.run.is_null()) json["run"] = subject.run;
    json.update(classes::ClassificationToJson(classification));
    json["readout"] = read_out == ReadOut::kEos ? "eos" : "last";
    json["predictions"] = theory::PredictionsToJson(predictions);
    Print(JsonText(json));
    return kDone;
  }
  const std::string comparison =
      subject.comparison.empty() ? "" : fmt::format("compared      {}\n", subject.comparison);
  if (arguments.is_short) {
    Print(fmt::format("{}{}{}\n{}", subject.name + "\n", comparison,
                      classes::ClassesText(classification), theory::VerdictsText(predictions)));
    return kDone;
  }
  Print(fmt::format("{}\n{}\n{}{}\n{}", subject.name, subject.definition, comparison,
                    classes::ClassificationText(classification),
                    theory::PredictionsText(predictions)));
  return kDone;
}

}  // namespace

std::function<int()> ClassifyCommand(CLI::App& app) {
  const auto arguments = std::make_shared<ClassifyArguments>(app);
  return [arguments] { return ClassifyLanguage(*arguments); };
}

}  // namespace flare
