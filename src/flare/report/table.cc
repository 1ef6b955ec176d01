#include "flare/report/table.h"

#include <algorithm>
#include <string>
#include <utility>

#include "flare/report/table_formats.h"

namespace flare::report {

Cell Cell::Text(std::string text) {
  Cell cell;
  cell.kind = Kind::kText;
  cell.text = std::move(text);
  return cell;
}

Cell Cell::Number(double value, int decimals) {
  Cell cell;
  cell.kind = Kind::kNumber;
  cell.value = value;
  cell.decimals = decimals;
  return cell;
}

Cell Cell::Maybe(const std::optional<double>& value, int decimals) {
  return value ? Number(*value, decimals) : Cell();
}

Cell Cell::Probability(const std::optional<double>& p) {
  int decimals = 4;
  for (double shown = 1e4; p && *p > 0 && *p * shown < 0.5 && decimals < 12; shown *= 10) {
    ++decimals;
  }
  return Maybe(p, decimals);
}

Cell Cell::PerfectLength(const std::optional<double>& length) {
  return length && *length < 0 ? Text("none") : Maybe(length, 0);
}

int Cell::ComparedWithPublished() const {
  const double ours = std::stod(FormatFixed(value, decimals));
  const double theirs = std::stod(FormatFixed(*published, decimals));
  return ours < theirs ? -1 : ours > theirs ? 1 : 0;
}

void EmboldenBest(const std::vector<Cell*>& cells, bool highest) {
  // Compared as they are shown: of two that look the same, neither is marked as the better one.
  const auto shown = [](const Cell& cell) {
    return std::stod(FormatFixed(cell.value, cell.decimals));
  };
  std::vector<Cell*> numbers;
  for (Cell* cell : cells) {
    if (cell->kind == Cell::Kind::kNumber) numbers.push_back(cell);
  }
  const auto [least, most] =
      std::minmax_element(numbers.begin(), numbers.end(),
                          [&](const Cell* a, const Cell* b) { return shown(*a) < shown(*b); });
  if (numbers.empty() || shown(**least) == shown(**most)) return;
  const double best = shown(highest ? **most : **least);
  for (Cell* cell : numbers) cell->bold = shown(*cell) == best;
}

bool CanBeJudged(const Cell& cell, const PublishedValue* published) {
  if (cell.kind != Cell::Kind::kNumber || published == nullptr) return false;
  return cell.ComparedWithPublished() >= 0 ||
         (cell.coverage && cell.coverage->made >= published->runs);
}

void DropEmptyColumns(Table& table) {
  const auto says_something = [](const Cell& cell) {
    return cell.kind == Cell::Kind::kNumber || !cell.text.empty() || cell.interval ||
           cell.published || !cell.published_text.empty() ||
           (cell.coverage && cell.coverage->expected > 0);
  };
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const Row& row) { return says_something(row.cells[i]); })) {
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (Row& row : table.rows) row.cells.erase(row.cells.begin() + at);
  }
}

Table WithNoteOf(const Study& study, Table table) {
  table.published_label = study.PublishedLabel();
  if (!study.note.empty()) table.notes.push_back(study.note);
  return table;
}

}  // namespace flare::report
