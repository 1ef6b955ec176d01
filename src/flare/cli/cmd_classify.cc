// flare classify LANG: where a regular language stands, and what theory predicts.

#include <fmt/format.h>

#include <memory>

#include "flare/base/error.h"
#include "flare/classes/classification_json.h"
#include "flare/classes/classification_text.h"
#include "flare/cli/command.h"
#include "flare/nn/architectures.h"
#include "flare/theory/predictions.h"

namespace flare {
namespace {

struct ClassifyArguments {
  explicit ClassifyArguments(CLI::App& app) : language(app) {
    app.add_flag("--json", json, "as JSON");
    AddCount(app, "--max-elements", max_elements,
             "give up on a syntactic monoid that has more elements");
  }

  LanguageArgument language;
  bool json = false;
  std::uint64_t max_elements = algebra::MonoidLimits::kDefaultElements;
};

int ClassifyLanguage(const ClassifyArguments& arguments) {
  const NamedLanguage l = arguments.language.Resolve();
  const Dfa* dfa = l.language->dfa();
  if (dfa == nullptr) {
    throw InputError("", fmt::format("{} is {}: only regular languages are classified", l.name,
                                     LongName(l.language_class)));
  }
  const auto classification = algebra::Classify(*dfa, {.max_elements = arguments.max_elements});
  std::vector<std::string> architectures;
  for (const Architecture& architecture : Architectures())
    architectures.push_back(architecture.name);
  const auto predictions = algebra::Predict(classification, architectures);
  if (!arguments.json) {
    Print(fmt::format("{}\n{}\n{}\n{}", l.name, l.definition,
                      algebra::ClassificationText(classification),
                      algebra::PredictionsText(predictions)));
    return kDone;
  }
  Json json = {{"name", l.name}, {"definition", l.definition}};
  json.update(algebra::ClassificationToJson(classification));
  json["predictions"] = algebra::PredictionsToJson(predictions);
  Print(JsonText(json));
  return kDone;
}

}  // namespace

std::function<int()> ClassifyCommand(CLI::App& app) {
  const auto arguments = std::make_shared<ClassifyArguments>(app);
  return [arguments] { return ClassifyLanguage(*arguments); };
}

}  // namespace flare
