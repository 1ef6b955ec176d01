#include <string>
#include <utility>
#include <vector>

#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// Members all have the format, so that wrong answers on strings without it are strings accepted.
void AddWrongAnswerCells(const Run* run, Row& row) {
  const auto count = [&](const char* metric) {
    return run == nullptr ? std::nullopt : run->Metric(run->test_split, metric);
  };
  const auto rejected = count("false_negatives"), accepted = count("false_positives");
  const auto format_right = count("wrong_answers_format_right");
  const auto minus = [](std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a - *b) : std::nullopt;
  };
  row.cells.push_back(
      Cell::Maybe(accepted && rejected ? std::optional(*accepted + *rejected) : std::nullopt, 0));
  row.cells.push_back(Cell::Maybe(count("wrong_answers_format_wrong"), 0));
  row.cells.push_back(Cell::Maybe(format_right, 0));
  row.cells.push_back(Cell::Maybe(minus(format_right, rejected), 0));
  row.cells.push_back(Cell::Maybe(rejected, 0));
}

}  // namespace

Table WrongAnswersTable(const Selection& selection, const std::vector<std::string>& languages) {
  const Study& study = selection.study();
  Table table;
  table.name = "wrong-answers";
  table.caption =
      "The wrong answers on the test set of the run with the highest accuracy: on strings without "
      "the format of members, and on strings that have it.";
  table.columns = {{"language", "Language", "", true},
                   {"architecture", "Architecture", "", true},
                   {"validation", "Val. set", "", true},
                   {"accuracy", "Accuracy", ""},
                   {"wrong", "All", "Wrong answers"},
                   {"format_wrong", "Format wrong", "Wrong answers"},
                   {"format_right", "Format right", "Wrong answers"},
                   {"format_right_accepted", "Others accepted", "Of right format"},
                   {"format_right_rejected", "Members rejected", "Of right format"}};
  for (const std::string& language : languages) {
    bool first = !table.rows.empty();
    for (const std::string& validation : study.axes.validations) {
      for (const std::string& variant : study.Variants()) {
        const Run* run = selection.ForFigures(language, variant, Choice::kByTest, "", validation);
        Cell accuracy = Cell::Maybe(run != nullptr ? run->TestAccuracy() : std::nullopt);
        accuracy.coverage = selection.CoverageOf(
            {.validation = validation, .budget = study.MainBudget()}, language, variant);
        if (accuracy.coverage->expected == 0) continue;
        Row row;
        row.rule_above = std::exchange(first, false);
        row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(variant)),
                     Cell::Text(ValidationAbbreviation(validation)), accuracy};
        AddWrongAnswerCells(run, row);
        table.rows.push_back(std::move(row));
      }
    }
  }
  table.notes = {
      "Empty where no format of the language is known, or where the run was evaluated before "
      "formats were looked at. All members have the format."};
  return table;
}

}  // namespace flare::report
