// The main table: for each column that the grid declares, or for each validation set, the score of
// every variant on every language, published values beside ours, and what trivial recognizers get.

#include <fmt/format.h>
#include <fmt/ranges.h>

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

// Returns the number of finished and diverged runs of each loss of the grid.
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
// more runs, is better by chance alone. Those that have had none are not in question.
void EmboldenBestOfEqual(const Selection& selection, const std::string& language,
                         const ReportColumn& column, const std::vector<std::string>& variants,
                         const std::vector<Cell*>& cells) {
  std::set<std::vector<std::size_t>> counts;
  for (const std::string& variant : variants) {
    counts.insert(RunsByLoss(selection, language, variant, column));
  }
  counts.erase(std::vector<std::size_t>(selection.study().axes.losses.size(), 0));
  if (counts.size() == 1) EmboldenBest(cells, selection.study().metric.higher_is_better);
}

// A block of the main table: columns that are compared with each other.
struct Block {
  const ReportColumn* column;
  std::string title;
  std::vector<std::string> variants;  // ids of families or contenders
};

// The settings that vary over numbers, with what a contender has of them.
std::vector<std::pair<double, std::string>> PlaceOf(const Study& study, const std::string& id) {
  std::vector<std::pair<double, std::string>> place;
  for (const std::string& setting : study.numeric_settings) {
    const auto number = NumberOf(study.CohortOf(id), setting);
    if (number) place.emplace_back(*number, setting);
  }
  return place;
}

// A block per column and value of the settings that vary over numbers; where that were more than
// can be read, a block per column, of families.
std::vector<Block> BlocksOf(const Study& study) {
  constexpr std::size_t kMostBlocks = 6;
  std::map<std::vector<std::pair<double, std::string>>, std::vector<std::string>> places;
  std::vector<std::string> families;
  for (const std::string& family : study.Variants()) {
    if (study.MayHaveScores(family)) families.push_back(family);
  }
  if (families.empty()) families = study.Variants();
  for (const std::string& family : families) {
    for (const Family& contender : study.contenders) {
      if (study.FamilyOf(contender.cohorts[0]) != family) continue;
      places[PlaceOf(study, contender.id())].push_back(contender.id());
    }
  }
  const bool by_place = places.size() > 1 && places.size() * study.columns.size() <= kMostBlocks;
  std::vector<Block> blocks;
  for (const ReportColumn& column : study.columns) {
    if (!by_place) {
      blocks.push_back({&column, column.title, families});
      continue;
    }
    for (const auto& [place, variants] : places) {
      std::string title = column.title;
      for (const auto& [number, setting] : place) {
        title += fmt::format(" · {} = {:g}", setting, number);
      }
      blocks.push_back({&column, title, variants});
    }
  }
  return blocks;
}

// The title of a contender's column; its block already tells contenders of different groups apart.
std::string TitleIn(const Study& study, const std::string& id) {
  return study.ShortTitle(study.FamilyOf(study.Members(id)[0]));
}

