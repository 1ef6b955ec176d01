#include "flare/report/hierarchy_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/report/language_info.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// In centimetres.
constexpr double kDot = 0.1, kDotSpace = 0.4, kLabel = 0.4, kMargin = 0.12, kHalfWidth = 1.0;
constexpr std::size_t kDotsPerRow = 4;

struct Box {
  double half_width, bottom, top;
};

}  // namespace

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

std::string HierarchyFigure(const Selection& selection) {
  const std::vector<HierarchyClass> classes = HierarchyOf(selection.study());
  static const char* const kFills[] = {"blue!20", "blue!14", "blue!8", "blue!3"};
  // Boxes grow upwards around the one inside; each has room for its label and its dots.
  std::vector<Box> boxes;
  std::vector<std::size_t> rows;
  double top = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    rows.push_back((classes[i].languages.size() + kDotsPerRow - 1) / kDotsPerRow);
    top += kLabel + kDotSpace * static_cast<double>(std::max<std::size_t>(rows[i], 1));
    const double margin = kMargin * static_cast<double>(i);
    boxes.push_back({kHalfWidth + margin, -margin, top});
  }
  std::string text;
  for (const std::string& variant : selection.study().Variants()) {
    std::string draw;
    for (std::size_t i = classes.size(); i-- > 0;) {
      const Box& box = boxes[i];
      draw += fmt::format(
          "\\draw[thick, rounded corners=4pt, fill={}] ({:.2f},{:.2f}) rectangle ({:.2f},{:.2f});\n"
          "\\node[anchor=north] at (0,{:.2f}) {{\\scriptsize {}}};\n",
          kFills[i], -box.half_width, box.bottom, box.half_width, box.top, box.top,
          ShortName(classes[i].language_class));
      const std::vector<std::string>& languages = classes[i].languages;
      for (std::size_t j = 0; j < languages.size(); ++j) {
        const std::size_t row = j / kDotsPerRow;
        const std::size_t in_row = std::min(kDotsPerRow, languages.size() - row * kDotsPerRow);
        const double x = kDotSpace * (static_cast<double>(j % kDotsPerRow) -
                                      (static_cast<double>(in_row) - 1) / 2);
        const double y = box.top - kLabel - kDotSpace * (static_cast<double>(row) + 0.5);
        const auto perfect = IsPerfect(selection, languages[j], variant);
        const char* style = !perfect   ? ", gray!50, fill=white"
                            : *perfect ? ", fill=black"
                                       : ", fill=white";
        draw += fmt::format("\\draw[thick{}] ({:.2f},{:.2f}) circle ({:.2f}); % {}\n", style, x, y,
                            kDot, languages[j]);
      }
    }
    text += fmt::format(
        "\\begin{{tikzpicture}}\n{}\\node[anchor=north] at (0,{:.2f}) {{\\strut {}}};\n"
        "\\end{{tikzpicture}}\\quad\n",
        draw, boxes.back().bottom - 0.05, LatexEscaped(selection.study().Title(variant)));
  }
  return text;
}

}  // namespace flare::report
