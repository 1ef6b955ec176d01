#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "flare/report/predicted.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

Cell TheoryCell(Exclusion exclusion) {
  switch (exclusion) {
    case Exclusion::kExcluded:
      return Cell::Text("excluded");
    case Exclusion::kUnlessTc0IsNc1:
      return Cell::Text("excluded unless TC⁰ = NC¹");
    case Exclusion::kNone:
      break;
  }
  return {};
}

}  // namespace

Table PredictedTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "predicted";
  table.caption = fmt::format(
      "Predicted beside observed: the best of the runs of each architecture with the validation "
      "set '{}', on languages grouped by the classes at which theorems on architectures cut.",
      study.MainValidation());
  table.columns = {{"class", "Class", "", true}, {"language", "Language", "", true}};
  for (const std::string& variant : study.Variants()) {
    const std::string title = study.ShortTitle(variant);
    table.columns.push_back({variant + "_accuracy", "Accuracy", title});
    table.columns.push_back({variant + "_longest_perfect_length", "Perfect to length", title});
    table.columns.push_back({variant + "_theory", "Theory", title, true});
  }
  const std::string* group = nullptr;
  const std::vector<PredictedRow> rows = PredictedBesideObserved(selection);
  for (const PredictedRow& predicted : rows) {
    Row row;
    row.rule_above = group != nullptr && *group != predicted.group;
    group = &predicted.group;
    row.cells = {Cell::Text(predicted.group), Cell::Text(LanguageTitle(predicted.language))};
    for (const PredictedCell& cell : predicted.cells) {
      Cell accuracy = Cell::Maybe(cell.accuracy);
      accuracy.coverage = cell.coverage;
      row.cells.push_back(std::move(accuracy));
      row.cells.push_back(Cell::PerfectLength(cell.longest_perfect_length));
      row.cells.push_back(TheoryCell(cell.exclusion));
    }
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "Excluded: a theorem says that no network of an idealization of the architecture recognizes "
      "the language at all lengths (flare classify names it). Perfect to length: every test string "
      "up to that length is right; none: not even the shortest.",
      std::string(algebra::Idealization())};
  return table;
}

}  // namespace flare::report
