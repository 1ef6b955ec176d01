#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "flare/report/judgement.h"
#include "flare/report/main_cells.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// Within this many of the paper's standard deviations, a mean agrees with the paper's.
constexpr double kDeviations = 2;
// The paper rounds to two decimals, so a spread below this says nothing; and up to twice this, a
// maximum agrees with the paper's.
constexpr double kLeastSpread = 0.01;
// By how much a network must beat the format alone to count as better: some two standard errors of
// an accuracy on 5,000 strings.
constexpr double kBetter = 0.01;

struct Tally {
  std::size_t agree = 0, above = 0, below = 0, not_judged = 0, over_format = 0, with_format = 0;

  std::string PaperText() const {
    std::string text = fmt::format("of {} scores {} agree, {} are above, {} below",
                                   agree + above + below + not_judged, agree, above, below);
    if (not_judged > 0) text += fmt::format(", {} cannot be told yet", not_judged);
    return text + "; ";
  }

  std::string Text(const std::string& what, bool shows_paper) const {
    return fmt::format("{}: {}{} of {} are more than {:.2f} above format only.", what,
                       shows_paper ? PaperText() : "", over_format, with_format, kBetter);
  }
};

// How far ours is from the paper's, in its standard deviations.
double Deviations(const Cell& cell) {
  return cell.Difference() / std::max(cell.paper_spread.value_or(0), kLeastSpread);
}

void Count(const Cell& cell, Tally& tally) {
  if (cell.kind != Cell::Kind::kNumber || !cell.paper) return;
  if (!cell.judged) {
    ++tally.not_judged;
  } else if (std::abs(Deviations(cell)) <= kDeviations + kRoundingError / kLeastSpread ||
             cell.ComparedWithPaper() == 0) {
    ++tally.agree;
  } else {
    ++(cell.Difference() > 0 ? tally.above : tally.below);
  }
}

Cell DeviationsCell(const Cell& cell) {
  if (cell.kind != Cell::Kind::kNumber || !cell.paper) return {};
  Cell deviations = Cell::Number(Deviations(cell), 1);
  deviations.bold = std::abs(deviations.value) > kDeviations + kRoundingError / kLeastSpread;
  return deviations;
}

Cell OverFormatCell(const Cell& cell, const Baselines* baselines, Tally& tally) {
  if (cell.kind != Cell::Kind::kNumber || baselines == nullptr) return {};
  if (!baselines->format_only) return {};
  Cell over = Cell::Number(cell.value - *baselines->format_only);
  over.bold = over.value > kBetter + kRoundingError;
  ++tally.with_format;
  if (over.bold) ++tally.over_format;
  return over;
}

}  // namespace

Table ComparisonTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "comparison";
  table.caption =
      study.shows_paper
          ? fmt::format(
                "Cell by cell: how far our inductive bias is from the paper's, in the paper's "
                "standard deviations (of at least {:.2f}), and how far every score is above what "
                "the format alone gives. Bold: more than {} deviations; more than {:.2f} above the "
                "format.",
                kLeastSpread, kDeviations, kBetter)
          : fmt::format(
                "Cell by cell: how far every score is above what the format alone gives. Bold: "
                "more than {:.2f} above it.",
                kBetter);
  table.columns = {{"language", "Language", "", true},
                   {"architecture", "Architecture", "", true},
                   {"inductive_bias", "Accuracy", "Inductive Bias"}};
  if (study.shows_paper) {
    table.columns.push_back({"inductive_bias_deviations", "Deviations", "Inductive Bias"});
  }
  table.columns.push_back({"inductive_bias_over_format", "Over format", "Inductive Bias"});
  table.columns.push_back({"expressivity", "Accuracy", "Expressivity"});
  table.columns.push_back({"expressivity_over_format", "Over format", "Expressivity"});
  Tally bias, power;
  for (const std::string& language : study.axes.languages) {
    const Baselines* baselines = study.FindBaselines(language);
    bool first = !table.rows.empty();
    for (const std::string& variant : study.Variants()) {
      Row row;
      row.rule_above = std::exchange(first, false);
      row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(variant))};
      const Cell ours = InductiveBiasCell(selection, language, variant);
      Count(ours, bias);
      row.cells.push_back(ours);
      if (study.shows_paper) row.cells.push_back(DeviationsCell(ours));
      row.cells.push_back(OverFormatCell(ours, baselines, bias));
      const Cell best = ExpressivityCell(selection, language, variant);
      Count(best, power);
      row.cells.insert(row.cells.end(), {best, OverFormatCell(best, baselines, power)});
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = {bias.Text("Inductive bias", study.shows_paper),
                 power.Text("Expressivity", study.shows_paper)};
  if (study.shows_paper) {
    table.notes.push_back(fmt::format(
        "To agree is to be within {0} standard deviations; of maxima, within {1:.2f}. Maxima grow "
        "with the number of runs: one below the paper's, which is of {2}, says nothing before "
        "there are as many, and is not judged. How much of this is chance: table agreement.",
        kDeviations, kDeviations * kLeastSpread, kPaperExpressivityRuns));
  }
  return table;
}

}  // namespace flare::report
