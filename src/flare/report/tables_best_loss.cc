#include <fmt/format.h>

#include <algorithm>

#include "flare/report/comparable.h"
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
  for (const char* experiment : {"inductive_bias", "expressivity"}) {
    for (const std::string& variant : study.Variants()) {
      const bool bias = std::string(experiment) == "inductive_bias";
      table.columns.push_back({fmt::format("{}_{}", experiment, variant), study.ShortTitle(variant),
                               bias ? "Inductive Bias" : "Expressivity"});
    }
  }
  bool compared = false;
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const char* experiment : {"inductive_bias", "expressivity"}) {
      for (const std::string& variant : study.Variants()) {
        const bool bias = std::string(experiment) == "inductive_bias";
        const auto best = bias ? selection.InductiveBias(language, variant)
                               : selection.Expressivity(language, variant);
        Cell cell = best ? Cell::Text(LossTitles(best->losses)) : Cell();
        const std::string paper = ComparableBestLoss(study, experiment, language, variant);
        if (!paper.empty()) cell.paper_text = LossTitle(paper);
        compared |= !paper.empty();
        cell.agrees = best && std::find(best->losses.begin(), best->losses.end(), paper) !=
                                  best->losses.end();
        row.cells.push_back(std::move(cell));
      }
    }
    table.rows.push_back(std::move(row));
  }
  if (compared) {
    table.notes.emplace_back("Beside ours, the paper's loss; it agrees if it is among ours.");
  }
  return table;
}

}  // namespace flare::report
