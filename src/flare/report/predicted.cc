#include "flare/report/predicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/language_info.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"
#include "flare/runs/coordinates.h"

namespace flare::report {

namespace {

// Groups of classes, from the smallest.
enum Group : std::size_t {
  kRTrivial,
  kStarFree,
  kAc0,
  kAcc0,
  kNc1,
  kUnknownClass,
  kNotRegular,
  kUnknownLanguage,
};
constexpr std::array<const char*, 8> kGroupTitles = {
    "R-trivial",    "star-free, not R-trivial", "in AC⁰, not star-free", "in ACC⁰, not in AC⁰",
    "NC¹-complete", "regular, class unknown",   "not regular",           "unknown"};

Group GroupOf(const classes::Classification& c) {
  if (c.At("r_trivial").holds == true) return kRTrivial;
  if (c.At("star_free").holds == true) return kStarFree;
  switch (c.circuit_class) {
    case classes::CircuitClass::kAC0:
      return kAc0;
    case classes::CircuitClass::kACC0:
      return kAcc0;
    case classes::CircuitClass::kNC1Complete:
      return kNc1;
    case classes::CircuitClass::kUnknown:
      break;
  }
  return kUnknownClass;
}

Group GroupOf(const Study& study, const std::string& name) {
  if (const auto found = study.classes.find(name); found != study.classes.end()) {
    return GroupOf(*found->second);
  }
  const auto language = FindLanguage(study, name);
  if (!language) return kUnknownLanguage;
  return language->language->dfa() != nullptr ? kUnknownClass : kNotRegular;
}

Exclusion ExclusionOf(theory::Verdict verdict) {
  switch (verdict) {
    case theory::Verdict::kExcluded:
      return Exclusion::kExcluded;
    case theory::Verdict::kExcludedUnless:
      return Exclusion::kUnlessTc0IsNc1;
    case theory::Verdict::kNoTheorem:
      return Exclusion::kNoTheorem;
    default:
      return Exclusion::kNone;
  }
}

}  // namespace

Theory::Theory(const classes::Classification& classification)
    : last_(theory::Predict(classification, {}, theory::ReadOut::kLast)),
      eos_(theory::Predict(classification, {}, theory::ReadOut::kEos)) {}

const std::vector<theory::Prediction>& Theory::At(theory::ReadOut read_out) const {
  return read_out == theory::ReadOut::kLast ? last_ : eos_;
}

const std::vector<theory::Prediction>& Theory::Of(const Cohort& cohort) const {
  const auto setting = cohort.settings.find("readout");
  return At(theory::ReadOutOf(setting == cohort.settings.end() ? "last" : setting->second,
                              cohort.options));
}

Exclusion Theory::ExclusionOf(const Study& study, const std::string& variant) const {
  std::optional<Exclusion> weakest;
  for (const std::string& id : study.Members(variant)) {
    const Cohort& cohort = study.CohortOf(id);
    const Exclusion one = report::ExclusionOf(
        theory::StrongestVerdict(Of(cohort), ArchitectureOf(cohort.variant), cohort.options));
    if (!weakest || one < *weakest) weakest = one;
  }
  return *weakest;
}

std::vector<ClassifiedLanguage> LanguagesByClass(const Study& study) {
  std::vector<std::pair<Group, ClassifiedLanguage>> placed;
  for (const std::string& name : study.axes.languages) {
    const Group group = GroupOf(study, name);
    placed.push_back({group, {name, kGroupTitles[group]}});
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ClassifiedLanguage> languages;
  for (auto& [group, language] : placed) languages.push_back(std::move(language));
  return languages;
}

std::vector<PredictedRow> PredictedBesideObserved(const Selection& selection) {
  const Study& study = selection.study();
  const std::string& validation = study.MainValidation();
  std::vector<PredictedRow> rows;
  for (const ClassifiedLanguage& language : LanguagesByClass(study)) {
    PredictedRow row{language.name, language.group, {}};
    std::optional<Theory> theory;
    const auto classes = study.classes.find(language.name);
    if (classes != study.classes.end()) theory.emplace(*classes->second);
    for (const std::string& variant : study.Variants()) {
      PredictedCell cell{.variant = variant};
      if (theory) cell.exclusion = theory->ExclusionOf(study, variant);
      cell.coverage = selection.CoverageOf(study.columns.back(), language.name, variant);
      const StudyRun* run =
          selection.ForFigures(language.name, variant, Choice::kByTest, "", validation);
      if (run != nullptr) {
        cell.accuracy = run->TestAccuracy();
        cell.longest_perfect_length = run->LongestPerfectLength();
      }
      row.cells.push_back(std::move(cell));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

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

std::string TextOf(const PredictedCell& cell) {
  if (!cell.accuracy) return "–";
  std::string text = FormatFixed(*cell.accuracy, 2);
  if (cell.longest_perfect_length && *cell.longest_perfect_length >= 0) {
    text += fmt::format(" · ≤ {:.0f}", *cell.longest_perfect_length);
  }
  return text + fmt::format(" · n = {}", cell.coverage.scored);
}

void DrawRow(const PredictedRow& row, double top, Canvas& canvas) {
  canvas.Text({20, top + 16}, LanguageTitle(row.language), {12, Anchor::kStart});
  double left = kNameWidth;
  for (const PredictedCell& cell : row.cells) {
    canvas.Box({left + 1, top + 1}, kCellWidth - 2, kRowHeight - 2,
               cell.accuracy ? ShadeOf(2 * *cell.accuracy - 1) : "#ffffff", {"#d0d6dd", 1});
    canvas.Text({left + 24, top + 16}, TextOf(cell), {11, Anchor::kStart});
    if (cell.exclusion == Exclusion::kExcluded || cell.exclusion == Exclusion::kUnlessTc0IsNc1) {
      canvas.Text({left + 5, top + 16}, cell.exclusion == Exclusion::kExcluded ? "×" : "(×)",
                  {12, Anchor::kStart, "#b3261e"});
    }
    left += kCellWidth;
  }
}

}  // namespace

Canvas DrawPredicted(const Selection& selection) {
  const std::vector<PredictedRow> rows = PredictedBesideObserved(selection);
  const std::vector<std::string> variants = selection.study().Variants();
  const double width = kNameWidth + kCellWidth * static_cast<double>(variants.size()) + 12;
  Canvas canvas(width, kHeadHeight + kRowHeight * static_cast<double>(rows.size()) +
                           kGroupHeight * static_cast<double>(CountGroups(rows)) + kFootHeight);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    canvas.Text({kNameWidth + kCellWidth * (static_cast<double>(i) + 0.5), 22},
                selection.study().Title(variants[i]), {13, Anchor::kMiddle});
  }
  double top = kHeadHeight;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].group != rows[i - 1].group) {
      canvas.Text({10, top + 17}, rows[i].group, {11, Anchor::kStart, kPredictedInk});
      canvas.Line({{10, top + 4}, {width - 12, top + 4}}, {"#d0d6dd", 1});
      top += kGroupHeight;
    }
    DrawRow(rows[i], top, canvas);
    top += kRowHeight;
  }
  canvas.Text({10, top + 18},
              "Accuracy of the best of n runs · ≤ N: every test string up to length N is right",
              {11, Anchor::kStart, kPredictedInk});
  canvas.Text({10, top + 33},
              "× a theorem excludes an idealization of the architecture; (×) unless TC⁰ = NC¹",
              {11, Anchor::kStart, kPredictedInk});
  return canvas;
}