// Why published values are not shown, each reason once with all that it is true of.
std::vector<std::string> NotesOnPublished(const Study& study) {
  std::vector<std::string> notes;
  if (!study.published || !study.shows_published) return notes;
  std::map<std::string, std::vector<std::string>> languages;  // by reason
  bool any = false;
  for (const std::string& language : study.axes.languages) {
    for (const std::string& cohort : study.axes.variants) {
      const std::string& variant = study.CohortOf(cohort).variant;
      if (!study.published->Has(language, variant)) continue;
      any = true;
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
    notes.push_back(
        fmt::format("Published values ({}) are not shown, as ours cannot be compared: {}: {}.",
                    study.PublishedLabel(), fmt::join(titles, ", "), reason));
  }
  if (!any) {
    notes.push_back(
        fmt::format("The published values ({}) are of other languages or architectures than these.",
                    study.PublishedLabel()));
  }
  return notes;
}

void AddNotes(const Study& study, Table& table) {
  bool compared = false, unjudged = false, incomplete = false, others_lack = false,
       diverged = false, bold = false, tried = false;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      compared |= cell.published.has_value();
      unjudged |= cell.kind == Cell::Kind::kNumber && cell.published && !cell.judged;
      bold |= cell.bold;
      tried |= cell.tried > 1;
      if (!cell.coverage) continue;
      incomplete |= !cell.coverage->IsComplete();
      others_lack |=
          !cell.coverage->IsComplete() && cell.coverage->scored >= cell.coverage->expected;
      diverged |= cell.coverage->diverged > 0;
    }
  }
  const auto add = [&](bool holds, std::string note) {
    if (holds) table.notes.push_back(std::move(note));
  };
  const std::string label = study.PublishedLabel();
  add(compared,
      fmt::format("Beside ours, the published value ({}); its mark compares ours with it after "
                  "rounding.",
                  label));
  add(bold,
      fmt::format("Bold: the best of the architectures, as shown, where all have had equally many "
                  "runs{}.",
                  study.axes.losses.size() > 1 ? " of every loss" : ""));
  if (unjudged) {
    for (const ReportColumn& column : study.columns) {
      const std::size_t runs = study.PublishedRuns(column);
      if (column.value != ReportColumn::Value::kMax || runs == 0) continue;
      table.notes.push_back(fmt::format(
          "{} without a mark: a maximum below the published one ({}), which is of {} runs, says "
          "nothing before there are as many.",
          SentenceCase(column.title), label, runs));
    }
  }
  add(tried,
      "N settings: of so many values of what the grid varies, the one with the lowest mean "
      "validation cross-entropy is shown; the table of settings has them all.");
  add(incomplete, "n/N: n runs of the grid's N have a score so far; n alone: all of them.");
  add(others_lack,
      "N/N: all runs of the loss or setting that is shown have a score, and not all of the others, "
      "with which another may be the best.");
  add(diverged,
      "Diverged runs (†) count with the score of their best checkpoint, if they had one.");
  for (std::string& note : NotesOnPublished(study)) table.notes.push_back(std::move(note));
}

// Describes the columns, with the lengths of the strings that they are about.
std::string MainCaption(const Study& study) {
  const std::string test = LengthsText(study, study.test_split);
  std::string text = fmt::format("{} on {}{}{}. ", MetricTitle(study),
                                 test.starts_with("length") ? "strings of " : "", test,
                                 study.metric.higher_is_better ? "" : "; lower is better");
  if (study.metric.name == "longest_perfect_length") {
    text +=
        "It is the length up to which every string is right; −1 where not even the shortest are. ";
  }
  const char* const best = study.metric.higher_is_better ? "maximum" : "minimum";
  for (const ReportColumn& column : study.columns) {
    std::string value = "mean ± standard deviation over trials";
    if (study.axes.losses.size() > 1) {
      value += fmt::format(" of the loss with the {} mean",
                           study.metric.higher_is_better ? "highest" : "lowest");
    }
    if (column.value == ReportColumn::Value::kMax) {
      value = fmt::format("{} over all trials of all losses", best);
    }
    text += fmt::format("{}: validation on {}, {}. ", SentenceCase(column.title),
                        LengthsText(study, ValidationSplit(column.validation)), value);
  }
  return text;
}

}  // namespace

