// The main table: for each column that the grid declares, or for each validation set, the score of
// every variant on every language, published values beside ours, and what the format alone gives.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// How many runs of each loss of the grid have been made, diverged ones among them.
std::vector<std::size_t> RunsByLoss(const Selection& selection, const std::string& language,
                                    const std::string& variant, const ReportColumn& column) {
  std::vector<std::size_t> counts;
  for (const std::string& loss : selection.study().axes.losses) {
    const RunGroup* group =
        selection.Find(language, variant, loss, column.validation, column.budget);
    counts.push_back(group == nullptr ? 0 : group->Made());
  }
  return counts;
}

// Bold, unless one of the variants has had more tries than another: the best of more losses, or of
// more runs, is higher by chance alone. Those that have had none are not in question.
void EmboldenBestOfEqual(const Selection& selection, const std::string& language,
                         const ReportColumn& column, const std::vector<Cell*>& cells) {
  std::set<std::vector<std::size_t>> counts;
  for (const std::string& variant : selection.study().Variants()) {
    counts.insert(RunsByLoss(selection, language, variant, column));
  }
  counts.erase(std::vector<std::size_t>(selection.study().axes.losses.size(), 0));
  if (counts.size() == 1) EmboldenBest(cells);
}

// Why published values are not shown, each reason once with all that it is true of.
std::vector<std::string> NotesOnPublished(const Study& study) {
  std::vector<std::string> notes;
  if (!study.published || !study.shows_published) return notes;
  std::map<std::string, std::vector<std::string>> languages;  // by reason
  for (const std::string& language : study.axes.languages) {
    for (const std::string& cohort : study.axes.variants) {
      const std::string& variant = study.CohortOf(cohort).variant;
      if (!study.published->Has(language, variant)) continue;
      std::string gap = study.Incomparable(language, cohort);
      for (const ReportColumn& column : study.columns) {
        const auto budgets = study.published->Budgets(column.name, language, variant);
        if (!gap.empty() || budgets.empty() || budgets.contains(column.budget)) continue;
        gap = fmt::format("the budget is {}, not {}", column.budget, *budgets.begin());
      }
      if (gap.empty()) continue;
      std::vector<std::string>& all = languages[gap];
      const std::string title = LanguageTitle(language);
      if (all.empty() || all.back() != title) all.push_back(title);
    }
  }
  for (const auto& [reason, titles] : languages) {
    std::string list;
    for (const std::string& title : titles) list += (list.empty() ? "" : ", ") + title;
    notes.push_back(
        fmt::format("Not comparable with the {}: {}: {}.", study.PublishedLabel(), list, reason));
  }
  return notes;
}

void AddNotes(const Study& study, Table& table) {
  bool compared = false, unjudged = false, incomplete = false, others_lack = false,
       diverged = false;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      compared |= cell.published.has_value();
      unjudged |= cell.kind == Cell::Kind::kNumber && cell.published && !cell.judged;
      if (!cell.coverage) continue;
      incomplete |= !cell.coverage->IsComplete();
      others_lack |=
          !cell.coverage->IsComplete() && cell.coverage->scored >= cell.coverage->expected;
      diverged |= cell.coverage->diverged > 0;
    }
  }
  const std::string label = study.PublishedLabel();
  table.notes.push_back(
      (compared ? fmt::format("Beside ours, the {}'s value; its mark compares ours with it after "
                              "rounding. ",
                              label)
                : "") +
      "Bold: the best of the architectures, as shown, where all have had equally many runs of "
      "every loss.");
  if (unjudged) {
    for (const ReportColumn& column : study.columns) {
      const std::size_t runs = study.PublishedRuns(column);
      if (column.value != ReportColumn::Value::kMax || runs == 0) continue;
      table.notes.push_back(
          fmt::format("{} without a mark: a lower maximum than the {}'s, which is of {} runs, says "
                      "nothing before there are as many.",
                      SentenceCase(column.title), label, runs));
    }
  }
  if (incomplete) {
    table.notes.emplace_back(
        "n/N: n runs of the grid's N have a score so far; n alone: all of them.");
  }
  if (others_lack) {
    table.notes.emplace_back(
        "N/N: all runs of the loss that is shown have a score, and not all of the others, with "
        "which another may be the best.");
  }
  if (diverged) {
    table.notes.emplace_back(
        "Diverged runs (†) count with the score of their best checkpoint, if they had one.");
  }
  for (std::string& note : NotesOnPublished(study)) table.notes.push_back(std::move(note));
}