namespace {

Cell TheoryCell(Exclusion exclusion) {
  switch (exclusion) {
    case Exclusion::kExcluded:
      return Cell::Text("excluded");
    case Exclusion::kUnlessTc0IsNc1:
      return Cell::Text("excluded unless TC⁰ = NC¹");
    case Exclusion::kNoTheorem:
      return Cell::Text("no theorem applies");
    case Exclusion::kNone:
      break;
  }
  return {};
}

}  // namespace

// What theory excludes and what was learned, with languages grouped by class.
Table PredictedTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "predicted";
  if (study.classes.empty()) return table;
  table.caption = fmt::format(
      "Predicted beside observed: the best of the runs of each architecture with the validation "
      "set '{}', on languages grouped by the classes at which theorems on architectures cut.",
      study.MainValidation());
  table.columns = {{"class", "Class", "", true}, {"language", "Language", "", true}};
  for (const std::string& variant : study.Variants()) {
    const std::string title = study.ShortTitle(variant);
    table.columns.push_back({variant + "_accuracy", "Accuracy", title});
    table.columns.push_back({variant + "_longest_perfect_length", "Perfect to length", title});
    table.columns.push_back({variant + "_theory", "Theory", title, true});
  }
  const std::string* group = nullptr;
  const std::vector<PredictedRow> rows = PredictedBesideObserved(selection);
  for (const PredictedRow& predicted : rows) {
    Row row;
    row.rule_above = group != nullptr && *group != predicted.group;
    group = &predicted.group;
    row.cells = {Cell::Text(predicted.group), Cell::Text(LanguageTitle(predicted.language))};
    for (const PredictedCell& cell : predicted.cells) {
      Cell accuracy = Cell::Maybe(cell.accuracy);
      accuracy.coverage = cell.coverage;
      row.cells.push_back(std::move(accuracy));
      row.cells.push_back(Cell::PerfectLength(cell.longest_perfect_length));
      row.cells.push_back(TheoryCell(cell.exclusion));
    }
    table.rows.push_back(std::move(row));
  }
  const std::string lengths =
      "Perfect to length: every test string up to that length is right; none: not even the "
      "shortest.";
  const bool has_theory = std::any_of(rows.begin(), rows.end(), [](const PredictedRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const PredictedCell& cell) {
      return cell.exclusion != Exclusion::kNone;
    });
  });
  if (!has_theory) {
    table.notes = {lengths};
    return table;
  }
  table.notes = {
      "Excluded: a theorem says that no network of an idealization of the architecture recognizes "
      "the language at all lengths (flare classify names it). " +
          lengths,
      std::string(theory::Idealization())};
  return table;
}

}  // namespace flare::report
