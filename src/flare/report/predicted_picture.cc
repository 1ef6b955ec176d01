#include "flare/report/predicted_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

constexpr double kNameWidth = 190, kCellWidth = 158, kRowHeight = 24, kGroupHeight = 24,
                 kHeadHeight = 34, kFootHeight = 40;
constexpr const char* kPredictedInk = "#5b6470";

std::size_t CountGroups(const std::vector<PredictedRow>& rows) {
  std::size_t groups = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].group != rows[i - 1].group) ++groups;
  }
  return groups;
}

// White at chance, blue at 1.
std::string ShadeOf(double accuracy) {
  const double strength = std::pow(std::clamp(2 * accuracy - 1, 0.0, 1.0), 1.5);
  const auto mix = [&](double full) { return std::lround(255 + strength * (full - 255)); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0x8f), mix(0xbf), mix(0xe8));
}

std::string TextOf(const PredictedCell& cell) {
  if (!cell.accuracy) return "–";
  std::string text = FormatFixed(*cell.accuracy, 2);
  if (cell.longest_perfect_length && *cell.longest_perfect_length >= 0) {
    text += fmt::format(" · ≤ {:.0f}", *cell.longest_perfect_length);
  }
  return text + fmt::format(" · n = {}", cell.coverage.scored);
}

}  // namespace

PredictedPicture::PredictedPicture(const Selection& selection)
    : rows_(PredictedBesideObserved(selection)) {
  for (const std::string& variant : selection.study().Variants()) {
    titles_.push_back(selection.study().Title(variant));
  }
}

double PredictedPicture::width() const {
  return kNameWidth + kCellWidth * static_cast<double>(titles_.size()) + 12;
}

double PredictedPicture::height() const {
  return kHeadHeight + kRowHeight * static_cast<double>(rows_.size()) +
         kGroupHeight * static_cast<double>(CountGroups(rows_)) + kFootHeight;
}

void PredictedPicture::Draw(Canvas& canvas) const {
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    canvas.Text({kNameWidth + kCellWidth * (static_cast<double>(i) + 0.5), 22}, titles_[i],
                {13, Anchor::kMiddle});
  }
  double top = kHeadHeight;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (i == 0 || rows_[i].group != rows_[i - 1].group) {
      canvas.Text({10, top + 17}, rows_[i].group, {11, Anchor::kStart, kPredictedInk});
      canvas.Line({{10, top + 4}, {width() - 12, top + 4}}, {"#d0d6dd", 1});
      top += kGroupHeight;
    }
    DrawRow(rows_[i], top, canvas);
    top += kRowHeight;
  }
  canvas.Text({10, top + 18},
              "Accuracy of the best of n runs · ≤ N: every test string up to length N is right",
              {11, Anchor::kStart, kPredictedInk});
  canvas.Text({10, top + 33},
              "× a theorem excludes an idealization of the architecture; (×) unless TC⁰ = NC¹",
              {11, Anchor::kStart, kPredictedInk});
}

void PredictedPicture::DrawRow(const PredictedRow& row, double top, Canvas& canvas) const {
  canvas.Text({20, top + 16}, LanguageTitle(row.language), {12, Anchor::kStart});
  double left = kNameWidth;
  for (const PredictedCell& cell : row.cells) {
    canvas.Box({left + 1, top + 1}, kCellWidth - 2, kRowHeight - 2,
               cell.accuracy ? ShadeOf(*cell.accuracy) : "#ffffff", {"#d0d6dd", 1});
    canvas.Text({left + 24, top + 16}, TextOf(cell), {11, Anchor::kStart});
    if (cell.exclusion == Exclusion::kExcluded || cell.exclusion == Exclusion::kUnlessTc0IsNc1) {
      canvas.Text({left + 5, top + 16}, cell.exclusion == Exclusion::kExcluded ? "×" : "(×)",
                  {12, Anchor::kStart, "#b3261e"});
    }
    left += kCellWidth;
  }
}

}  // namespace flare::report