// What the columns are, with the lengths of the strings that they are about.
std::string MainCaption(const Study& study) {
  const std::string test = LengthsText(study, study.test_split);
  std::string text =
      fmt::format("Accuracy on {}{}. ", test.starts_with("lengths") ? "strings of " : "", test);
  for (const ReportColumn& column : study.columns) {
    const char* const mean = study.axes.losses.size() > 1
                                 ? "mean ± standard deviation over trials of the loss with the "
                                   "highest mean"
                                 : "mean ± standard deviation over trials";
    text += fmt::format(
        "{}: validation on {}, {}. ", SentenceCase(column.title),
        LengthsText(study, ValidationSplit(column.validation)),
        column.value == ReportColumn::Value::kMax ? "maximum over all trials of all losses" : mean);
  }
  return text + "Format only: accept whatever has the right format.";
}

}  // namespace

Cell ScoreCell(const Selection& selection, const ReportColumn& column, const std::string& language,
               const std::string& variant) {
  const Study& study = selection.study();
  const bool is_max = column.value == ReportColumn::Value::kMax;
  const auto best = selection.Score(column, language, variant);
  Cell cell;
  if (best) {
    cell = Cell::Number(best->value);
    // One trial has no spread.
    if (!is_max && best->coverage.scored > 1) cell.spread = best->std;
  }
  cell.coverage = best ? best->coverage : selection.CoverageOf(column, language, variant);
  const PublishedValue* published =
      study.FindPublished(column.name, language, variant, column.budget);
  if (published != nullptr) {
    cell.published = published->value;
    cell.published_spread = published->spread;
  }
  if (is_max) cell.judged = CanBeJudged(cell, published);
  return cell;
}

Table MainTable(const Selection& selection) {
  const Study& study = selection.study();
  const std::vector<std::string> variants = study.Variants();
  Table table;
  table.name = "main";
  table.caption = MainCaption(study);
  table.columns.push_back({"language", "Language", "", true});
  for (const ReportColumn& column : study.columns) {
    for (const std::string& variant : variants) {
      table.columns.push_back(
          {column.name + "_" + variant, study.ShortTitle(variant), column.title});
    }
  }
  table.columns.push_back({"format_only", "Format", "Baseline"});
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const ReportColumn& column : study.columns) {
      for (const std::string& variant : variants) {
        row.cells.push_back(ScoreCell(selection, column, language, variant));
      }
    }
    for (std::size_t block = 0; block < study.columns.size(); ++block) {
      std::vector<Cell*> cells;
      for (std::size_t i = 0; i < variants.size(); ++i) {
        cells.push_back(&row.cells[1 + block * variants.size() + i]);
      }
      EmboldenBestOfEqual(selection, language, study.columns[block], cells);
    }
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
  table.columns = {{"language", "Language", "", true}, {"architecture", "Architecture", "", true}};
  for (const ReportColumn& column : study.columns) {
    table.columns.push_back({column.name + "_loss", "Loss", column.title, true});
    table.columns.push_back({column.name, "Accuracy", column.title});
  }
  table.columns.insert(table.columns.end(),
                       {{"format_only", "Format", "Baselines"},
                        {"majority_per_length", "Majority per length", "Baselines"},
                        {"ngrams", "n-grams", "Baselines"}});
  for (const std::string& language : study.axes.languages) {
    const std::size_t first = table.rows.size();
    const Baselines* found = study.FindBaselines(language);
    const Baselines baselines = found != nullptr ? *found : Baselines();
    for (const std::string& variant : study.Variants()) {
      Row row;
      row.rule_above = first > 0 && table.rows.size() == first;
      row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(variant))};
      for (const ReportColumn& column : study.columns) {
        const auto best = selection.Score(column, language, variant);
        row.cells.push_back(Cell::Text(best ? LossTitles(best->losses) : ""));
        row.cells.push_back(ScoreCell(selection, column, language, variant));
      }
      row.cells.insert(row.cells.end(),
                       {Cell::Maybe(baselines.format_only),
                        Cell::Maybe(baselines.majority_per_length), Cell::Maybe(baselines.ngrams)});
      table.rows.push_back(std::move(row));
    }
    for (std::size_t block = 0; block < study.columns.size(); ++block) {
      std::vector<Cell*> cells;
      for (std::size_t i = first; i < table.rows.size(); ++i) {
        cells.push_back(&table.rows[i].cells[3 + 2 * block]);
      }
      EmboldenBestOfEqual(selection, language, study.columns[block], cells);
    }
  }
  AddNotes(study, table);
  return table;
}

}  // namespace flare::report
