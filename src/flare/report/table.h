// A table as a value: what its cells say, not how they look. table_formats.h writes it.

#ifndef FLARE_REPORT_TABLE_H_
#define FLARE_REPORT_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "flare/report/select.h"
#include "flare/report/statistics.h"

namespace flare::report {

struct Cell {
  enum class Kind { kEmpty, kText, kNumber };

  static Cell Text(std::string text);
  static Cell Number(double value, int decimals = 2);
  // Empty if there is no value.
  static Cell Maybe(const std::optional<double>& value, int decimals = 2);
  // A cell with as many decimals as it takes not to be shown as 0.
  static Cell Probability(const std::optional<double>& p);
  // Up to which length all is right: "none" for −1, where the shortest strings are not.
  static Cell PerfectLength(const std::optional<double>& length);

  Kind kind = Kind::kEmpty;
  std::string text;
  double value = 0;
  int decimals = 2;
  std::optional<double> spread;      // a standard deviation
  std::optional<Interval> interval;  // instead of a value
  bool bold = false;
  // The runs that the cell summarizes.
  std::optional<Coverage> coverage;

  // If the cell shows the best of several settings: how many had runs, and which was chosen, as
  // "learning_rate=0.001".
  std::size_t tried = 1;
  std::string chosen;

  // The published value beside it.
  std::optional<double> published;
  std::optional<double> published_spread;
  std::string published_text;
  // Is ours compared with it? A maximum over fewer runs is not, unless it is as high.
  bool judged = true;
  bool agrees = false;  // of texts: does what is published agree with ours?

  // Ours − theirs, of the unrounded value. Requires: kNumber with a published value.
  double Difference() const { return value - *published; }
  // Whether ours, rounded as it is shown, is below (−1), equal to (0) or above (1) theirs.
  int ComparedWithPublished() const;
};

struct Column {
  std::string key;  // in CSV and JSON
  std::string title;
  std::string group;        // a heading over neighbouring columns that share it; may be empty
  bool left = false;        // aligned
  std::string family = {};  // the id of the architecture that it is of
};

struct Row {
  std::vector<Cell> cells;  // one per column
  bool rule_above = false;
};

struct Table {
  std::string name;  // of its files
  std::string caption;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;
  std::string published_label = "published";  // what it calls published values
  std::vector<std::string> figures = {};      // drawings of it, by their places among the figures
};

// Can a maximum of ours be compared with the published one? If ours and theirs came from one and
// the same law, the highest of all n + N accuracies would be among their N with probability N / (N
// + n) at least (equal ones only add to it), and then ours is at or below theirs. For n = 1 and N =
// 40 that is 0.98: a lower maximum says nothing. So a cell is judged where ours reaches theirs, or
// where n has grown to N; runs that diverged without a score are among the n. Null: there is none.
bool CanBeJudged(const Cell& cell, const PublishedValue* published);

// Makes bold, among cells of one kind, all that attain the highest (or lowest) value as it is
// shown; none if all of them do.
void EmboldenBest(const std::vector<Cell*>& cells, bool highest = true);

// Removes the columns in which no cell says anything, not even how many runs are missing.
void DropEmptyColumns(Table& table);

// Adds the study's note on the choice of its runs, and its label for published values.
Table WithNoteOf(const Study& study, Table table);

}  // namespace flare::report

#endif  // FLARE_REPORT_TABLE_H_
