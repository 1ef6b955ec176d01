#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// Within this many standard errors, a mean agrees with the published one.
constexpr double kErrors = 2;
// Up to this much, a maximum agrees with the published one.
constexpr double kNear = 0.02;
// The margin by which a network must beat the format alone to count as better: about two standard
// errors of an accuracy on 5,000 strings.
constexpr double kBetter = 0.01;

struct Tally {
  std::size_t agree = 0, above = 0, below = 0, not_judged = 0, over_format = 0, with_format = 0;

  std::string Text(const std::string& what) const {
    std::vector<std::string> texts;
    if (const std::size_t published = agree + above + below + not_judged; published > 0) {
      texts.push_back(fmt::format("of {} scores {} agree, {} are above, {} below", published, agree,
                                  above, below));
      if (not_judged > 0) texts.back() += fmt::format(", {} cannot be told yet", not_judged);
    }
    if (with_format > 0) {
      texts.push_back(fmt::format("{} of {} are more than {:.2f} above format only", over_format,
                                  with_format, kBetter));
    }
    return texts.empty() ? "" : fmt::format("{}: {}.", what, fmt::join(texts, "; "));
  }
};

// Returns by how many standard errors a mean is above the published one; nothing for maxima.
std::optional<double> ErrorsOf(const Cell& cell, const PublishedValue* published) {
  if (cell.kind != Cell::Kind::kNumber || !cell.published || !cell.published_spread) {
    return std::nullopt;
  }
  return StandardErrors(cell.value, cell.coverage->scored, *published);
}

bool IsBeyond(double errors) {
  constexpr double kRounding = 1e-10;
  return std::abs(errors) > kErrors + kRounding;
}

void Count(const Cell& cell, const PublishedValue* published, Tally& tally) {
  if (cell.kind != Cell::Kind::kNumber || !cell.published) return;
  const auto errors = ErrorsOf(cell, published);
  const bool is_near =
      errors ? !IsBeyond(*errors) : std::abs(cell.Difference()) <= kNear + kRoundingError;
  if (!cell.judged) {
    ++tally.not_judged;
  } else if (is_near || cell.ComparedWithPublished() == 0) {
    ++tally.agree;
  } else {
    ++(cell.Difference() > 0 ? tally.above : tally.below);
  }
}

Cell ErrorsCell(const std::optional<double>& errors) {
  Cell cell = Cell::Maybe(errors, 1);
  cell.bold = errors && IsBeyond(*errors);
  return cell;
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

// Is any published value shown in a column?
bool HasPublished(const Study& study) {
  return std::any_of(study.columns.begin(), study.columns.end(),
                     [&](const ReportColumn& column) { return study.PublishedRuns(column) > 0; });
}

}  // namespace

// How far each score of the main table is from the published one, and from what knowing the format
// gives.
Table ComparisonTable(const Selection& selection) {
  const Study& study = selection.study();
  const bool shows_published = HasPublished(study);
  Table table;
  table.name = "comparison";
  const bool has_format = study.metric.name == "accuracy" &&
                          std::any_of(study.axes.languages.begin(), study.axes.languages.end(),
                                      [&](const std::string& language) {
                                        const Baselines* baselines = study.FindBaselines(language);
                                        return baselines != nullptr && baselines->format_only;
                                      });
  if (!has_format && !HasPublished(study)) return table;
  std::vector<std::string> what, bold;
  if (shows_published) {
    what.push_back(fmt::format(
        "how far our means are from the published ones ({}), in standard errors of the difference",
        study.PublishedLabel()));
    bold.push_back(fmt::format("more than {} standard errors", kErrors));
  }
  if (has_format) {
    what.push_back("how far every score is above what the format alone gives");
    bold.push_back(fmt::format("more than {:.2f} above the format", kBetter));
  }
  table.caption =
      fmt::format("Cell by cell: {}. Bold: {}.", fmt::join(what, ", and "), fmt::join(bold, "; "));
  table.columns = {{"language", "Language", "", true}, {"architecture", "Architecture", "", true}};
  const auto has_errors = [&](const ReportColumn& column) {
    return shows_published && column.value == ReportColumn::Value::kMean;
  };
  for (const ReportColumn& column : study.columns) {
    table.columns.push_back({column.name, MetricTitle(study), column.title});
    if (has_errors(column)) {
      table.columns.push_back({column.name + "_standard_errors", "Std. errors", column.title});
    }
    if (has_format) {
      table.columns.push_back({column.name + "_over_format", "Over format", column.title});
    }
  }
  std::vector<Tally> tallies(study.columns.size());
  for (const std::string& language : study.axes.languages) {
    const Baselines* baselines = study.FindBaselines(language);
    bool first = !table.rows.empty();
    for (const std::string& variant : study.Variants()) {
      Row row;
      row.rule_above = std::exchange(first, false);
      row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(study.Title(variant))};
      for (std::size_t i = 0; i < study.columns.size(); ++i) {
        const ReportColumn& column = study.columns[i];
        const PublishedValue* published =
            study.FindPublished(column.name, language, variant, column.budget);
        const Cell ours = ScoreCell(selection, column, language, variant);
        Count(ours, published, tallies[i]);
        row.cells.push_back(ours);
        if (has_errors(column)) row.cells.push_back(ErrorsCell(ErrorsOf(ours, published)));
        if (has_format) row.cells.push_back(OverFormatCell(ours, baselines, tallies[i]));
      }
      table.rows.push_back(std::move(row));
    }
  }
  std::size_t most_runs = 0;  // behind a published maximum
  for (std::size_t i = 0; i < study.columns.size(); ++i) {
    const ReportColumn& column = study.columns[i];
    std::string text = tallies[i].Text(SentenceCase(column.title));
    if (!text.empty()) table.notes.push_back(std::move(text));
    if (column.value == ReportColumn::Value::kMax) {
      most_runs = std::max(most_runs, study.PublishedRuns(column));
    }
  }
  if (shows_published) {
    table.notes.push_back(fmt::format(
        "A mean of n runs agrees with one of N if they differ by at most {}·s·√(1/n + 1/N), where "
        "s is the published standard deviation, of at least 0.01; or if both are equal at two "
        "decimals.",
        kErrors));
  }
  if (most_runs > 0) {
    table.notes.push_back(fmt::format(
        "A maximum agrees within {:.2f}. Maxima grow with the number of runs: one below the "
        "published one, which is of {}, says nothing before there are as many, and is not judged.",
        kNear, most_runs));
  }
  return table;
}

}  // namespace flare::report
