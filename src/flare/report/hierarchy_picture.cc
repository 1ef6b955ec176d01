#include "flare/report/hierarchy_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/report/names.h"
#include "flare/report/table_formats.h"

namespace flare::report {
namespace {

constexpr double kBoxWidth = 224, kGap = 16, kRow = 17, kInset = 7, kHead = 19, kTitle = 26;

}  // namespace

HierarchyPicture::HierarchyPicture(const Selection& selection)
    : selection_(selection),
      classes_(HierarchyOf(selection.sweep())),
      variants_(selection.sweep().Variants()) {
  std::erase_if(classes_, [](const HierarchyClass& c) { return c.languages.empty(); });
  std::reverse(classes_.begin(), classes_.end());
}

double HierarchyPicture::width() const {
  return kGap + static_cast<double>(variants_.size()) * (kBoxWidth + kGap);
}

double HierarchyPicture::height() const {
  double height = 2 * kGap + kTitle;
  for (const HierarchyClass& c : classes_) {
    height += kHead + kRow * static_cast<double>(c.languages.size()) + 2 * kInset;
  }
  return height;
}

void HierarchyPicture::Draw(Canvas& canvas) const {
  double left = kGap;
  for (const std::string& variant : variants_) {
    DrawVariant(variant, left, canvas);
    left += kBoxWidth + kGap;
  }
}

// A box in a box: each begins with its own languages and holds the smaller classes below them.
void HierarchyPicture::DrawVariant(const std::string& variant, double left, Canvas& canvas) const {
  const Stroke edge{"#5b6470", 1.2};
  canvas.Text({left + kBoxWidth / 2, kGap + 12}, selection_.sweep().Title(variant),
              {14, Anchor::kMiddle});
  double top = kGap + kTitle, bottom = height() - kGap;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    static const char* const kFills[] = {"#f5f8fb", "#e9f1f8", "#dce9f4", "#cfe0f0"};
    const double inset = kInset * static_cast<double>(i);
    canvas.Box({left + inset, top}, kBoxWidth - 2 * inset, bottom - top, kFills[i % 4], edge);
    canvas.Text({left + kBoxWidth / 2, top + 14}, LongName(classes_[i].language_class),
                {11, Anchor::kMiddle, "#5b6470"});
    top += kHead;
    for (const std::string& language : classes_[i].languages) {
      const bool filled = IsPerfect(selection_, language, variant).value_or(false);
      const double x = left + inset + 13, y = top + kRow / 2;
      canvas.Dot({x, y}, 4.5, filled ? "#1c2128" : "#ffffff", {"#1c2128", 1.4});
      std::string text = LanguageTitle(language);
      const auto best = selection_.Expressivity(language, variant);
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

}  // namespace flare::report
