#include <algorithm>
#include <string>
#include <utility>

#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {

Table BestLossTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "best-loss";
  table.caption =
      "The losses behind the main table; all of them where they tie. R = recognition, LM = "
      "language modeling, NS = next-symbol prediction.";
  table.columns.push_back({"language", "Language", "", true});
  for (const ReportColumn& column : study.columns) {
    for (const std::string& variant : study.Variants()) {
      table.columns.push_back(
          {column.name + "_" + variant, study.ShortTitle(variant), column.title});
    }
  }
  bool compared = false;
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const ReportColumn& column : study.columns) {
      for (const std::string& variant : study.Variants()) {
        const auto best = selection.Score(column, language, variant);
        Cell cell = best ? Cell::Text(LossTitles(best->losses)) : Cell();
        const PublishedValue* published =
            study.FindPublished(column.name, language, variant, column.budget);
        const std::string theirs = published != nullptr ? published->loss : "";
        if (!theirs.empty()) cell.published_text = LossTitle(theirs);
        compared |= !theirs.empty();
        cell.agrees = best && std::find(best->losses.begin(), best->losses.end(), theirs) !=
                                  best->losses.end();
        row.cells.push_back(std::move(cell));
      }
    }
    table.rows.push_back(std::move(row));
  }
  if (compared) {
    table.notes.push_back("Beside ours, the " + study.PublishedLabel() +
                          "'s loss; it agrees if it is among ours.");
  }
  return table;
}

}  // namespace flare::report
