// The Chomsky hierarchy with a named dot per language, filled where an architecture recognizes it
// perfectly, as a picture.

#ifndef FLARE_REPORT_HIERARCHY_PICTURE_H_
#define FLARE_REPORT_HIERARCHY_PICTURE_H_

#include <string>
#include <vector>

#include "flare/report/canvas.h"
#include "flare/report/hierarchy_figure.h"
#include "flare/report/select.h"

namespace flare::report {

class HierarchyPicture {
 public:
  // Keeps a reference to the selection.
  explicit HierarchyPicture(const Selection& selection);

  double width() const;
  double height() const;
  void Draw(Canvas& canvas) const;

 private:
  void DrawVariant(const std::string& variant, double left, Canvas& canvas) const;

  const Selection& selection_;
  std::vector<HierarchyClass> classes_;  // the outermost first
  std::vector<std::string> variants_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_HIERARCHY_PICTURE_H_
