#include "flare/report/hierarchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "flare/base/text.h"
#include "flare/report/language_info.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {

std::vector<HierarchyClass> HierarchyOf(const Study& study) {
  std::vector<HierarchyClass> classes = {{LanguageClass::kRegular, {}},
                                         {LanguageClass::kDeterministicContextFree, {}},
                                         {LanguageClass::kContextFree, {}},
                                         {LanguageClass::kContextSensitive, {}}};
  for (const std::string& name : study.axes.languages) {
    const auto language = FindLanguage(study, name);
    if (!language) continue;
    for (HierarchyClass& c : classes) {
      if (c.language_class == language->language_class) c.languages.push_back(name);
    }
  }
  return classes;
}

std::optional<bool> IsPerfect(const Selection& selection, const std::string& language,
                              const std::string& variant) {
  const auto best = selection.Score(selection.study().BestColumn(), language, variant);
  if (!best) return std::nullopt;
  return best->value == 1;
}

namespace {

constexpr double kBoxWidth = 224, kGap = 16, kRow = 17, kInset = 7, kHead = 19, kTitle = 26,
                 kFoot = 40;
constexpr const char* kQuietInk = "#5b6470";

// Returns how many runs the dots stand for: "n = 1 to 4 runs each · pale: no run yet".
std::string RunsOfDots(const Selection& selection, const std::vector<HierarchyClass>& classes,
                       const std::vector<std::string>& variants) {
  std::set<std::size_t> counts;
  for (const HierarchyClass& c : classes) {
    for (const std::string& language : c.languages) {
      for (const std::string& variant : variants) {
        const auto best = selection.Score(selection.study().BestColumn(), language, variant);
        counts.insert(best ? best->coverage.scored : 0);
      }
    }
  }
  const std::string pale = counts.erase(0) > 0 ? " · pale: no run yet" : "";
  if (counts.empty()) return "no run yet";
  if (counts.size() == 1)
    return fmt::format("n = {} each{}", Counted(*counts.begin(), "run"), pale);
  return fmt::format("n = {} to {} runs each{}", *counts.begin(), *counts.rbegin(), pale);
}

// A box in a box: each begins with its own languages and holds the smaller classes below them.
void DrawVariant(const Selection& selection, const std::vector<HierarchyClass>& classes,
                 const std::string& variant, double left, double bottom, Canvas& canvas) {
  const Stroke edge{kQuietInk, 1.2};
  const ReportColumn column = selection.study().BestColumn();
  canvas.Text({left + kBoxWidth / 2, kGap + 12}, selection.study().Title(variant),
              {14, Anchor::kMiddle});
  double top = kGap + kTitle;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    static const char* const kFills[] = {"#f5f8fb", "#e9f1f8", "#dce9f4", "#cfe0f0"};
    const double inset = kInset * static_cast<double>(i);
    canvas.Box({left + inset, top}, kBoxWidth - 2 * inset, bottom - top, kFills[i % 4], edge);
    canvas.Text({left + kBoxWidth / 2, top + 14}, LongName(classes[i].language_class),
                {11, Anchor::kMiddle, kQuietInk});
    top += kHead;
    for (const std::string& language : classes[i].languages) {
      const auto best = selection.Score(column, language, variant);
      const bool filled = IsPerfect(selection, language, variant).value_or(false);
      const double x = left + inset + 13, y = top + kRow / 2;
      canvas.Dot({x, y}, 4.5, filled ? "#1c2128" : "#ffffff", {best ? "#1c2128" : "#b9c0c8", 1.4});
      std::string text = LanguageTitle(language);
      // What the tables round to 1.00 without being it.
      if (best && !filled && FormatFixed(best->value, 2) == "1.00") {
        text += fmt::format(" ({})", FormatFixed(best->value, 4));
      }
      canvas.Text({x + 10, y + 4}, text, {11, Anchor::kStart});
      top += kRow;
    }
    top += kInset;
    bottom -= kInset;
  }
}

}  // namespace

Canvas DrawHierarchy(const Selection& selection) {
  const std::vector<std::string> variants = selection.study().Variants();
  std::vector<HierarchyClass> classes = HierarchyOf(selection.study());
  std::erase_if(classes, [](const HierarchyClass& c) { return c.languages.empty(); });
  std::reverse(classes.begin(), classes.end());  // the outermost first
  double foot = kGap + kTitle;
  for (const HierarchyClass& c : classes) {
    foot += kHead + kRow * static_cast<double>(c.languages.size()) + 2 * kInset;
  }
  Canvas canvas(kGap + static_cast<double>(variants.size()) * (kBoxWidth + kGap),
                foot + kFoot + kGap);
  double left = kGap;
  for (const std::string& variant : variants) {
    DrawVariant(selection, classes, variant, left, foot, canvas);
    left += kBoxWidth + kGap;
  }
  canvas.Text({kGap, foot + 18}, "● a run has every test string right · ○ none has",
              {11, Anchor::kStart, kQuietInk});
  canvas.Text({kGap, foot + 33}, RunsOfDots(selection, classes, variants),
              {11, Anchor::kStart, kQuietInk});
  return canvas;
}

}  // namespace flare::report
