#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "flare/report/main_cells.h"
#include "flare/report/names.h"
#include "flare/report/paper.h"
#include "flare/report/tables.h"

namespace flare::report {
namespace {

// The paper rounds to two decimals, so a spread below this says nothing.
constexpr double kLeastSpread = 0.01;
// Of spreads, up to which a score agrees with the paper's.
constexpr double kAgreement = 2;
// What a network must have over the format alone to count as better: some two standard errors of an
// accuracy on 5,000 strings.
constexpr double kBetter = 0.01;

struct Tally {
  std::size_t agree = 0, above = 0, below = 0, over_format = 0, with_format = 0;

  std::string Text(const std::string& what) const {
    return fmt::format(
        "{}: of {} scores {} agree, {} are above, {} below; {} of {} are more than {:.2f} above "
        "format only.",
        what, agree + above + below, agree, above, below, over_format, with_format, kBetter);
  }
};

// How far ours is from the paper's, in spreads; the rounding of either counts for nothing.
double Deviation(const Cell& cell) {
  return cell.Difference() / std::max(cell.paper_spread.value_or(0), kLeastSpread);
}

// The score, how far it is from the paper's, and from what the format alone gives.
void AddScore(const Cell& cell, const std::optional<double>& format_only, Row& row, Tally& tally) {
  row.cells.push_back(cell);
  const bool scored = cell.kind == Cell::Kind::kNumber;
  row.cells.emplace_back();
  if (scored && cell.paper) {
    const double deviation = Deviation(cell);
    row.cells.back() = Cell::Number(deviation, 1);
    const bool agrees = std::abs(deviation) <= kAgreement || cell.ComparedWithPaper() == 0;
    row.cells.back().bold = !agrees;
    ++(agrees ? tally.agree : deviation > 0 ? tally.above : tally.below);
  }
  row.cells.emplace_back();
  if (scored && format_only) {
    row.cells.back() = Cell::Number(cell.value - *format_only);
    row.cells.back().bold = cell.value - *format_only > kBetter;
    ++tally.with_format;
    if (row.cells.back().bold) ++tally.over_format;
  }
}

}  // namespace

Table ComparisonTable(const Selection& selection) {
  const Sweep& sweep = selection.sweep();
  Table table;
  table.name = "comparison";
  table.caption = fmt::format(
      "Cell by cell: how far ours is from the paper's, in the paper's standard deviations (of at "
      "least {:.2f}; {:.2f} where it gives none), and how far above what the format alone gives. "
      "Bold: more than {} of them; more than {:.2f} above the format.",
      kLeastSpread, kLeastSpread, kAgreement, kBetter);
  table.columns = {{"language", "Language", "", true},
                   {"architecture", "Architecture", "", true},
                   {"inductive_bias", "Accuracy", "Inductive Bias"},
                   {"inductive_bias_deviation", "Deviations", "Inductive Bias"},
                   {"inductive_bias_over_format", "Over format", "Inductive Bias"},
                   {"expressivity", "Accuracy", "Expressivity"},
                   {"expressivity_deviation", "Deviations", "Expressivity"},
                   {"expressivity_over_format", "Over format", "Expressivity"}};
  Tally bias, power;
  for (const std::string& language : sweep.grid.languages) {
    const Baselines* baselines = sweep.FindBaselines(language, "test");
    const auto format_only = baselines != nullptr ? baselines->format_only : std::nullopt;
    bool first = !table.rows.empty();
    for (const std::string& architecture : sweep.Architectures()) {
      Row row;
      row.rule_above = std::exchange(first, false);
      row.cells = {Cell::Text(LanguageTitle(language)),
                   Cell::Text(ArchitectureTitle(architecture))};
      AddScore(InductiveBiasCell(selection, language, architecture), format_only, row, bias);
      AddScore(ExpressivityCell(selection, language, architecture), format_only, row, power);
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = {bias.Text("Inductive bias"), power.Text("Expressivity")};
  return table;
}

}  // namespace flare::report
