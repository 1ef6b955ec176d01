#include "flare/report/table.h"

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

int Cell::ComparedWithPaper() const {
  const double ours = std::stod(FormatFixed(value, decimals));
  const double theirs = std::stod(FormatFixed(*paper, decimals));
  return ours < theirs ? -1 : ours > theirs ? 1 : 0;
}

void EmboldenBest(const std::vector<Cell*>& cells, bool highest) {
  const double sign = highest ? 1 : -1;
  std::optional<double> best;
  for (const Cell* cell : cells) {
    if (cell->kind != Cell::Kind::kNumber) continue;
    if (!best || sign * cell->value > *best) best = sign * cell->value;
  }
  for (Cell* cell : cells) {
    if (cell->kind == Cell::Kind::kNumber) cell->bold = sign * cell->value == *best;
  }
}

}  // namespace flare::report
