#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/captions.h"
#include "flare/report/comparable.h"
#include "flare/report/judgement.h"
#include "flare/report/main_cells.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// How many runs of each loss of the grid have been made, diverged ones among them.
std::vector<std::size_t> RunsByLoss(const Selection& selection, const std::string& language,
                                    const std::string& variant, const std::string& validation) {
  const Study& study = selection.study();
  std::vector<std::size_t> counts;
  for (const std::string& loss : study.axes.losses) {
    const RunGroup* group = selection.Find(language, variant, loss, validation, study.MainBudget());
    counts.push_back(group == nullptr ? 0 : group->Made());
  }
  return counts;
}

// Bold, unless one of the variants has had more tries than another: the best of more losses, or of
// more runs, is higher by chance alone. Those that have had none are not in question.
void EmboldenBestOfEqual(const Selection& selection, const std::string& language,
                         const std::string& validation, const std::vector<Cell*>& cells) {
  std::set<std::vector<std::size_t>> counts;
  for (const std::string& variant : selection.study().Variants()) {
    counts.insert(RunsByLoss(selection, language, variant, validation));
  }
  counts.erase(std::vector<std::size_t>(selection.study().axes.losses.size(), 0));
  if (counts.size() == 1) EmboldenBest(cells);
}

void AddNotes(const Study& study, Table& table) {
  bool compared = false, unjudged = false, incomplete = false, others_lack = false,
       diverged = false;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      compared |= cell.paper.has_value();
      unjudged |= cell.kind == Cell::Kind::kNumber && cell.paper && !cell.judged;
      if (!cell.coverage) continue;
      incomplete |= !cell.coverage->IsComplete();
      others_lack |=
          !cell.coverage->IsComplete() && cell.coverage->scored >= cell.coverage->expected;
      diverged |= cell.coverage->diverged > 0;
    }
  }
  table.notes.push_back(
      std::string(compared ? "Beside ours, the paper's value; its mark compares ours with it after "
                             "rounding. "
                           : "") +
      "Bold: the best of the architectures, as shown, where all have had equally many runs of "
      "every loss.");
  if (unjudged) {
    table.notes.push_back(
        fmt::format("Expressivity without a mark: a lower maximum than the paper's, which is of {} "
                    "runs, says nothing before there are as many.",
                    kPaperExpressivityRuns));
  }
  if (incomplete)
    table.notes.emplace_back(
        "n/N: n runs of the grid's N have a score so far; n alone: all of them.");
  if (others_lack) {
    table.notes.emplace_back(
        "N/N: all runs of the loss that is shown have a score, and not all of the others, with "
        "which "
        "another may be the best.");
  }
  if (diverged) {
    table.notes.emplace_back(
        "Diverged runs (†) count with the score of their best checkpoint, if they had one.");
  }
  for (std::string& note : NotesOnThePaper(study)) table.notes.push_back(std::move(note));
}

}  // namespace

Table MainTable(const Selection& selection) {
  const Study& study = selection.study();
  const std::vector<std::string> variants = study.Variants();
  Table table;
  table.name = "main";
  table.caption = MainCaption(study);
  table.columns.push_back({"language", "Language", "", true});
  for (const std::string& variant : variants) {
    table.columns.push_back(
        {"inductive_bias_" + variant, study.ShortTitle(variant), "Inductive Bias"});
  }
  for (const std::string& variant : variants) {
    table.columns.push_back({"expressivity_" + variant, study.ShortTitle(variant), "Expressivity"});
  }
  table.columns.push_back({"format_only", "Format", "Baseline"});
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const std::string& variant : variants) {
      row.cells.push_back(InductiveBiasCell(selection, language, variant));
    }
    for (const std::string& variant : variants) {
      row.cells.push_back(ExpressivityCell(selection, language, variant));
    }
    std::vector<Cell*> bias, power;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      bias.push_back(&row.cells[1 + i]);
      power.push_back(&row.cells[1 + variants.size() + i]);
    }
    EmboldenBestOfEqual(selection, language, study.FirstValidation(), bias);
    EmboldenBestOfEqual(selection, language, study.SecondValidation(), power);
    const Baselines* baselines = study.FindBaselines(language);
    row.cells.push_back(baselines != nullptr ? Cell::Maybe(baselines->format_only) : Cell());
    table.rows.push_back(std::move(row));
  }
  AddNotes(study, table);
  return table;
}

Table MainLongTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "main-long";
  table.caption = MainCaption(study);
  table.columns = {{"language", "Language", "", true},
                   {"architecture", "Architecture", "", true},
                   {"inductive_bias_loss", "Loss", "Inductive Bias", true},
                   {"inductive_bias", "Accuracy", "Inductive Bias"},
                   {"expressivity_loss", "Loss", "Expressivity", true},
                   {"expressivity", "Accuracy", "Expressivity"},
                   {"format_only", "Format", "Baselines"},
                   {"majority_per_length", "Majority per length", "Baselines"},
                   {"ngrams", "n-grams", "Baselines"}};
  for (const std::string& language : study.axes.languages) {
    const std::size_t first = table.rows.size();
    const Baselines* found = study.FindBaselines(language);
    const Baselines baselines = found != nullptr ? *found : Baselines();
    for (const std::string& variant : study.Variants()) {
      Row row;
      const auto bias = selection.InductiveBias(language, variant);
      const auto power = selection.Expressivity(language, variant);
      row.rule_above = first > 0 && table.rows.size() == first;
      row.cells = {Cell::Text(LanguageTitle(language)),
                   Cell::Text(study.Title(variant)),
                   Cell::Text(bias ? LossTitles(bias->losses) : ""),
                   InductiveBiasCell(selection, language, variant),
                   Cell::Text(power ? LossTitles(power->losses) : ""),
                   ExpressivityCell(selection, language, variant),
                   Cell::Maybe(baselines.format_only),
                   Cell::Maybe(baselines.majority_per_length),
                   Cell::Maybe(baselines.ngrams)};
      table.rows.push_back(std::move(row));
    }
    for (const auto& [column, validation] :
         {std::pair(3u, study.FirstValidation()), std::pair(5u, study.SecondValidation())}) {
      std::vector<Cell*> cells;
      for (std::size_t i = first; i < table.rows.size(); ++i) {
        cells.push_back(&table.rows[i].cells[column]);
      }
      EmboldenBestOfEqual(selection, language, validation, cells);
    }
  }
  AddNotes(study, table);
  return table;
}

}  // namespace flare::report