std::string MetricTitle(const Study& study) {
  std::string title = study.metric.title;
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

BaselineColumns::BaselineColumns(const Study& study, const std::vector<std::string>& keys)
    : study_(study) {
  // They are accuracies.
  if (study.metric.name != "accuracy") return;
  static const std::vector<Known> kKnown = {
      {"format_only", "Format", &Baselines::format_only},
      {"majority_per_length", "Majority per length", &Baselines::majority_per_length},
      {"ngrams", "n-grams", &Baselines::ngrams},
      {"state_merging", "Merging", &Baselines::state_merging}};
  for (const Known& one : kKnown) {
    if (std::find(keys.begin(), keys.end(), one.key) == keys.end()) continue;
    if (std::any_of(study.axes.languages.begin(), study.axes.languages.end(),
                    [&](const std::string& language) {
                      const Baselines* baselines = study.FindBaselines(language);
                      return baselines != nullptr && baselines->*one.value;
                    })) {
      shown_.push_back(one);
    }
  }
}

void BaselineColumns::AddHead(Table& table) const {
  for (const Known& one : shown_) {
    table.columns.push_back({one.key, one.title, shown_.size() > 1 ? "Baselines" : "Baseline"});
    if (!table.caption.ends_with(' ')) table.caption += ' ';
    if (one.key == "format_only") {
      table.caption += "Format: accept whatever has the right format.";
    } else if (one.key == "state_merging") {
      table.caption += "Merging: the automaton that state merging learns from the training set.";
    }
  }
  while (table.caption.ends_with(' ')) table.caption.pop_back();
}

void BaselineColumns::AddCells(const std::string& language, Row& row) const {
  const Baselines* baselines = study_.FindBaselines(language);
  for (const Known& one : shown_) {
    row.cells.push_back(baselines != nullptr ? Cell::Maybe(baselines->*one.value) : Cell());
  }
}

Cell ScoreCell(const Selection& selection, const ReportColumn& column, const std::string& language,
               const std::string& variant) {
  const Study& study = selection.study();
  const bool is_max = column.value == ReportColumn::Value::kMax;
  const auto best = selection.Score(column, language, variant);
  Cell cell;
  if (best) {
    cell = Cell::Number(best->value, study.metric.decimals);
    // A single trial has no spread.
    if (!is_max && best->coverage.scored > 1) cell.spread = best->std;
    cell.tried = best->tried;
    if (!best->chosen.empty()) cell.chosen = study.PlaceIn(variant, best->chosen);
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

// The scores of every language and architecture in the columns of the study, and what knowing the
// format alone gives.
Table MainTable(const Selection& selection) {
  const Study& study = selection.study();
  const std::vector<Block> blocks = BlocksOf(study);
  const BaselineColumns baselines(study, {"format_only", "state_merging"});
  Table table;
  table.name = "main";
  table.caption = MainCaption(study);
  table.columns.push_back({"language", "Language", "", true});
  for (const Block& block : blocks) {
    for (const std::string& variant : block.variants) {
      table.columns.push_back({block.column->name + "_" + variant, TitleIn(study, variant),
                               block.title, false, study.FamilyOf(study.Members(variant)[0])});
    }
  }
  baselines.AddHead(table);
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const Block& block : blocks) {
      for (const std::string& variant : block.variants) {
        row.cells.push_back(ScoreCell(selection, *block.column, language, variant));
      }
    }
    std::size_t first = 1;
    for (const Block& block : blocks) {
      std::vector<Cell*> cells;
      for (std::size_t i = 0; i < block.variants.size(); ++i) {
        cells.push_back(&row.cells[first + i]);
      }
      first += block.variants.size();
      EmboldenBestOfEqual(selection, language, *block.column, block.variants, cells);
    }
    baselines.AddCells(language, row);
    table.rows.push_back(std::move(row));
  }
  AddNotes(study, table);
  return table;
}

// The main table with a row per language and architecture, with losses and all baselines.
Table MainLongTable(const Selection& selection) {
  const Study& study = selection.study();
  const BaselineColumns baselines(
      study, {"format_only", "majority_per_length", "ngrams", "state_merging"});
  const std::vector<std::string> variants = study.Variants();
  const bool shows_losses = study.axes.losses.size() > 1;
  Table table;
  table.name = "main-long";
  table.caption = MainCaption(study);
  table.columns = {{"language", "Language", "", true}, {"architecture", "Architecture", "", true}};
  for (const ReportColumn& column : study.columns) {
    if (shows_losses) table.columns.push_back({column.name + "_loss", "Loss", column.title, true});
    table.columns.push_back({column.name, MetricTitle(study), column.title});
  }
  baselines.AddHead(table);
  for (const std::string& language : study.axes.languages) {
    const std::size_t first = table.rows.size();
    for (const std::string& variant : variants) {
      Row row;
      row.rule_above = first > 0 && table.rows.size() == first;
      row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(variant))};
      for (const ReportColumn& column : study.columns) {
        const auto best = selection.Score(column, language, variant);
        if (shows_losses) row.cells.push_back(Cell::Text(best ? LossTitles(best->losses) : ""));
        row.cells.push_back(ScoreCell(selection, column, language, variant));
      }
      baselines.AddCells(language, row);
      table.rows.push_back(std::move(row));
    }
    for (std::size_t block = 0; block < study.columns.size(); ++block) {
      std::vector<Cell*> cells;
      for (std::size_t i = first; i < table.rows.size(); ++i) {
        const std::size_t at = shows_losses ? 3 + 2 * block : 2 + block;
        cells.push_back(&table.rows[i].cells[at]);
      }
      EmboldenBestOfEqual(selection, language, study.columns[block], variants, cells);
    }
  }
  AddNotes(study, table);
  return table;
}

}  // namespace flare::report
