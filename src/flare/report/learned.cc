#include "flare/report/learned.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "flare/automata/text_formats.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {

std::vector<Learned> LearnedOf(const Selection& selection, const std::string& language,
                               RunFiles& files) {
  std::vector<Learned> all;
  for (const std::string& variant : selection.study().Variants()) {
    for (const std::string& validation : selection.study().axes.validations) {
      const StudyRun* run =
          selection.ForFigures(language, variant, Choice::kByValidation, "", validation);
      if (run == nullptr) continue;
      auto saved = files.Extraction(*run);
      if (!saved) continue;
      Learned learned{run, std::move(saved->report), std::nullopt};
      if (!saved->automaton.empty()) {
        learned.automaton = ParseAtt(saved->automaton, (run->path / "extract").string(),
                                     {.extra_symbols = learned.report.alphabet});
      }
      all.push_back(std::move(learned));
    }
  }
  return all;
}

namespace {

constexpr std::size_t kErrorLengths[] = {40, 80, 500};

Cell ErrorAt(const std::vector<std::optional<double>>& by_length, std::size_t length) {
  return length < by_length.size() ? Cell::Maybe(by_length[length], 4) : Cell();
}

Cell WordCell(const std::optional<std::string>& word) {
  return word ? Cell::Text(word->empty() ? "ε" : *word) : Cell();
}

Row LearnedRow(const Study& study, const Learned& learned) {
  const ExtractionReport& report = learned.report;
  Row row;
  row.cells = {Cell::Text(LanguageTitle(learned.run->at.language)),
               Cell::Text(study.Title(learned.run->family)),
               Cell::Text(learned.run->at.validation),
               Cell::Maybe(learned.run->TestAccuracy()),
               Cell::Number(static_cast<double>(report.states), 0),
               Cell::Text(fmt::format("{}", fmt::join(report.classes, "; "))),
               Cell::Maybe(FidelityUnder(report, kDatasetLaw), 4)};
  const ExactError error = report.error.value_or(ExactError{});
  for (const std::size_t n : kErrorLengths) {
    row.cells.push_back(ErrorAt(error.rejects_by_paper, n));
  }
  for (const std::size_t n : kErrorLengths) {
    row.cells.push_back(ErrorAt(error.accepts_uniformly, n));
  }
  row.cells.push_back(WordCell(error.first_wrongly_rejected));
  row.cells.push_back(WordCell(error.first_wrongly_accepted));
  return row;
}

}  // namespace

// What the networks that figures show have learned; no rows if no extraction was made.
std::vector<Table> LearnedTables(const Selection& selection, RunFiles& files) {
  const Study& study = selection.study();
  Table table;
  table.name = "learned";
  table.caption =
      "What was learned: the automaton of the strings that the network accepts, of the run with "
      "the lowest validation cross-entropy. Its error is exact: the probability that it rejects a "
      "member of the length, drawn by the dataset's law, and that it accepts a uniform non-member. "
      "Fidelity is how often it answers as the network does, on fresh strings up to the longest "
      "training string, drawn as the dataset's were.";
  table.columns = {
      {"language", "Language", "", true},     {"architecture", "Architecture", "", true},
      {"validation", "Validation", "", true}, {"accuracy", "Test accuracy", ""},
      {"states", "States", "Automaton"},      {"class", "Class", "Automaton", true},
      {"fidelity", "Fidelity", "Automaton"}};
  for (const std::size_t n : kErrorLengths) {
    table.columns.push_back(
        {fmt::format("rejects_{}", n), std::to_string(n), "Members rejected, of length"});
  }
  for (const std::size_t n : kErrorLengths) {
    table.columns.push_back(
        {fmt::format("accepts_{}", n), std::to_string(n), "Non-members accepted, of length"});
  }
  table.columns.push_back({"first_rejected", "rejected", "Shortest wrongly", true});
  table.columns.push_back({"first_accepted", "accepted", "Shortest wrongly", true});
  bool any_limit = false;
  for (const std::string& language : study.axes.languages) {
    bool first = true;
    for (const Learned& learned : LearnedOf(selection, language, files)) {
      table.rows.push_back(LearnedRow(study, learned));
      table.rows.back().rule_above = first && table.rows.size() > 1;
      first = false;
      any_limit = any_limit || !learned.report.limit.empty();
    }
  }
  if (any_limit) {
    table.notes.push_back(
        "Where the extraction met a limit, the automaton is the smallest that agrees with the "
        "network nearly as often as the best one.");
  }
  return {std::move(table)};
}

}  // namespace flare::report
